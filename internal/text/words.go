package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words returns the words of a post, each once: tokens of at least three characters, one
// of them a letter.
func (text Text) Words() (words []string) {
	known := map[string]bool{}
	for _, field := range []string{text.s, text.image} {
		for token := range tokens(field) {
			if word := token.Text; !known[word] && utf8.RuneCountInString(word) > 2 && strings.ContainsFunc(word, unicode.IsLetter) {
				known[word] = true
				words = append(words, word)
			}
		}
	}
	return words
}
