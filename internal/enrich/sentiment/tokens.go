package sentiment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	word kind = iota
	punctuation
	emoji
	emoticon
	address // a URL
	name    // after @
)

// token is a part of a post that may show its mood. Its text is in the
// scanner's buffer and valid until the next token.
type token struct {
	kind kind
	text []rune // of a word: folded; else its character or class
	long bool   // a letter of the word was repeated
}

// maxWord bounds the letters of a word.
const maxWord = 40

// scanner splits a post into tokens.
type scanner struct {
	rest string
	prev rune // before rest
	buf  [maxWord]rune
}

var entities = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&quot;", `"`)

func newScanner(text string) *scanner {
	if strings.IndexByte(text, '&') >= 0 {
		text = entities.Replace(text)
	}
	return &scanner{rest: text, prev: ' '}
}

// next returns the next token; ok is false at the end.
func (s *scanner) next() (t token, ok bool) {
	for s.rest != "" {
		r, size := utf8.DecodeRuneInString(s.rest)
		switch {
		case unicode.IsSpace(r) || dropped(r) || r >= 0x1f3fb && r <= 0x1f3ff: // and tones of skin
			s.skip(r, size)
			continue
		case (r == 'h' || r == 'H') && len(s.rest) >= 4 && strings.EqualFold(s.rest[:4], "http"):
			i := strings.IndexFunc(s.rest, unicode.IsSpace)
			if i < 0 {
				i = len(s.rest)
			}
			s.skip(r, i)
			return token{kind: address}, true
		case r == '@' && startsName(s.rest[1:]):
			i := strings.IndexFunc(s.rest[1:], func(r rune) bool { return !isName(r) })
			if i < 0 {
				i = len(s.rest) - 1
			}
			s.skip(r, 1+i)
			return token{kind: name}, true
		}
		if n, class := face(s.rest, s.prev); n > 0 {
			s.skip(r, n)
			s.buf[0] = class
			return token{kind: emoticon, text: s.buf[:1]}, true
		}
		switch {
		case r == '#' && startsLetter(s.rest[1:]):
			s.skip(r, 1)
			return s.word(true), true
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return s.word(false), true
		case isEmoji(r):
			s.skip(r, size)
			s.buf[0] = r
			return token{kind: emoji, text: s.buf[:1]}, true
		}
		return s.punctuation(r, size), true
	}
	return token{}, false
}

func (s *scanner) skip(r rune, size int) {
	s.prev, s.rest = r, s.rest[size:]
}

// word scans a word, folded: lower-case, digits as 0, variants of Arabic
// letters unified, and at most two equal letters in a row.
func (s *scanner) word(tag bool) token {
	t := token{kind: word}
	n := 0
	for s.rest != "" {
		r, size := utf8.DecodeRuneInString(s.rest)
		digit := false
		switch {
		case dropped(r):
			s.skip(r, size)
			continue
		case unicode.IsLetter(r) || unicode.IsMark(r):
		case unicode.IsDigit(r):
			digit = true
		case (r == '\'' || r == '’') && startsLetter(s.rest[size:]):
		case r == '_' && tag:
		default:
			t.text = s.buf[:n]
			return t
		}
		s.skip(r, size)
		r = folded(r)
		if digit {
			r = '0'
		}
		if n >= 2 && s.buf[n-1] == r && s.buf[n-2] == r && !digit {
			t.long = true
			continue
		}
		if n < maxWord {
			s.buf[n] = r
			n++
		}
	}
	t.text = s.buf[:n]
	return t
}

// punctuation scans a run of one character: single, double, or dots.
func (s *scanner) punctuation(r rune, size int) token {
	n := 0
	for sign := s.rest[:size]; strings.HasPrefix(s.rest, sign); n++ {
		s.skip(r, size)
	}
	s.buf[0], s.buf[1] = r, r
	switch {
	case r == '.' && n > 1 || r == '…':
		s.buf[0] = '…'
		return token{kind: punctuation, text: s.buf[:1]}
	case n > 1:
		return token{kind: punctuation, text: s.buf[:2]}
	}
	return token{kind: punctuation, text: s.buf[:1]}
}

func folded(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	case r == 'أ' || r == 'إ' || r == 'آ' || r == 'ٱ':
		return 'ا'
	case r == 'ى':
		return 'ي'
	case r == 'ة':
		return 'ه'
	case r == '’':
		return '\''
	}
	return unicode.ToLower(r)
}

// dropped reports whether r is ignored: joiners, directional marks, and the
// elongation and vowel signs of Arabic.
func dropped(r rune) bool {
	return r >= 0x640 && (r == 0x640 || r >= 0x64b && r <= 0x652 || r >= 0x200c && r <= 0x200f || r == 0xfe0f)
}

func isEmoji(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2600 && r <= 0x27bf || r >= 0x2190 && r <= 0x21ff || r >= 0x2b00 && r <= 0x2bff
}

func isName(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func startsName(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || r == '_'
}

func startsLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}
