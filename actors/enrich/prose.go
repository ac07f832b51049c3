package enrich

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// prose is a text taken apart for the rules that read words as they are
// written, accents and all (language, sentiment).
type prose struct {
	raw   string // whose signs count
	words []word
}

// word is a run of letters, lower-case and composed. An apostrophe inside
// belongs to it. URLs, mail addresses and names after @ are no words.
type word struct {
	text string
	tag  bool // follows a #
	end  bool // ends a clause
}

// maxWord bounds the words that are looked up, in bytes: what is longer is no
// word, or text in a script without spaces.
const maxWord = 64

// scan takes a text apart.
func scan(raw string) *prose {
	p := &prose{raw: raw, words: make([]word, 0, len(raw)/6+1)}
	p.add(raw)
	return p
}

// add adds the words of a text.
func (p *prose) add(raw string) {
	s := lower(raw)
	for s != "" {
		chunk := s
		if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
			chunk, s = s[:i], s[i:]
			_, size := utf8.DecodeRuneInString(s)
			s = s[size:]
		} else {
			s = ""
		}
		if chunk != "" && !isAddress(chunk) {
			p.split(chunk)
		}
	}
}

// lower writes text in the form in which words are compared.
func lower(s string) string {
	if !norm.NFC.IsNormalString(s) {
		s = norm.NFC.String(s)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case r < utf8.RuneSelf:
			return r
		case r == '’' || r == 'ʼ':
			return '\''
		case r == 'İ':
			return 'i'
		}
		return unicode.ToLower(r)
	}, s)
}

// isAddress reports whether a chunk is a URL, what an anonymised one leaves, a
// mail address or the name of a person.
func isAddress(chunk string) bool {
	if chunk == "http" || chunk == "https" || strings.HasPrefix(chunk, "www.") || strings.Contains(chunk, "://") {
		return true
	}
	i := strings.IndexByte(chunk, '@')
	return i >= 0 && i+1 < len(chunk) && strings.Trim(chunk[:i], "\"'([{.¡¿") == "" ||
		i > 0 && strings.IndexByte(chunk[i:], '.') > 1
}

// split adds the words of a chunk.
func (p *prose) split(chunk string) {
	start, tag := -1, false
	for i, r := range chunk {
		if isLetter(r) || r == '\'' && start >= 0 && startsLetter(chunk[i+1:]) || tag && isTagRune(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			p.words = append(p.words, word{chunk[start:i], tag, isClauseEnd(r)})
			start = -1
		} else if n := len(p.words); n > 0 && isClauseEnd(r) {
			p.words[n-1].end = true
		}
		tag = r == '#' || r == '＃'
	}
	if start >= 0 {
		p.words = append(p.words, word{chunk[start:], tag, false})
	}
}

// letters reports whether the text has any word.
func (p *prose) letters() bool { return len(p.words) > 0 }

func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z'
	}
	return unicode.In(r, unicode.L, unicode.M)
}

func startsLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isLetter(r)
}

// isTagRune reports whether r, no letter, goes on a hashtag.
func isTagRune(r rune) bool { return r == '_' || unicode.IsDigit(r) }

func isClauseEnd(r rune) bool {
	switch r {
	case '.', ',', ';', ':', '!', '?', '…', '。', '，', '！', '？', '¡', '¿', '|':
		return true
	}
	return false
}
