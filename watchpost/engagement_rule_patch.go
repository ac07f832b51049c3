package watchpost

import "time"

// RulePatch changes the fields of a rule that are not nil.
type RulePatch struct {
	Name               *string
	Disabled           *bool
	Action             *Action
	If                 ConditionsPatch
	Templates          *[]string
	PerDay             *int
	Hours              *DailyHours
	MinPause, MaxPause *time.Duration
	Approval           *bool
}

// ConditionsPatch changes the conditions that are not nil.
type ConditionsPatch struct {
	Labels, Sentiments, Levels, Languages, Authors *[]string
	Keyword                                        *string
	MinRelevance                                   *float64
	MaxAge                                         *time.Duration
}

// Apply returns the changed rule in canonical form. The error names the first
// field that is invalid.
func (p *RulePatch) Apply(r EngagementRule) (EngagementRule, error) {
	set(&r.Name, p.Name)
	set(&r.Disabled, p.Disabled)
	if p.Action != nil && *p.Action != r.Action {
		r.Action = *p.Action
		if r.Action == ActionLike {
			r.Templates = nil
		}
	}
	r.If = p.If.Apply(r.If)
	set(&r.Templates, p.Templates)
	set(&r.PerDay, p.PerDay)
	set(&r.Hours, p.Hours)
	set(&r.MinPause, p.MinPause)
	set(&r.MaxPause, p.MaxPause)
	set(&r.Approval, p.Approval)
	return r.Clean()
}

// Apply returns the changed conditions, not yet cleaned.
func (p *ConditionsPatch) Apply(c PostConditions) PostConditions {
	set(&c.Labels, p.Labels)
	set(&c.Sentiments, p.Sentiments)
	set(&c.Levels, p.Levels)
	set(&c.Languages, p.Languages)
	set(&c.Authors, p.Authors)
	set(&c.Keyword, p.Keyword)
	set(&c.MinRelevance, p.MinRelevance)
	set(&c.MaxAge, p.MaxAge)
	return c
}

// NewRule returns a rule with the defaults of its action, before the request's values are
// applied: comments wait for approval, and accounts act on weekdays from nine to six.
func NewRule(w WatchlistID, action Action, now time.Time) EngagementRule {
	return EngagementRule{
		Watchlist: w, Action: action, CreatedAt: now, PerDay: DefaultRuleDaily, MinPause: DefaultMinPause, MaxPause: DefaultMaxPause,
		Hours:    DailyHours{Days: []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}, From: 9 * 60, Until: 18 * 60},
		Approval: action == ActionComment,
	}
}
