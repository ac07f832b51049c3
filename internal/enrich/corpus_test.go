package enrich_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/internal/enrich"
)

// Minimum scores of the models on unseen posts. Both are below the measured
// ones (README.md of train), so that they detect a broken model only.
const (
	leastLanguage  = 0.98 // of posts with languageLetters letters or more, without Hindi in Latin letters
	leastSentiment = 0.55 // mean macro-F1 of eight languages

	languageLetters = 20
)

// sample is a line of the corpus.
type sample struct{ ID, Language, Sentiment, Text string }

// corpus reads the validation part of the file named by WATCHPOST_CORPUS,
// which is never used for training, or skips the test.
func corpus(t *testing.T) []sample {
	t.Helper()
	path := cmp.Or(os.Getenv("WATCHPOST_CORPUS"), "../../../shared/corpus/posts.jsonl")
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("no corpus at %s: name the file in WATCHPOST_CORPUS", path)
	}
	defer f.Close()
	var all []sample
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var s sample
		require.NoError(t, json.Unmarshal(lines.Bytes(), &s))
		if strings.Contains(s.ID, "-val-") {
			all = append(all, s)
		}
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, all)
	return all
}

func TestCorpusLanguage(t *testing.T) {
	right, total := map[string]int{}, map[string]int{}
	for _, s := range corpus(t) {
		if s.Language == "hi" || plainLetters(s.Text) < languageLetters {
			continue
		}
		total[s.Language]++
		if understood(s.Text).Language == s.Language {
			right[s.Language]++
		}
	}
	r, n := 0, 0
	for code := range total {
		t.Logf("%s: %.1f %% of %d", code, 100*float64(right[code])/float64(total[code]), total[code])
		r, n = r+right[code], n+total[code]
	}
	t.Logf("all: %.2f %% of %d", 100*float64(r)/float64(n), n)
	require.Greater(t, float64(r)/float64(n), leastLanguage)
}

// plainLetters counts the letters outside of names, tags and URLs.
func plainLetters(text string) int {
	n := 0
	for w := range strings.FieldsSeq(text) {
		if w[0] == '@' || w[0] == '#' || strings.HasPrefix(w, "http") {
			continue
		}
		for _, r := range w {
			if unicode.IsLetter(r) {
				n++
			}
		}
	}
	return n
}

func TestCorpusSentiment(t *testing.T) {
	type cell struct{ language, gold, told string }
	cells := map[cell]int{}
	for _, s := range corpus(t) {
		cells[cell{s.Language, s.Sentiment, understood(s.Text).Sentiment}]++
	}
	classes := []string{"positive", "neutral", "negative"}
	f1 := func(language string) float64 {
		sum := 0.0
		for _, c := range classes {
			of := 0
			for _, other := range classes {
				of += cells[cell{language, c, other}] + cells[cell{language, other, c}]
			}
			sum += 2 * float64(cells[cell{language, c, c}]) / float64(max(of, 1))
		}
		return sum / float64(len(classes))
	}
	mean, languages := 0.0, []string{"ar", "de", "en", "es", "fr", "hi", "it", "pt"}
	for _, language := range languages {
		t.Logf("%s: macro-F1 %.3f", language, f1(language))
		mean += f1(language) / float64(len(languages))
	}
	t.Logf("mean: %.3f", mean)
	require.Greater(t, mean, leastSentiment)
}

// understood returns an enriched post with a text.
func understood(text string) *watchpost.Post {
	p := &watchpost.Post{Content: text}
	enrich.Post(p, enrich.Context{})
	return p
}
