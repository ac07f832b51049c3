package watchpost

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"watchpost/internal/langcode"
	"watchpost/internal/reference"
	"watchpost/internal/text"
)

// PostConditions select posts, for rules and notifications. The zero value of a
// field is no condition; all that are given must hold.
type PostConditions struct {
	Labels       []string      `json:",omitempty"` // any of them
	Sentiments   []string      `json:",omitempty"` // any of them
	Levels       []string      `json:",omitempty"` // seniority of the author, any of them
	Languages    []string      `json:",omitempty"` // any of these codes
	Authors      []string      `json:",omitempty"` // people or companies, any of them, as given
	Keyword      string        `json:",omitempty"` // of the watchlist, for which the post was collected
	MinRelevance float64       `json:",omitempty"`
	MaxAge       time.Duration `json:",omitempty"` // since the publication
}

// Bounds of conditions.
const (
	// MaxConditionValues bounds the values of one condition.
	MaxConditionValues = 50
	// MaxConditionAge bounds PostConditions.MaxAge.
	MaxConditionAge = 90 * 24 * time.Hour
	maxRelevance    = 10

	sentimentNegative = "negative"
)

// Clean returns the conditions with their values in canonical form. The error
// names the first field that is invalid, as the API does.
func (c PostConditions) Clean() (PostConditions, error) {
	var err error
	each := func(field string, values []string, parse func(string) (string, bool)) (kept []string) {
		if err == nil && len(values) > MaxConditionValues {
			err = Errorf(Invalid, "Invalid '%s'", field)
		}
		for _, v := range values {
			v, ok := parse(text.CollapseSpace(v))
			if err == nil && !ok {
				err = Errorf(Invalid, "Invalid '%s'", field)
			}
			if !slices.Contains(kept, v) {
				kept = append(kept, v)
			}
		}
		return kept
	}
	c.Labels = each("labels", c.Labels, func(s string) (string, bool) { return s, s != "" && utf8.RuneCountInString(s) <= MaxLabel })
	c.Sentiments = each("sentiments", c.Sentiments, func(s string) (string, bool) {
		s = strings.ToLower(s)
		return s, slices.Contains(sentiments, s)
	})
	if err == nil && !(c.MinRelevance >= 0 && c.MinRelevance <= maxRelevance) {
		err = Errorf(Invalid, "Invalid '%s'", "min_relevance")
	}
	c.Levels = each("seniority_levels", c.Levels, func(s string) (string, bool) {
		level, unknown := ParseSeniority(s)
		return level, unknown == nil
	})
	c.Languages = each("languages", c.Languages, langcode.Parse)
	c.Authors = each("authors", c.Authors, func(s string) (string, bool) {
		_, unknown := reference.ParseAuthor(s)
		return s, unknown == nil && utf8.RuneCountInString(s) <= MaxURL
	})
	c.Keyword = text.CollapseSpace(c.Keyword)
	if err == nil && utf8.RuneCountInString(c.Keyword) > MaxKeyword {
		err = Errorf(Invalid, "Invalid '%s'", "keyword")
	}
	if err == nil && (c.MaxAge < 0 || c.MaxAge > MaxConditionAge) {
		err = Errorf(Invalid, "Invalid '%s'", "max_age_hours")
	}
	return c, err
}

// query returns the conditions that GET /api-posts knows too, so that a label or
// a level has one meaning.
func (c *PostConditions) query(live map[WatchlistID]bool, names *Tagging) PostQuery {
	q := PostQuery{Live: live, Labels: c.Labels, Sentiments: c.Sentiments, Levels: c.Levels, Languages: c.Languages, Keyword: c.Keyword}
	if live != nil {
		q.Tagging = &Tagging{Live: live}
		if names != nil {
			q.Tagging.Names = names.Names
		}
	}
	for _, author := range c.Authors {
		if r, err := reference.ParseAuthor(author); err == nil {
			q.People = append(q.People, r.Key())
		}
	}
	return q
}

// Hold reports whether the conditions hold at now for a post that one of the
// watchlists in live collected. Labels and keywords are those of these
// watchlists. tagging says which tags count; nil means all.
func (c *PostConditions) Hold(p *Post, live map[WatchlistID]bool, tagging *Tagging, now time.Time) bool {
	if p.Relevance < c.MinRelevance || c.MaxAge > 0 && now.Sub(p.PostedAt) > c.MaxAge {
		return false
	}
	q := c.query(live, tagging)
	return q.Matches(p)
}

// CountedParams returns the parameters of GET /api-posts, and of the feed, that select the
// posts which the alert of the target counts.
func (t *NotificationTarget) CountedParams() url.Values {
	c := t.conditions()
	params := url.Values{}
	add := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				params.Add(name, v)
			}
		}
	}
	add("watchlist_id", string(t.Watchlist))
	add("labels", c.Labels...)
	add("sentiment", c.Sentiments...)
	add("seniority_level", c.Levels...)
	add("lang", c.Languages...)
	add("keyword", c.Keyword)
	for _, author := range c.Authors {
		if _, err := reference.ParseProfile(author); err == nil {
			add("people_slug", author)
		} else {
			add("company_slug", author)
		}
	}
	return params
}

