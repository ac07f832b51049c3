package text

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Attached reports whether the token is a run of a script in which words are
// not separated. No word of a search equals such a token.
func (t SearchToken) Attached() bool {
	r, _ := utf8.DecodeRuneInString(t.Text)
	return isAttached(r)
}

// Ngrams yields the n-grams of normalized text with which an engine filters for
// terms that are matched as substrings. These are the characters that are in no
// word of a search, and each pair of neighbors where one belongs to an
// attached script or neither belongs to a word. If a text occurs in another,
// its n-grams are a subset of the other's. An n-gram may be yielded more than
// once. A text that is a single n-gram needs no verification.
func Ngrams(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		before, start := ' ', 0
		for at, r := range text {
			end := at + utf8.RuneLen(r)
			if inASCIIWord(r) && (before == ' ' || inASCIIWord(before)) {
				before, start = r, at
				continue // the most frequent case
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

// pairs reports whether two neighbors form an n-gram.
func pairs(a, b rune) bool {
	switch {
	case unicode.IsSpace(a) || unicode.IsSpace(b):
		return false
	case isAttached(a) || isAttached(b):
		return true
	}
	return !inWord(a) && !inWord(b)
}
