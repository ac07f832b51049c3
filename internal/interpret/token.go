package interpret

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// kind is the kind of a token.
type kind uint8

const (
	word    kind = iota
	quoted       // a phrase in quotes, without the quotes
	hashtag      // with its sign
	link         // a URL, a path of the network, or a URN
	pause        // a comma or similar sign
	open         // a round bracket
	closed
	stop // the end of a sentence
)

// token is a part of a prompt, as written and normalized. One token may join
// several words that are a class, an intent or a place.
type token struct {
	kind   kind
	text   string
	norm   string
	class  class
	intent *intent
	place  *place
	first  bool // of a sentence
	line   bool // of a line
	// from and to are its place in the readable prompt, in bytes. Both are 0 if it has none.
	from, to int
}

// content reports whether the token can be part of a subject.
func (t token) content() bool { return t.kind < pause }

// is reports whether the token has one of the classes.
func (t token) is(c class) bool { return t.class&c != 0 }

// maxTokens bounds the number of tokens that are read.
const maxTokens = 1200

var (
	// numbering matches the number or bullet of a list element.
	numbering = regexp.MustCompile(`(?m)^[ \t]*(?:\(?\d{1,2}[.)]|[-*•–—·])[ \t]+|[ \t,;:]\(?[1-9]\)[ \t]+`)
	// spellings unifies characters with several variants.
	spellings = [][2]string{{"’", "'"}, {"‘", "'"}, {"and/or", "or"}, {"AND/OR", "or"}, {" w/o ", " without "}, {"\r\n", "\n"},
		{"e.g.", "eg"}, {"E.g.", "eg"}, {"i.e.", "ie"}, {"etc.", "etc"}, {"vs.", "vs"}, {" v. ", " vs "}}
	// community matches the name of a community in a forum.
	community = regexp.MustCompile(`^/?r/[A-Za-z0-9_]{2,}`)
	// elision matches an article or similar word before an apostrophe.
	elision = regexp.MustCompile(`^((?i:[ldjnsmtc]|qu|jusqu|lorsqu|un|dell|all|nell|sull|dall|quell|quest|gli|cos)')(?:[aeiouyh\x80-\x{10ffff}]|[A-Z][a-z])`)
	// wordLike matches a word. Signs inside words belong to them (co-founder,
	// Node.js, R&D, CI/CD), and so do signs at the ends of names of languages.
	wordLike = regexp.MustCompile(`^[.@]?(?:[A-Za-z]#|(?:[\pL\pM\pN]{1,3}(?:/[A-Z0-9][A-Za-z0-9]{0,4}\b)+|[\pL\pM\pN]+)(?:['_@‑.&+-][\pL\pM\pN]+)*(?:\+\+)?)`)
	// tag matches brackets that are no part of a subject, as in Map[K, V] and [1],
	// or a tag like [Hiring].
	tag = regexp.MustCompile(`^(?:\[[^\]>]{0,38}\]|<[^\]>]{0,38}>)`)
)

// tokenise splits a prompt into tokens.
func tokenise(prompt string) []token {
	var out []token
	s, places := respelled(readable(prompt))
	all := len(s)
	before := ' '
	shouts, words := true, 0
	for s != "" && len(out) < maxTokens {
		t, size := nextToken(s, before)
		if t.norm != "" && (t.content() || len(out) > 0 || t.text == "[") {
			t.from, t.to = places[all-len(s)], places[all-len(s)+size]
			out = append(out, t)
			if t.kind == word {
				shouts = shouts && t.text == strings.ToUpper(t.text)
			}
			words++
		}
		before, _ = utf8.DecodeLastRuneInString(s[:size])
		s = s[size:]
	}
	for i, t := range out { // in a prompt in capitals they carry no information
		if shouts && words >= minWords && t.kind == word {
			out[i].text = strings.ToLower(t.text)
		}
	}
	return out
}

// respelled unifies spellings, and replaces numbers and bullets of lists by line
// breaks. places has the place in s of each byte of the result, and of its end.
func respelled(s string) (out string, places []int) {
	var b strings.Builder
	for i := 0; i < len(s); {
		written, with := s[i:i+1], s[i:i+1]
		for _, pair := range spellings {
			if strings.HasPrefix(s[i:], pair[0]) {
				written, with = pair[0], pair[1]
				break
			}
		}
		for range len(with) {
			places = append(places, i)
		}
		b.WriteString(with)
		i += len(written)
	}
	places = append(places, len(s))
	unified, last := b.String(), 0
	var lines strings.Builder
	var kept []int
	for _, at := range numbering.FindAllStringIndex(unified, -1) {
		lines.WriteString(unified[last:at[0]] + "\n")
		kept = append(append(kept, places[last:at[0]]...), places[at[0]])
		last = at[1]
	}
	lines.WriteString(unified[last:])
	return lines.String(), append(kept, places[last:]...)
}

