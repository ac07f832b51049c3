package watchpost

import (
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
