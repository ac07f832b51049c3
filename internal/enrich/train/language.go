package main

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"watchpost/internal/enrich/language"
)

// languageCommand trains the language model.
type languageCommand struct {
	Packages string `type:"existingdir" required:"" help:"Folder with the Debian packages of LibreOffice that README.md names."`
	Corpus   string `type:"existingfile" required:"" help:"The corpus of posts; only its training part is read."`
	Out      string `default:"internal/enrich/language/model.bin" help:"The model file to write."`
}

// sentences holds sentences written for this purpose, and words frequent
// words, in a file for each language.
//
//go:embed sentences words
var own embed.FS

// Run trains the model and writes it.
func (c *languageCommand) Run() error {
	packages, err := readPackages(c.Packages)
	if err != nil {
		return err
	}
	posts, err := readPosts(c.Corpus, trainingPart)
	if err != nil {
		return err
	}
	texts, err := languageTexts(packages, posts)
	if err != nil {
		return err
	}
	for _, name := range packages.names {
		fmt.Fprintln(out, name)
	}
	for _, name := range slices.Sorted(keys(texts)) {
		t := texts[name]
		fmt.Fprintf(out, "%-8s %6d posts %6d lines %4d sentences %4d words\n", name, len(t.Posts), len(t.Lines), len(t.Sentences), len(t.Words))
	}
	model, err := language.Train(texts, out)
	if err != nil {
		return err
	}
	return writeModel(c.Out, model.Write)
}

// languageTexts collects the training texts of each language.
func languageTexts(packages *lines, posts []post) (map[string]language.Texts, error) {
	texts := map[string]language.Texts{}
	english := frequent(packages.by["en"], englishWords)
	for code := range packages.by {
		texts[code] = language.Texts{Lines: packages.of(code, english)}
	}
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
	for _, dir := range []string{"sentences", "words"} {
		files, err := own.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			content, err := own.ReadFile(path.Join(dir, f.Name()))
			if err != nil {
				return nil, err
			}
			name := strings.TrimSuffix(f.Name(), ".txt")
			t := texts[name]
			if dir == "words" {
				t.Words = strings.Fields(string(content))
			} else {
				t.Sentences = strings.Split(strings.TrimSpace(string(content)), "\n")
			}
			texts[name] = t
		}
	}
	return texts, nil
}

// romanisedShare is the share of English words below which a Hindi post is
// used for training.
const romanisedShare = 0.4

// frequent returns the most frequent words of some lines.
func frequent(lines map[string]bool, most int) map[string]bool {
	counts := map[string]int{}
	for line := range lines {
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
