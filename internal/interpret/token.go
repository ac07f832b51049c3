package interpret

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchpost"
	"watchpost/internal/text"
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
}

// content reports whether the token can be part of a subject.
func (t token) content() bool { return t.kind < pause }

// maxTokens bounds the number of tokens that are read.
const maxTokens = 1200

// tokenise splits a prompt into tokens.
func tokenise(prompt string) []token {
	var out []token
	s := numbering.ReplaceAllString(spellings.Replace(readable(prompt)), "\n")
	before := ' '
	for s != "" && len(out) < maxTokens {
		t, size := nextToken(s, before)
		if t.norm != "" && (t.content() || len(out) > 0 || t.text == "[") {
			out = append(out, t)
		}
		before, _ = utf8.DecodeLastRuneInString(s[:size])
		s = s[size:]
	}
	return calm(out)
}

// numbering matches the number or bullet of a list element.
var numbering = regexp.MustCompile(`(?m)^[ \t]*(?:\(?\d{1,2}[.)]|[-*•–—·])[ \t]+|[ \t,;:]\(?[1-9]\)[ \t]+`)

// community matches the name of a community in a forum.
var community = regexp.MustCompile(`^/?r/[A-Za-z0-9_]{2,}`)

// spellings unifies characters with several variants.
var spellings = strings.NewReplacer("’", "'", "‘", "'", "and/or", "or", "AND/OR", "or", " w/o ", " without ", "\r\n", "\n",
	"e.g.", "eg", "E.g.", "eg", "i.e.", "ie", "etc.", "etc", "vs.", "vs", " v. ", " vs ")

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

// calm converts a prompt in capitals to lower case, because its capitals carry
// no information.
func calm(tokens []token) []token {
	for _, t := range tokens {
		if t.kind == word && t.text != strings.ToUpper(t.text) {
			return tokens
		}
	}
	if len(tokens) < minWords {
		return tokens
	}
	for i, t := range tokens {
		if t.kind == word {
			tokens[i].text = strings.ToLower(t.text)
		}
	}
	return tokens
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
	fresh := !inWord(before)
	if fresh {
		if t, n := linkToken(s); n > 0 {
			return t, n
		}
	}
	if r == '#' && fresh {
		if n := 1 + runLength(s[1:], func(r rune) bool { return inWord(r) || r == '_' }); n > 1 {
			return token{kind: hashtag, text: s[:n], norm: text.Normalize(s[:n])}, n
		}
	}
	if r == '-' && unicode.IsSpace(before) && len(s) > 1 && (inWord(rune(s[1])) || s[1] == '"') {
		return token{kind: word, text: "NOT", norm: "not", class: notWord}, size // as in searches
	}
	if fresh && (r == '/' || r == 'r') {
		if m := community.FindString(s); m != "" {
			return token{kind: word, text: m, norm: text.Normalize(m)}, len(m)
		}
	}
	if n := bracketLength(s, fresh); n > 0 {
		if literalTag(s[:n]) {
			return token{kind: quoted, text: s[:n], norm: text.Normalize(s[:n])}, n
		}
		return token{}, n
	}
	if n := elided(s, fresh); n > 0 {
		t := token{kind: word, text: s[:n], norm: text.Normalize(s[:n]), class: stopWord}
		if s[0] == 'd' || s[0] == 'D' {
			t.class |= ofWord
		}
		return t, n
	}
	if n := wordLength(s, fresh); n > 0 {
		return newWord(s[:n], s[n:]), n
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

// elision matches an article or similar word before an apostrophe.
var elision = regexp.MustCompile(`^(?i:[ldjnsmtc]|qu|jusqu|lorsqu|un|dell|all|nell|sull|dall|quell|quest|gli|cos)'(?:[aeiouyh\x80-\x{10ffff}]|[A-Z][a-z])`)

// elided returns the length of the elided word at the start of s.
func elided(s string, fresh bool) int {
	if !fresh || !strings.Contains(s[:min(len(s), 9)], "'") {
		return 0
	}
	if m := elision.FindString(s); m != "" {
		return strings.IndexByte(m, '\'') + 1
	}
	return 0
}

// bracketLength returns the length of brackets at the start of s that are not
// part of a subject, as in Map[K, V] and [1], or a tag like [Hiring].
func bracketLength(s string, fresh bool) int {
	end := strings.IndexAny(s[:min(len(s), 40)], "]>")
	if s[0] != '[' && s[0] != '<' || end < 1 {
		return 0
	}
	if s = s[:end+1]; !fresh || literalTag(s) || strings.Trim(s, "[]<>0123456789") == "" {
		return len(s)
	}
	return 0
}

// newWord returns the token of a word. The genitive of a name counts as the
// name, unless it is part of a longer one: Baldur's Gate.
func newWord(s, rest string) token {
	r, _ := utf8.DecodeRuneInString(s)
	part := len(rest) > 2 && unicode.IsUpper(rune(rest[1])) && unicode.IsLower(rune(rest[2]))
	if cut, ok := strings.CutSuffix(s, "'s"); ok && !part && unicode.IsUpper(r) && lookup("contractions", strings.ToLower(s)) == "" {
		s = cut
	}
	return token{kind: word, text: s, norm: text.Normalize(s)}
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
	rest := s[size:]
	for from := 0; ; {
		i := strings.IndexAny(rest[from:], closing)
		if i < 0 {
			return token{}, 0
		}
		i += from
		_, n := utf8.DecodeRuneInString(rest[i:])
		after, _ := utf8.DecodeRuneInString(rest[i+n:])
		if open == '\'' && inWord(after) { // an apostrophe
			from = i + n
			continue
		}
		inner := strings.Trim(foldSpace(rest[:i]), " .,;:!?")
		if inner == "" || !hasWord(inner) || utf8.RuneCountInString(inner) > watchpost.MaxKeyword {
			return token{}, 0
		}
		if t, all := linkToken(inner); all == len(inner) {
			return t, size + i + n
		}
		return token{kind: quoted, text: inner, norm: text.Normalize(inner)}, size + i + n
	}
}

// wordLength returns the length of the word at the start of s. Signs inside
// words belong to them (co-founder, Node.js, R&D, CI/CD), and so do signs at
// the ends of names of languages (C++, C#, .NET).
func wordLength(s string, fresh bool) int {
	n := 0
	if fresh && (s[0] == '.' || s[0] == '@') {
		n = 1
	}
	run := runLength(s[n:], inWord)
	if run == 0 {
		return 0
	}
	n += run
	for n < len(s) {
		sign, size := utf8.DecodeRuneInString(s[n:])
		next := runLength(s[n+size:], inWord)
		if next == 0 || !joins(sign, s[n+size:], run, next) {
			break
		}
		n, run = n+size+next, next
	}
	switch rest := s[n:]; {
	case strings.HasPrefix(rest, "++"):
		return n + 2
	case run == 1 && n == 1 && strings.HasPrefix(rest, "#"):
		return n + 1
	}
	return n
}

// joins reports whether a sign joins a word of before bytes and the word at the
// start of rest.
func joins(sign rune, rest string, before, after int) bool {
	switch sign {
	case '\'', '-', '_', '@', '‑':
		return true
	case '.', '&', '+':
		return true
	case '/':
		r, _ := utf8.DecodeRuneInString(rest)
		return before <= 3 && after <= 5 && (unicode.IsUpper(r) || unicode.IsDigit(r))
	}
	return false
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