// WatchlistConditions are what posts of a keyword or forum watchlist must meet besides its
// words. An empty list is no condition; a post meets the others by one of the values.
type WatchlistConditions struct {
	Languages []string `json:",omitempty"` // codes
	Levels    []string `json:",omitempty"` // seniority of the author
	Types     []string `json:",omitempty"` // kinds of post
}

// watchlistCondition is a field of WatchlistConditions: its name in the API, the filter of
// posts whose values it takes, and why it drops a post.
type watchlistCondition struct {
	field, filter string
	reason        DropReason
}

var watchlistConditions = []watchlistCondition{
	{"languages", "lang", DropLanguage},
	{"seniority_levels", "seniority_level", DropLevel},
	{"post_types", "post_type", DropType},
}

// CleanWatchlistCondition returns the values of one condition of a watchlist in canonical
// form, without duplicates. field is its name in the API, which the error has too.
func CleanWatchlistCondition(field string, given []string) (kept []string, err error) {
	i := slices.IndexFunc(watchlistConditions, func(c watchlistCondition) bool { return c.field == field })
	param := &PostFilterOf(watchlistConditions[i].filter).Params[0]
	if len(given) > MaxConditionValues {
		return nil, Errorf(Invalid, "Too many values for '%s', at most %d", field, MaxConditionValues)
	}
	for _, s := range given {
		value, err := param.Parse(text.CollapseSpace(s))
		if last := len(param.Use) - 1; err != nil && last > 0 {
			return nil, Errorf(Invalid, "Invalid '%s': use %s or %s", field, strings.Join(param.Use[:last], ", "), param.Use[last])
		}
		if err != nil {
			return nil, Errorf(Invalid, "Invalid '%s'", field)
		}
		if !slices.Contains(kept, value) {
			kept = append(kept, value)
		}
	}
	return kept, nil
}

// query returns the conditions as GET /api-posts knows them, so that a level has one
// meaning.
func (c *WatchlistConditions) query() PostQuery {
	return PostQuery{Languages: c.Languages, Levels: c.Levels, Types: c.Types}
}

// Drops returns why the conditions drop a post, whose language and level are known: the
// only one that it does not meet, or DropSeveral. "" means that it meets them all.
func (c *WatchlistConditions) Drops(p *Post) (why DropReason) {
	q := c.query()
	for _, each := range watchlistConditions {
		switch {
		case PostFilterOf(each.filter).Holds(&q, p):
		case why != "":
			return DropSeveral
		default:
			why = each.reason
		}
	}
	return why
}

// within reports whether every post that meets the conditions meets the others too.
func (c *WatchlistConditions) within(others *WatchlistConditions) bool {
	q, of := c.query(), others.query()
	for _, each := range watchlistConditions {
		values := PostFilterOf(each.filter).Params[0].Texts
		narrow, wide := *values(&q), *values(&of)
		if len(wide) > 0 && (len(narrow) == 0 || slices.ContainsFunc(narrow, func(s string) bool { return !slices.Contains(wide, s) })) {
			return false
		}
	}
	return true
}

// AlertKind is what an alert tells of; "" is no alert.
type AlertKind string

// The kinds.
const (
	AlertSpike         AlertKind = "spike"          // a day with many more posts than usual
	AlertNegativeSurge AlertKind = "negative_surge" // the same of posts with negative sentiment
)

// AlertKinds are all of them.
var AlertKinds = []AlertKind{AlertSpike, AlertNegativeSurge}

// Alert is the days that a target gets alerts for; package trend judges them. The zero Alert is none.
type Alert struct {
	Of      AlertKind
	Minimum int // posts of the day at least
}

// Bounds of Alert.Minimum.
const (
	DefaultAlertMinimum = 5
	MaxAlertMinimum     = 100_000
)

// Alerted is what an alert tells of a day.
type Alerted struct {
	Of    AlertKind
	Day   time.Time // when it begins, in UTC
	Count int       // posts
	Usual float64   // median of the four weeks before
	Words []string  `json:",omitempty"` // new in the posts
}

// CleanCounted brings what an alert counts into canonical form, whatever the other fields
// of the target say. Its error is that of Clean.
func (t *NotificationTarget) CleanCounted() (err error) {
	if t.If, err = t.If.Clean(); err != nil {
		return err
	}
	return t.cleanAlert()
}

// cleanAlert checks the alert, and that the posts of its conditions can be counted by day:
// the index of posts has no relevance, and no day has the age of its posts.
func (t *NotificationTarget) cleanAlert() error {
	switch a := t.Alert; {
	case a == Alert{}:
	case !slices.Contains(AlertKinds, a.Of):
		return Errorf(Invalid, "Invalid 'alert.of'")
	case a.Minimum < 1 || a.Minimum > MaxAlertMinimum:
		return Errorf(Invalid, "Invalid 'alert.minimum'")
	case t.If.MinRelevance > 0:
		return Errorf(Invalid, "Invalid 'min_relevance'")
	case t.If.MaxAge > 0:
		return Errorf(Invalid, "Invalid 'max_age_hours'")
	case a.Of == AlertNegativeSurge && len(t.If.Sentiments) > 0 && !slices.Contains(t.If.Sentiments, sentimentNegative):
		return Errorf(Invalid, "Invalid 'sentiments'")
	}
	return nil
}
