// Command frequencies writes the table with which package interpret separates
// topical words from generic ones. It counts, for each language, in how many texts
// of a corpus each word and each pair of neighboring words occurs, and keeps the
// frequent ones by level. The names of countries come from the Unicode locale data
// of golang.org/x/text.
//
//	go run ./internal/interpret/frequencies -corpus DIR -out internal/interpret/frequencies.txt
//
// DIR contains posts.jsonl (language, text) and sentences/LANGUAGE.txt. The table
// contains no text of the corpus.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"watchpost/internal/text"
)

// read holds the languages whose words are all counted. For other languages the
// table has only the most common words, to detect the language.
var read = []string{"ar", "de", "en", "es", "fr", "hi", "hi-Latn", "it", "pt"}

// Minimum numbers of texts with a word or pair, and the number of words of a
// language that is only detected.
const (
	leastWord = 4
	leastPair = 9
	known     = 70
)

func main() {
	corpus := flag.String("corpus", "", "directory of the corpus")
	out := flag.String("out", "internal/interpret/frequencies.txt", "file to write")
	flag.Parse()
	table, err := Table(*corpus)
	if err == nil {
		err = os.WriteFile(*out, []byte(table), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "frequencies:", err)
		os.Exit(1)
	}
}

// counts holds the numbers of a language's texts with each word and pair.
type counts struct {
	texts        int
	words, pairs map[string]int
}

// Table returns the table of a corpus.
func Table(corpus string) (string, error) {
	all := map[string]*counts{}
	if err := sentences(all, filepath.Join(corpus, "sentences")); err != nil {
		return "", err
	}
	if err := posts(all, filepath.Join(corpus, "posts.jsonl")); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Made by package frequencies. LANGUAGE LEVEL word…: at level n a word is in about 2^(n/2) of a million texts.\n")
	for _, lang := range slices.Sorted(maps.Keys(all)) {
		c := all[lang]
		if c.texts < 300 {
			continue
		}
		if !slices.Contains(read, lang) {
			fmt.Fprintf(&b, "%s - %s\n", lang, strings.Join(commonest(c.words), " "))
			continue
		}
		kept := map[string]int{}
		for w, n := range c.words {
			if n >= leastWord {
				kept[w] = n
			}
		}
		for p, n := range c.pairs {
			if n >= leastPair {
				kept[p] = n
			}
		}
		levels := map[int][]string{}
		for w, n := range kept {
			l := int(math.Round(2 * math.Log2(float64(n)/float64(c.texts)*1e6)))
			levels[l] = append(levels[l], w)
		}
		for _, l := range slices.Backward(slices.Sorted(maps.Keys(levels))) {
			slices.Sort(levels[l])
			fmt.Fprintf(&b, "%s %d %s\n", lang, l, strings.Join(levels[l], " "))
		}
	}
	countries(&b)
	return b.String(), nil
}

func commonest(words map[string]int) []string {
	all := slices.Collect(maps.Keys(words))
	slices.SortFunc(all, func(x, y string) int { return cmp.Or(words[y]-words[x], strings.Compare(x, y)) })
	return all[:min(known, len(all))]
}

func sentences(all map[string]*counts, dir string) error {
	files := os.DirFS(dir)
	return fs.WalkDir(files, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txt" {
			return err
		}
		text, err := fs.ReadFile(files, path)
		for line := range strings.Lines(string(text)) {
			add(all, strings.TrimSuffix(filepath.Base(path), ".txt"), line)
		}
		return err
	})
}

func posts(all map[string]*counts, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened for reading
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var post struct{ Language, Text string }
		if err := json.Unmarshal(lines.Bytes(), &post); err != nil {
			return err
		}
		if post.Language == "hi" && !strings.ContainsFunc(post.Text, func(r rune) bool { return unicode.Is(unicode.Devanagari, r) }) {
			post.Language = "hi-Latn"
		}
		add(all, post.Language, post.Text)
	}
	return lines.Err()
}

// add counts one text.
func add(all map[string]*counts, lang, content string) {
	c := all[lang]
	if c == nil {
		c = &counts{words: map[string]int{}, pairs: map[string]int{}}
		all[lang] = c
	}
	c.texts++
	seen := map[string]bool{}
	before := ""
	for f := range strings.FieldsSeq(text.Normalize(content)) {
		w := strings.TrimFunc(f, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) })
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) && r != '\'' }) || f[0] == '@' || f[0] == '#' {
			before = ""
			continue
		}
		if !seen[w] {
			seen[w] = true
			c.words[w]++
		}
		if pair := before + "_" + w; before != "" && !seen[pair] {
			seen[pair] = true
			c.pairs[pair]++
		}
		if before = w; !strings.HasSuffix(f, w) {
			before = "" // a sign separates the words
		}
	}
}

// countries writes the names of each country in the supported languages.
func countries(b *strings.Builder) {
	for x := 'A'; x <= 'Z'; x++ {
		for y := 'A'; y <= 'Z'; y++ {
			r, err := language.ParseRegion(string(x) + string(y))
			if err != nil || !r.IsCountry() || r.Canonicalize() != r {
				continue
			}
			var names []string
			for _, l := range read {
				if l == "hi-Latn" {
					continue // English names are also common
				}
				name, _, _ := strings.Cut(display.Regions(language.Make(l)).Name(r), " (")
				if name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			if len(names) > 0 {
				fmt.Fprintf(b, "@%s %s\n", r, strings.Join(names, "|"))
			}
		}
	}
}
