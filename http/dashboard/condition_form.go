package dashboard

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchpost/actors"
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

// ruleText says what a rule does.
func ruleText(rv actors.RuleView) string {
	r := &rv.Rule
	text := "Like"
	if r.Action == watchpost.ActionComment {
		text = "Comment"
	}
	conditions := conditionTexts(&r.If)
	if len(conditions) == 0 {
		text += " on every post"
		if r.Action == watchpost.ActionLike {
			text = "Like every post"
		}
	} else {
		text += " if " + strings.Join(conditions, ", ")
	}
	var names []string
	for _, m := range rv.Members {
		names = append(names, nameOf(m))
	}
	text += ". " + some(names) + ", at most " + number(r.PerDay) + " a day each, " + hoursText(r.Hours) + "."
	if r.Approval {
		text += " Each waits for approval."
	}
	return text
}

// conditionTexts are the conditions in words.
func conditionTexts(c *watchpost.PostConditions) (parts []string) {
	either := func(what string, values []string) {
		if len(values) > 0 {
			parts = append(parts, what+" "+strings.Join(values, " or "))
		}
	}
	either("the label is", c.Labels)
	either("sentiment is", c.Sentiments)
	either("seniority is", c.Levels)
	either("language is", c.Languages)
	either("the author is", c.Authors)
	if c.Keyword != "" {
		parts = append(parts, "the keyword is “"+c.Keyword+"”")
	}
	if c.MinRelevance > 0 {
		parts = append(parts, "relevance is "+decimal(c.MinRelevance)+" or more")
	}
	if c.MaxAge > 0 {
		parts = append(parts, "at most "+decimal(c.MaxAge.Hours())+" h old")
	}
	return parts
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// hoursText says when a rule acts.
func hoursText(h watchpost.DailyHours) string {
	days := "every day"
	if len(h.Days) > 0 && len(h.Days) < 7 {
		var names []string
		for _, day := range week {
			if slices.Contains(h.Days, day) {
				names = append(names, day.String()[:3])
			}
		}
		days = strings.Join(names, " ")
	}
	zone := h.Zone
	if zone == "" {
		zone = "UTC"
	}
	return days + " " + timeOfDay(h.From) + " to " + timeOfDay(h.Until) + " " + zone
}

// clockIn says when a moment is in the zone of a rule's hours, so that a row has one zone.
func clockIn(t, now time.Time, zone string) string {
	in, err := time.LoadLocation(zone)
	if err != nil || zone == "" {
		in, zone = time.UTC, "UTC"
	}
	format := "Mon 2 Jan 15:04 "
	if t.Sub(now).Abs() < 24*time.Hour {
		format = "15:04 "
	}
	return t.In(in).Format(format) + zone
}

// week begins on Monday.
var week = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}

// timeOfDay writes minutes after midnight as ParseMinutes reads them.
func timeOfDay(minutes int) string {
	two := func(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }
	return two(minutes/60) + ":" + two(minutes%60)
}
