package enrich_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"watchpost/internal/enrich"
	"watchpost/internal/enrich/language"
	"watchpost/watchpost"
)

// Minimum scores of the models on unseen posts. Both are below the measured
// ones (README.md of train), so that they detect a broken model only.
const (
	leastLanguage  = 0.98 // of posts with languageLetters letters or more, without Hindi in Latin letters
	leastSentences = 0.97 // of whole sentences, mean of the languages
	leastWorst     = 0.90 // the worst language of these
	leastWindows   = 0.95 // of three to eight words of them
	leastSentiment = 0.55 // mean macro-F1 of eight languages

	languageLetters = 20
)

// sample is a line of the corpus.
type sample struct{ ID, Language, Sentiment, Text string }

// corpus reads the validation part of the file named by WATCHPOST_CORPUS,
// which is never used for training, or skips the test.
func corpus(t *testing.T) []sample {
	t.Helper()
	path := corpusFile()
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

func corpusFile() string {
	return cmp.Or(os.Getenv("WATCHPOST_CORPUS"), "../../../shared/corpus/posts.jsonl")
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

// TestCorpusSentences detects the sentences of the corpus that are held out, as
// a whole and in windows of three to eight words. It is the mean and the worst
// of the languages that a model tells from others.
func TestCorpusSentences(t *testing.T) {
	files := heldOut(t)
	mean, worst, short := 0.0, 1.0, 0.0
	for _, code := range slices.Sorted(maps.Keys(files)) {
		whole, windows := 0, 0
		random := rand.New(rand.NewPCG(1, 2))
		for _, s := range files[code] {
			if language.Detect(s) == code {
				whole++
			}
			if language.Detect(window(random, s)) == code {
				windows++
			}
		}
		n := float64(len(files[code]))
		t.Logf("%s: %.1f %% of %d, windows %.1f %%", code, 100*float64(whole)/n, len(files[code]), 100*float64(windows)/n)
		mean, short = mean+float64(whole)/n/float64(len(files)), short+float64(windows)/n/float64(len(files))
		worst = min(worst, float64(whole)/n)
	}
	t.Logf("mean of %d languages %.2f %%, worst %.1f %%, windows %.2f %%", len(files), 100*mean, 100*worst, 100*short)
	require.Greater(t, mean, leastSentences)
	require.Greater(t, worst, leastWorst)
	require.Greater(t, short, leastWindows)
}

// heldOut returns the held-out sentences of the corpus in the languages that a
// model tells from others.
func heldOut(t *testing.T) map[string][]string {
	t.Helper()
	corpus(t)
	files := map[string][]string{}
	for _, dir := range []string{"sentences", "sentences-cc-by"} {
		for _, code := range language.Modelled() {
			content, err := os.ReadFile(filepath.Join(filepath.Dir(corpusFile()), dir, code+".txt"))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			require.NoError(t, err)
			for line := range strings.SplitSeq(strings.TrimSpace(string(content)), "\n") {
				if language.HeldOut(line) {
					files[code] = append(files[code], line)
				}
			}
		}
	}
	require.NotEmpty(t, files)
	return files
}

// window returns three to eight words from a random position of a sentence.
func window(random *rand.Rand, sentence string) string {
	words := strings.Fields(sentence)
	n := min(3+random.IntN(6), len(words))
	from := random.IntN(len(words) - n + 1)
	return strings.Join(words[from:from+n], " ")
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
