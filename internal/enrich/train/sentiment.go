package main

import (
	"fmt"
	"slices"
	"strings"

	"watchpost/internal/enrich/language"
	"watchpost/internal/enrich/sentiment"
)

// sentimentCommand trains the sentiment model.
type sentimentCommand struct {
	Corpus  string `type:"existingfile" required:"" help:"The corpus of posts; only its training part is learnt from."`
	Out     string `default:"internal/enrich/sentiment/model.bin" help:"The model file to write."`
	Folds   int    `help:"Instead of writing a model, say how well those learnt from all but one of so many parts of the training part do on that one."`
	Measure bool   `help:"Instead of writing a model, say how well the one that is there does on the validation part. Not for tuning."`
}

// Run trains the model and writes it, or measures it.
func (c *sentimentCommand) Run() error {
	part := trainingPart
	if c.Measure {
		part = validationPart
	}
	posts, err := readPosts(c.Corpus, part)
	if err != nil {
		return err
	}
	var table confusions
	switch {
	case c.Measure:
		for _, p := range posts {
			table.add(p, sentiment.Of(p.Text, language.Detect(p.Text)))
		}
	case c.Folds > 1:
		for fold := range c.Folds {
			learn, judge := foldOf(posts, fold, c.Folds)
			model := sentiment.Train(examples(learn))
			for _, p := range judge {
				table.add(p, model.Of(p.Text, language.Detect(p.Text)))
			}
		}
	default:
		fmt.Fprintf(out, "%d posts\n", len(posts))
		return writeModel(c.Out, sentiment.Train(examples(posts)).Write)
	}
	table.print()
	return nil
}

// examples converts posts for the learner, with the detected language, which
// the model will also use.
func examples(posts []post) []sentiment.Example {
	list := make([]sentiment.Example, len(posts))
	for i, p := range posts {
		list[i] = sentiment.Example{Text: p.Text, Language: language.Detect(p.Text), Sentiment: p.Sentiment}
	}
	return list
}

// foldOf splits posts: one fold of each language and sentiment is used for
// evaluation.
func foldOf(posts []post, fold, folds int) (learn, judge []post) {
	seen := map[string]int{}
	for _, p := range posts {
		kind := p.Language + p.Sentiment
		if seen[kind]%folds == fold {
			judge = append(judge, p)
		} else {
			learn = append(learn, p)
		}
		seen[kind]++
	}
	return learn, judge
}

var sentiments = []string{sentiment.Negative, sentiment.Neutral, sentiment.Positive}

// confusions counts predictions (columns) by human label (rows), per language.
type confusions map[string]*[3][3]int

func (c *confusions) add(p post, told string) {
	if *c == nil {
		*c = confusions{}
	}
	table := (*c)[p.Language]
	if table == nil {
		table = new([3][3]int)
		(*c)[p.Language] = table
	}
	table[slices.Index(sentiments, p.Sentiment)][slices.Index(sentiments, told)]++
}

// print prints the macro-F1 of each language, and their mean.
func (c confusions) print() {
	mean := 0.0
	fmt.Fprintf(out, "rows: %s as people said; columns: as told\n", strings.Join(sentiments, ", "))
	for _, code := range slices.Sorted(keys(c)) {
		f := macroF1(c[code])
		mean += f / float64(len(c))
		fmt.Fprintf(out, "%s  %.2f  %v\n", code, 100*f, *c[code])
	}
	fmt.Fprintf(out, "mean macro-F1 %.2f\n", 100*mean)
}

func macroF1(table *[3][3]int) float64 {
	sum := 0.0
	for i := range table {
		of := 0
		for j := range table {
			of += table[i][j] + table[j][i]
		}
		sum += 2 * float64(table[i][i]) / float64(max(of, 1))
	}
	return sum / float64(len(table))
}
