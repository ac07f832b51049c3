package text

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Attached reports whether the token is a run of a script in which words do not
// stand alone: no word of a search equals it.
func (t SearchToken) Attached() bool {
	r, _ := utf8.DecodeRuneInString(t.Text)
	return isAttached(r)
}

// Ngrams yields the pieces of normalised text by which an engine sieves
// for terms that are looked up as pieces of text: the characters that stand in
// no word of a search, and the pairs of neighbours of which one is of an
// attached script, or of which neither is of a word. When a text occurs in
// another, all its pieces are pieces of that one too; a piece may come more
// than once. A text that is one piece itself needs no second look.
func Ngrams(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		before, start := ' ', 0
		for at, r := range text {
			end := at + utf8.RuneLen(r)
			if inASCIIWord(r) && (before == ' ' || inASCIIWord(before)) {
				before, start = r, at
				continue // most of most texts
			}
			if !unicode.IsSpace(r) && !inWord(r) && !yield(text[at:end]) {
				return
			}
			if pairs(before, r) && !yield(text[start:end]) {
				return
			}
			before, start = r, at
		}
	}
}

// inASCIIWord is inWord for ASCII characters.
func inASCIIWord(r rune) bool { return r < utf8.RuneSelf && isWord(r) }

// pairs reports whether two neighbours are a piece.
func pairs(a, b rune) bool {
	switch {
	case unicode.IsSpace(a) || unicode.IsSpace(b):
		return false
	case isAttached(a) || isAttached(b):
		return true
	}
	return !inWord(a) && !inWord(b)
}
