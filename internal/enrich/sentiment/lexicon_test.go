package sentiment

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestListsAgree: no word of a list is in two categories.
func TestListsAgree(t *testing.T) {
	t.Parallel()
	for language, o := range opinionWords {
		praise := &lexicon{words: map[string]int{}, prefixes: map[string]int{}, shortest: maxWord}
		praise.add(o.positive, 1)
		complaint := &lexicon{words: map[string]int{}, prefixes: map[string]int{}, shortest: maxWord}
		complaint.add(o.negative, -1)
		for w := range praise.words {
			assert.Zero(t, complaint.words[w], "%s: %s", language, w)
		}
		for w := range praise.prefixes {
			assert.Zero(t, complaint.prefixes[w], "%s: %s*", language, w)
		}
		assert.NotEmpty(t, lexicons[language].negators, language)
	}
}

func TestLookUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, word string
		polarity       int
		denies         bool
	}{
		{"en", "wonderful", 1, false},
		{"en", "disappointed", -1, false},
		{"en", "not", 0, true},
		{"en", "table", 0, false},
		{"ar", "رائعه", 1, false},
		{"xx", "good", 0, false},
	} {
		polarity, denies := lexicons[c.language].of([]rune(c.word))
		assert.Equal(t, c.polarity, polarity, c.word)
		assert.Equal(t, c.denies, denies, c.word)
	}
}
