package enrich

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/text"
)

// TestStemsOnce: each word is stemmed once, however many words of labels share
// its start, and not once per pair.
func TestStemsOnce(t *testing.T) {
	t.Parallel()
	const letters = "abcdefghijklmnopqrstuvwxyz"
	var post, asked []string
	for i := range letters {
		for j := range letters {
			post = append(post, "con"+letters[i:i+1]+letters[j:j+1])
			asked = append(asked, "con"+letters[i:i+1]+letters[j:j+1]+"zx")
		}
	}
	content := strings.Join(post, " ")
	folded := newFolded(content, text.New(content), "en")
	calls := 0
	folded.stem = func(language, word string) string {
		calls++
		return text.Stem(language, word)
	}
	require.Zero(t, folded.distinct(asked))
	require.Equal(t, len(post)+len(asked), calls)
}
