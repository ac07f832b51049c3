package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SearchText is a post's text prepared for searches: each field normalized, and
// the tokens of all fields.
//
// A token is the longest run of word characters (letters, marks, numbers). A
// run of a script written without spaces, or of Hangul, equals no word of a
// search, because terms in these scripts are matched as substrings. Each other
// visible symbol, like an emoji or currency sign, is a token by itself. Skin
// tones, variation selectors and joiners are ignored, so a joined emoji is the
// adjacent tokens of its parts. All other characters are separators: 3.5,
// e-mail and URLs are several adjacent tokens.
//
// Some signs belong to the token so that common technical names stay distinct:
// ++ after letters, # or + after a single Latin letter at the end of a word,
// and the dot of .net. A # or @ directly before a word, and not after one, is
// the token's sigil.
type SearchText struct {
	language string
	fields   []string
	tokens   []SearchToken
}

// SearchToken is a token of a post. The zero value separates fields and equals
// no word.
type SearchToken struct {
	Text  string // normalized
	Stem  string // of Text, in the language of the post
	Sigil byte   // '#', '@' or 0
}

// NewSearchText prepares a post's text. language is the post's language code;
// words of an unknown language are not stemmed.
func NewSearchText(language, content, imageText string) SearchText {
	return New(content).WithImage(imageText).Search(language)
}

// Search prepares normalized text; see NewSearchText.
func (text Text) Search(language string) SearchText {
	const apart = 5 // approximate bytes per token
	t := SearchText{language: language, fields: []string{text.s, text.image}, tokens: make([]SearchToken, 0, (len(text.s)+len(text.image))/apart+2)}
	for i, field := range t.fields {
		if i > 0 {
			t.tokens = append(t.tokens, SearchToken{})
		}
		for token := range tokens(field) {
			token.Stem = Stem(language, token.Text)
			t.tokens = append(t.tokens, token)
		}
	}
	return t
}

// Tokens returns the tokens of all fields. The caller must not change them.
func (t SearchText) Tokens() []SearchToken { return t.tokens }

// Fields returns the normalized fields. The caller must not change them.
func (t SearchText) Fields() []string { return t.fields }

// isAttached reports whether r belongs to a script in which words are not
// separated: one written without spaces, or Hangul.
func isAttached(r rune) bool {
	return r >= 0x0e00 && (isUnspaced(r) || unicode.Is(unicode.Hangul, r))
}

// isShown reports whether r is a token by itself.
func isShown(r rune) bool {
	return r >= utf8.RuneSelf && unicode.In(r, unicode.So, unicode.Sc) || r == '$'
}

// tokens yields the tokens of normalized text, not stemmed.
func tokens(s string) iter.Seq[SearchToken] {
	return func(yield func(SearchToken) bool) {
		for s, before := s, ' '; s != ""; {
			r, size := utf8.DecodeRuneInString(s)
			var token SearchToken
			switch {
			case isAttached(r):
				size = runLength(s, isAttached)
				token.Text = s[:size]
			case isWord(r):
				size = wordLength(s)
				token.Text = s[:size]
			case (r == '#' || r == '@') && !isWord(before) && startsWord(s[1:]):
				size = 1 + wordLength(s[1:])
				token = SearchToken{Text: s[1:size], Sigil: byte(r)}
			case r == '.' && before != '.' && !isWord(before) && runLength(s[1:], inWord) == len("net") && s[1:len(".net")] == "net":
				size = len(".net")
				token.Text = s[:size]
			case isShown(r):
				token.Text = s[:size]
			}
			if token.Text != "" && !yield(token) {
				return
			}
			before, _ = utf8.DecodeLastRuneInString(s[:size])
			s = s[size:]
		}
	}
}

// inWord reports whether r continues a word of a script with separated words.
func inWord(r rune) bool { return isWord(r) && !isAttached(r) }

func startsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return inWord(r)
}

// runLength returns the length of the run at the start of s.
func runLength(s string, in func(rune) bool) int {
	if end := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); end >= 0 {
		return end
	}
	return len(s)
}

// wordLength returns the length of the word at the start of s, with the signs
// after it that belong to it.
func wordLength(s string) int {
	n := runLength(s, inWord)
	word, rest := s[:n], s[n:]
	if strings.HasPrefix(rest, "++") && !strings.HasPrefix(rest, "+++") && runLength(word, unicode.IsLetter) == n {
		return n + 2
	}
	if n == 1 && 'a' <= word[0] && word[0] <= 'z' && rest != "" && (rest[0] == '#' || rest[0] == '+') {
		after, _ := utf8.DecodeRuneInString(rest[1:])
		if !isWord(after) && after != rune(rest[0]) {
			return n + 1
		}
	}
	return n
}
