package text

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxSearchTerm bounds a search_term in characters.
const MaxSearchTerm = 500

// ParseSearch parses a search_term. White space separates terms; all of them
// must hold. Of terms joined by OR, in capitals, at least one must hold: OR
// binds closer than white space, as in "go OR rust backend". Text in double
// quotes, straight or typographic, is one exact term; an unclosed quote extends
// to the end. A hyphen before a term, quoted or not, makes it negative; a
// search may consist of negative terms only.
//
// A term is a substring if it contains a character of a script written without
// spaces, or a Hangul character, because Hangul words carry attached particles.
// A term without a token, like an ellipsis, is also a substring. A lone hyphen, empty quotes and an OR
// without two terms are ignored. A search of nothing else matches no post.
func ParseSearch(s string) (Search, error) {
	if utf8.RuneCountInString(s) > MaxSearchTerm {
		return Search{}, errLongSearch
	}
	search, joins := Search{nothing: strings.TrimSpace(s) != ""}, false
	for {
		raw, rest := nextTerm(s)
		if s = rest; raw == (rawTerm{}) {
			return search, nil
		}
		if raw == (rawTerm{text: "OR"}) {
			joins = len(search.clauses) > 0
			continue
		}
		term, ok := raw.term()
		if !ok {
			continue
		}
		search.nothing = false
		if last := len(search.clauses) - 1; joins {
			search.clauses[last] = append(search.clauses[last], term)
		} else {
			search.clauses = append(search.clauses, SearchClause{term})
		}
		joins = false
	}
}

var errLongSearch = errors.New("a search term exceeds 500 characters")

// rawTerm is a term as written; the zero value is the end of a search.
type rawTerm struct {
	text             string
	quoted, negative bool
}

// nextTerm splits off the first term of s.
func nextTerm(s string) (t rawTerm, rest string) {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	if after, ok := strings.CutPrefix(s, "-"); ok {
		first, _ := utf8.DecodeRuneInString(after)
		if after == "" || unicode.IsSpace(first) {
			return rawTerm{text: "-"}, after
		}
		t.negative, s = true, after
	}
	if first, size := utf8.DecodeRuneInString(s); isQuote(first) {
		t.quoted, s = true, s[size:]
		end := strings.IndexFunc(s, isQuote)
		if end < 0 {
			t.text = s
			return t, ""
		}
		_, size = utf8.DecodeRuneInString(s[end:])
		t.text = s[:end]
		return t, s[end+size:]
	}
	end := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || isQuote(r) })
	if end < 0 {
		end = len(s)
	}
	t.text = s[:end]
	return t, s[end:]
}

func isQuote(r rune) bool { return strings.ContainsRune("\"“”„‟«»＂", r) }

// term normalizes a raw term; ok is false if the term is empty.
func (raw rawTerm) term() (t SearchTerm, ok bool) {
	text := strings.TrimSpace(Normalize(raw.text))
	if IsBlank(text) || text == "-" && !raw.quoted {
		return SearchTerm{}, false
	}
	t.Negative, t.Exact = raw.negative, raw.quoted
	if !strings.ContainsFunc(text, isAttached) {
		for token := range tokens(text) {
			t.Words = append(t.Words, SearchWord{token.Text, token.Sigil})
		}
	}
	if len(t.Words) == 0 {
		t.Substring, t.Exact = text, false
	}
	return t, true
}
