package dashboard

import (
	"net/url"
	"strings"
	"time"

	"watchpost/watchpost"
)

// conditionForm are the conditions on posts in the forms of rules and of
// notification targets, as they are typed.
type conditionForm struct {
	Labels, Languages, Authors, Keyword string
	Relevance, MaxAge                   string
	Sentiments, Levels                  []choice

	sentiments, levels []string
	// entries splits labels and authors, each form as its text says.
	entries func(string) []string
}

func conditionFormOf(c *watchpost.PostConditions, entries func(string) []string) conditionForm {
	f := conditionForm{
		Labels: strings.Join(c.Labels, "\n"), Languages: strings.Join(c.Languages, ", "), Authors: strings.Join(c.Authors, "\n"), Keyword: c.Keyword,
		Relevance: someNumber(c.MinRelevance), MaxAge: someNumber(c.MaxAge.Hours()), entries: entries,
	}
	f.tick(c.Sentiments, c.Levels)
	return f
}

// tick chooses sentiments and levels.
func (f *conditionForm) tick(sentiments, levels []string) {
	f.sentiments, f.levels = sentiments, levels
	f.Sentiments = choicesNamed(watchpost.PostFilterOf("sentiment").Choices)
	f.Levels = choicesNamed(watchpost.PostFilterOf("seniority_level").Choices)
	tick(f.Sentiments, sentiments...)
	tick(f.Levels, levels...)
}

// take fills the form with the sent values.
func (f *conditionForm) take(form url.Values) {
	f.Labels, f.Languages, f.Authors, f.Keyword = form.Get("labels"), form.Get("languages"), form.Get("authors"), form.Get("keyword")
	f.Relevance, f.MaxAge = form.Get("min_relevance"), form.Get("max_age_hours")
	f.tick(form["sentiments"], form["seniority_levels"])
}

// conditions is the change that the form makes, of every condition. A text that is
// no number becomes one out of bounds.
func (f *conditionForm) conditions() watchpost.ConditionsPatch {
	return watchpost.ConditionsPatch{
		Labels: new(f.entries(f.Labels)), Sentiments: &f.sentiments, Levels: &f.levels, Languages: new(wordsOf(f.Languages)), Authors: new(f.entries(f.Authors)), Keyword: &f.Keyword,
		MinRelevance: new(numberIn(f.Relevance, 10, 0)), MaxAge: new(time.Duration(numberIn(f.MaxAge, 24*366, 0) * float64(time.Hour))),
	}
}

// Further reports whether one of the conditions is given that a form may fold away.
func (f *conditionForm) Further() bool {
	return strings.TrimSpace(f.Languages+f.Authors+f.Keyword+f.MaxAge) != "" || len(f.levels) > 0
}
