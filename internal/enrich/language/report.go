package language

import (
	"fmt"
	"io"
	"strings"

	"watchpost/internal/langcode"
)

// report prints the number of training texts of each language, and the share
// of held-out sentences (posts, where there are none) that the model detects:
// as a whole, and their first words.
func (g *group) report(l *learner, held [][]Texts, log io.Writer) {
	const first = 5
	mean, worst := 0.0, 1.0
	for i, name := range l.names {
		learnt, kept := merge(l.texts[i]), merge(held[i])
		list := kept.Sentences
		if len(list) == 0 {
			list = kept.Posts
		}
		whole, short := 0.0, 0.0
		for _, s := range list {
			if g.detect(s) == g.Codes[i] {
				whole += 1 / float64(len(list))
			}
			words := strings.Fields(s)
			if g.detect(strings.Join(words[:min(first, len(words))], " ")) == g.Codes[i] {
				short += 1 / float64(len(list))
			}
		}
		mean, worst = mean+whole/float64(len(l.names)), min(worst, whole)
		fmt.Fprintf(log, "%-8s %5d posts %5d sentences %3d own %4d words; of %4d held out %5.1f %%, %d words of them %5.1f %%\n",
			name, len(learnt.Posts), len(learnt.Sentences), len(learnt.Own), len(learnt.Words), len(list), 100*whole, first, 100*short)
	}
	fmt.Fprintf(log, "mean %.2f %%, worst %.1f %%; unsure below %d\n", 100*mean, 100*worst, g.Unsure)
}

// merge joins the texts of a class.
func merge(of []Texts) (all Texts) {
	for _, t := range of {
		all.Posts, all.Sentences = append(all.Posts, t.Posts...), append(all.Sentences, t.Sentences...)
		all.Own, all.Words = append(all.Own, t.Own...), append(all.Words, t.Words...)
	}
	return all
}

// detect returns the language of a text, without its hashtags.
func (g *group) detect(text string) string {
	if code, lead := g.guess(text, false); lead >= 0 {
		return code
	}
	return langcode.Undetermined
}
