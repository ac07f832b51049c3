package main

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"watchpost/internal/enrich/language"
)

// TestLanguageTexts: training reads the sentences of both folders without those
// for measuring, and leaves English posts out of Hindi in Latin letters.
func TestLanguageTexts(t *testing.T) {
	t.Parallel()
	list, kept := "", 0
	for i := range 200 {
		line := fmt.Sprintf("The sentence with the letters %c%c", 'a'+i%26, 'a'+i/26)
		list += line + "\n"
		if !language.HeldOut(line) {
			kept++
		}
	}
	require.Less(t, kept, 195)
	require.Greater(t, kept, 160)
	corpus := fstest.MapFS{
		"sentences/en.txt":       {Data: []byte(list)},
		"sentences-cc-by/en.txt": {Data: []byte(list)},
	}
	texts, err := languageTexts(corpus, []post{
		{Language: "hi", Text: "the sentence with letters"},
		{Language: "hi", Text: "yeh sentence accha hai bhai"},
		{Language: "de", Text: "Ein Satz"},
	})
	require.NoError(t, err)
	require.Len(t, texts["en"].Sentences, 2*kept)
	for _, line := range texts["en"].Sentences {
		require.False(t, language.HeldOut(line), line)
	}
	require.Equal(t, []string{"yeh accha hai bhai"}, texts[language.Romanised].Posts)
	require.Equal(t, []string{"Ein Satz"}, texts["de"].Posts)
	require.NotEmpty(t, texts["de"].Own)
	require.Contains(t, texts[language.Names].Words, "Kubernetes")

	_, err = languageTexts(fstest.MapFS{"sentences/en.txt": {Data: []byte(list)}}, nil)
	require.ErrorContains(t, err, "sentences-cc-by")
}