// readable returns the part of a prompt that is read, without control
// characters.
func readable(prompt string) string {
	n := 0
	for i := range prompt {
		if n++; n > MaxPrompt {
			prompt = prompt[:i]
			break
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(prompt, " "))
}

// nextToken returns the token at the start of s and its size. Text without a
// normalized form is not a token. before is the preceding character.
func nextToken(s string, before rune) (token, int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == '\n':
		return token{kind: pause, text: "\n", norm: ","}, size
	case unicode.IsSpace(r):
		return token{}, size
	}
	if t, n := quotedToken(s, before); n > 0 {
		return t, n
	}
	is := func(k kind, c class, n int) (token, int) {
		return token{kind: k, text: s[:n], norm: text.Normalize(s[:n]), class: c}, n
	}
	fresh := !inWord(before)
	if fresh {
		if t, n := linkToken(s); n > 0 {
			return t, n
		}
		if n := 1 + runLength(s[1:], func(r rune) bool { return inWord(r) || r == '_' }); r == '#' && n > 1 {
			return is(hashtag, 0, n)
		}
		if m := community.FindString(s); m != "" {
			return is(word, 0, len(m))
		}
		if m := elision.FindStringSubmatch(s); m != nil {
			t, n := is(word, stopWord, len(m[1]))
			if t.norm == "d'" {
				t.class |= ofWord
			}
			return t, n
		}
	}
	if r == '-' && unicode.IsSpace(before) && len(s) > 1 && (inWord(rune(s[1])) || s[1] == '"') {
		return token{kind: word, text: "NOT", norm: "not", class: notWord}, size // as in searches
	}
	if m := tag.FindString(s); m != "" && literalTag(m) {
		return is(quoted, 0, len(m))
	} else if m != "" && (!fresh || strings.Trim(m, "[]<>0123456789") == "") {
		return token{}, len(m)
	}
	if m := wordLike.FindString(s); m != "" && (fresh || r != '.' && r != '@') {
		t, n := is(word, 0, len(m))
		// The genitive of a name counts as the name, unless it is part of a longer
		// one: Baldur's Gate.
		part := len(s) > n+2 && unicode.IsUpper(rune(s[n+1])) && unicode.IsLower(rune(s[n+2]))
		if cut, ok := strings.CutSuffix(m, "'s"); ok && !part && unicode.IsUpper(r) && lookup("contractions", t.norm) == "" {
			t.text, t.norm = cut, text.Normalize(cut)
		}
		return t, n
	}
	switch {
	case strings.ContainsRune(".!?。！？…।؟", r):
		return token{kind: stop, text: string(r), norm: "."}, size
	case strings.ContainsRune("/|&+", r):
		return token{kind: word, text: string(r), norm: string(r)}, size
	case r == '(':
		return token{kind: open, text: "(", norm: "("}, size
	case r == ')':
		return token{kind: closed, text: ")", norm: ")"}, size
	case strings.ContainsRune(",;:[]•*–—·、，；：،؛", r), r == '-' && unicode.IsSpace(before):
		return token{kind: pause, text: string(r), norm: ","}, size
	}
	return token{}, size
}

// quotes maps opening quotes to closing quotes.
var quotes = map[rune]string{'"': "\"”“", '“': "”“\"", '„': "“”\"", '«': "»", '»': "«", '「': "」", '\'': "'", '`': "`"}

// quotedToken returns the quoted phrase at the start of s. It ignores quotes
// that are not closed, are empty, or contain a whole paragraph.
func quotedToken(s string, before rune) (token, int) {
	open, size := utf8.DecodeRuneInString(s)
	closing, ok := quotes[open]
	if !ok || (open == '\'' || open == '`') && (inWord(before) || before == ')') {
		return token{}, 0
	}
	for i, r := range s[size:] {
		end := size + i + utf8.RuneLen(r)
		after, _ := utf8.DecodeRuneInString(s[end:])
		if !strings.ContainsRune(closing, r) || open == '\'' && inWord(after) { // an apostrophe
			continue
		}
		inner := strings.Trim(foldSpace(s[size:size+i]), " .,;:!?")
		if !hasWord(inner) || utf8.RuneCountInString(inner) > watchpost.MaxKeyword {
			return token{}, 0
		}
		if t, all := linkToken(inner); all == len(inner) {
			return t, end
		}
		return token{kind: quoted, text: inner, norm: text.Normalize(inner)}, end
	}
	return token{}, 0
}

// inWord reports whether r is a character of a word.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N)
}

func hasWord(s string) bool { return strings.ContainsFunc(s, inWord) }

// runLength returns the length of the run at the start of s.
func runLength(s string, in func(rune) bool) int {
	if end := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); end >= 0 {
		return end
	}
	return len(s)
}

// foldSpace trims s and replaces each run of white space with one space.
func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// texts returns the tokens as written, separated by spaces.
func texts(tokens []token) string { return join(tokens, func(t token) string { return t.text }) }

// norms returns the normalized tokens, separated by spaces.
func norms(tokens []token) string { return join(tokens, func(t token) string { return t.norm }) }

func join(tokens []token, part func(token) string) string {
	var b strings.Builder
	for i, t := range tokens {
		b.WriteString(part(t))
		if i+1 < len(tokens) && !strings.HasSuffix(t.norm, "'") {
			b.WriteByte(' ')
		}
	}
	return b.String()
}
