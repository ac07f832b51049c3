package main

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"watchpost/internal/enrich/language"
)

// languageCommand trains the language model.
type languageCommand struct {
	Corpus string `type:"existingdir" required:"" env:"WATCHPOST_CORPUS_DIR" help:"Folder with posts.jsonl and the folders of sentences that README.md names. Held-out parts are not read."`
	Out    string `default:"internal/enrich/language/model.bin" help:"The model file to write."`
}

// own holds texts written for this purpose, in a file for each language:
// sentences, and words that are frequent.
//
//go:embed sentences words
var own embed.FS

// sentenceFolders are the folders of the corpus with a file of sentences for
// each language.
var sentenceFolders = []string{"sentences", "sentences-cc-by"}

// Run trains the model and writes it.
func (c *languageCommand) Run() error {
	posts, err := readPosts(filepath.Join(c.Corpus, "posts.jsonl"), trainingPart)
	if err != nil {
		return err
	}
	texts, err := languageTexts(os.DirFS(c.Corpus), posts)
	if err != nil {
		return err
	}
	model, err := language.Train(texts, out)
	if err != nil {
		return err
	}
	return writeModel(c.Out, model.Write)
}

// languageTexts collects the training texts of each language.
func languageTexts(corpus fs.FS, posts []post) (map[string]language.Texts, error) {
	texts := map[string]language.Texts{}
	for _, dir := range sentenceFolders {
		err := readLines(corpus, dir, func(name string, lines []string) {
			t := texts[name]
			for _, line := range lines {
				if !language.HeldOut(line) {
					t.Sentences = append(t.Sentences, line)
				}
			}
			texts[name] = t
		})
		if err != nil {
			return nil, err
		}
	}
	addPosts(texts, posts)
	err := readLines(own, "sentences", func(name string, lines []string) {
		t := texts[name]
		t.Own = lines
		texts[name] = t
	})
	if err != nil {
		return nil, err
	}
	return texts, readLines(own, "words", func(name string, lines []string) {
		t := texts[name]
		t.Words = strings.Fields(strings.Join(lines, " "))
		texts[name] = t
	})
}

// readLines calls f with the lines of each text file of a folder, and its name
// without the suffix.
func readLines(files fs.FS, dir string, f func(name string, lines []string)) error {
	list, err := fs.Glob(files, path.Join(dir, "*.txt"))
	if err != nil || len(list) == 0 {
		return fmt.Errorf("no text files in %s (%w)", dir, err)
	}
	for _, file := range list {
		content, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		f(strings.TrimSuffix(path.Base(file), ".txt"), strings.Split(strings.TrimSpace(string(content)), "\n"))
	}
	return nil
}

// romanisedShare is the share of English words below which a Hindi post is
// used for training; englishWords is the number of frequent words for that
// test.
const (
	romanisedShare = 0.4
	englishWords   = 4000
)

// addPosts adds posts to the texts of their languages.
func addPosts(texts map[string]language.Texts, posts []post) {
	english := frequent(texts["en"].Sentences, englishWords)
	for _, p := range posts {
		name := p.Language
		if name == "hi" {
			// Much of it is English with a few words of Hindi, which identify
			// it.
			if shareOf(p.Text, english) >= romanisedShare {
				continue
			}
			name, p.Text = language.Romanised, without(p.Text, english)
		}
		t := texts[name]
		t.Posts = append(t.Posts, p.Text)
		texts[name] = t
	}
}

// frequent returns the most frequent words of some lines.
func frequent(lines []string, most int) map[string]bool {
	counts := map[string]int{}
	for _, line := range lines {
		for w := range plainWords(line) {
			counts[w]++
		}
	}
	list := slices.SortedFunc(keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	set := map[string]bool{}
	for _, w := range list[:min(most, len(list))] {
		set[w] = true
	}
	return set
}

// shareOf returns the share of the words of a text that are in a set.
func shareOf(text string, set map[string]bool) float64 {
	n, in := 0, 0
	for w := range plainWords(text) {
		n++
		if set[w] {
			in++
		}
	}
	return float64(in) / float64(max(n, 1))
}

// without removes the longer words of a set from a text. The shorter ones may
// be Hindi words with the same spelling.
func without(text string, set map[string]bool) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(w string) bool {
		w = strings.TrimFunc(strings.ToLower(w), func(r rune) bool { return !unicode.IsLetter(r) })
		return len(w) >= shortWord && set[w]
	}), " ")
}

// shortWord is the minimum length in bytes of a removed English word.
const shortWord = 4

func plainWords(text string) func(func(string) bool) {
	return strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
}
