package api

import (
	"fmt"
	"strings"
	"time"

	"watchpost/watchpost"
)

// Conditions on posts and hours of the day, which rules and notifications share.

// conditionFields are the conditions of a request; absent ones are not changed.
type conditionFields struct {
	Labels       *[]string `json:"labels,omitempty"`
	Sentiments   *[]string `json:"sentiments,omitempty"`
	MinRelevance *float64  `json:"min_relevance,omitempty" example:"6"`
	Levels       *[]string `json:"seniority_levels,omitempty"`
	Languages    *[]string `json:"languages,omitempty"`
	Authors      *[]string `json:"authors,omitempty"`
	Keyword      *string   `json:"keyword,omitempty" maxLength:"100,own" example:"battery storage"`
	MaxAge       *float64  `json:"max_age_hours,omitempty" example:"24"`
}

// conditionTexts are the errors of conditions.
var conditionTexts = []string{
	"Invalid 'labels'", "Invalid 'sentiments'", "Invalid 'min_relevance'", "Invalid 'seniority_levels'", "Invalid 'languages'",
	"Invalid 'authors'", "Invalid 'keyword'", "Invalid 'max_age_hours'",
}

func (f *conditionFields) patch() watchpost.ConditionsPatch {
	p := watchpost.ConditionsPatch{Labels: f.Labels, Sentiments: f.Sentiments, Levels: f.Levels, Languages: f.Languages,
		Authors: f.Authors, Keyword: f.Keyword, MinRelevance: f.MinRelevance}
	if f.MaxAge != nil {
		age := hours(*f.MaxAge)
		p.MaxAge = &age
	}
	return p
}

// hours returns a number of hours; one that is out of any bound is -1.
func hours(n float64) time.Duration {
	if !(n >= 0 && n <= 24*366) {
		return -1
	}
	return time.Duration(n * float64(time.Hour))
}

// shownConditions are the conditions of a reply.
type shownConditions struct {
	Labels       []string `json:"labels" validate:"required"`
	Sentiments   []string `json:"sentiments" validate:"required"`
	MinRelevance float64  `json:"min_relevance"`
	Levels       []string `json:"seniority_levels" validate:"required"`
	Languages    []string `json:"languages" validate:"required"`
	Authors      []string `json:"authors" validate:"required"`
	Keyword      string   `json:"keyword"`
	MaxAge       float64  `json:"max_age_hours"`
}

func showConditions(c *watchpost.PostConditions) shownConditions {
	return shownConditions{textsOrNone(c.Labels), textsOrNone(c.Sentiments), c.MinRelevance, textsOrNone(c.Levels), textsOrNone(c.Languages), textsOrNone(c.Authors), c.Keyword, c.MaxAge.Hours()}
}

// textsOrNone returns a list that is never null.
func textsOrNone(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// dailyHours are hours of the day in requests and replies.
type dailyHours struct {
	Days  []string `json:"days,omitempty"`
	From  string   `json:"from" example:"09:00"`
	Until string   `json:"until" example:"17:00"`
	Zone  string   `json:"time_zone,omitempty" example:"Europe/Berlin"`
}

// hours returns the hours, not yet cleaned; those that cannot be read are not valid.
func (d *dailyHours) hours() watchpost.DailyHours {
	return watchpost.ReadHours(d.Days, d.From, d.Until, d.Zone)
}

func showHours(h *watchpost.DailyHours) dailyHours {
	d := dailyHours{From: clockTime(h.From), Until: clockTime(h.Until), Zone: h.Zone}
	for _, day := range h.Days {
		d.Days = append(d.Days, strings.ToLower(day.String()))
	}
	return d
}

func clockTime(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }
