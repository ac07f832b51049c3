package sentiment_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"watchpost/internal/enrich/sentiment"
)

// TestOf: unambiguous posts.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, language, text string }{
		{"positive", "en", "Thank you all for the wonderful birthday wishes!"},
		{"negative", "en", "Worst onboarding experience ever"},
		{"neutral", "en", "We are looking for a backend developer in Porto"},
		{"positive", "de", "Herzlichen Glückwunsch an das ganze Team"},
		{"negative", "de", "Das ist eine Katastrophe, ich bin so enttäuscht"},
		{"positive", "fr", "Bravo à toute l'équipe, c'est magnifique"},
		{"negative", "fr", "Service lamentable, je suis vraiment déçu"},
		{"positive", "es", "Qué alegría, muchas gracias a todos"},
		{"negative", "es", "Qué asco, el peor servicio de mi vida"},
		{"positive", "pt", "Que lindo, amei demais esse projeto"},
		{"negative", "pt", "Péssimo atendimento, que vergonha"},
		{"positive", "it", "Complimenti, un lavoro fantastico"},
		{"negative", "it", "Che schifo, sono deluso e arrabbiato"},
		{"positive", "ar", "شكرا لكم جميعا على هذا العمل الرائع"},
		{"negative", "ar", "خدمة سيئة جدا وفاشلة"},

		// In a language without training, only emoji and emoticons decide.
		{"positive", "pl", "Spotkanie jutro o dziewiątej 🎉"},
		{"negative", "pl", "Spotkanie jutro o dziewiątej :("},
		{"neutral", "pl", "Spotkanie jutro o dziewiątej :) :("},
		{"neutral", "pl", "Great, I love it"},
		{"neutral", "und", "12:30, http://example.com:8080/ xD1"},
		{"positive", "und", "❤️"},
		{"negative", "und", "💔 </3 ❤"},
		{"neutral", "en", ""},
	} {
		assert.Equal(t, c.want, sentiment.Of(c.text, c.language), c.text)
	}
}

// FuzzOf: the result for any text is one of three words, and deterministic.
func FuzzOf(f *testing.F) {
	for _, s := range []string{"", "\xff", "@", "#", ":", ":-", "x", "….....", "http", "&amp;&lt;", "🏽", strings.Repeat("ا", 99), "جميييييل", "n'", "<", "</"} {
		f.Add(s, "en")
		f.Add(s, "ar")
		f.Add(s, "xx")
	}
	f.Fuzz(func(t *testing.T, text, language string) {
		told := sentiment.Of(text, language)
		require.Contains(t, []string{sentiment.Positive, sentiment.Neutral, sentiment.Negative}, told)
		require.Equal(t, told, sentiment.Of(text, language))
	})
}

func TestReadModelRefuses(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("model.bin")
	require.NoError(t, err)
	model, err := sentiment.ReadModel(file)
	require.NoError(t, err)
	var again bytes.Buffer
	require.NoError(t, model.Write(&again))
	require.True(t, bytes.Equal(file, again.Bytes()), "what is written is what was read")
	for name, damaged := range map[string][]byte{
		"empty":    nil,
		"cut":      file[:len(file)-1],
		"too long": append(bytes.Clone(file), 0),
		"other":    bytes.Replace(file, []byte("sentiment 1"), []byte("sentiment 9"), 1),
		"huge":     []byte(`{"format":"sentiment 1","bits":63}` + "\n"),
	} {
		_, err := sentiment.ReadModel(damaged)
		assert.Error(t, err, name)
	}
}

// TestTrain learns the meaning of made-up words, deterministically, and
// opposite meanings in two languages.
func TestTrain(t *testing.T) {
	t.Parallel()
	var examples []sentiment.Example
	for i := range 600 {
		for _, language := range []string{"aa", "bb"} {
			good, bad := "blick", "zorum"
			if language == "bb" {
				good, bad = bad, good
			}
			examples = append(examples,
				sentiment.Example{Text: fmt.Sprintf("%s mun%d", good, i%7), Language: language, Sentiment: sentiment.Positive},
				sentiment.Example{Text: fmt.Sprintf("%s mun%d", bad, i%7), Language: language, Sentiment: sentiment.Negative},
				sentiment.Example{Text: fmt.Sprintf("lorem mun%d", i%7), Language: language, Sentiment: sentiment.Neutral})
		}
	}
	model := sentiment.Train(examples)
	var first, second bytes.Buffer
	require.NoError(t, model.Write(&first))
	require.NoError(t, sentiment.Train(examples).Write(&second))
	require.True(t, bytes.Equal(first.Bytes(), second.Bytes()))
	require.Equal(t, sentiment.Positive, model.Of("blick", "aa"))
	require.Equal(t, sentiment.Negative, model.Of("blick", "bb"))
	require.Equal(t, sentiment.Neutral, model.Of("lorem", "aa"))
	require.Equal(t, sentiment.Neutral, model.Of("blick", "cc"), "not learnt")
}
