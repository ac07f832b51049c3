package watchpost

import (
	"cmp"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"watchpost/internal/reference"
	"watchpost/internal/text"
)

// RuleID names an auto-engagement rule.
type RuleID string

// EngagementRule is an auto-engagement rule: for new posts of a watchlist that
// meet its conditions it likes or comments in the names of members
// (api.md#plan-quotas).
type EngagementRule struct {
	ID        RuleID
	Watchlist WatchlistID
	Name      string
	Disabled  bool `json:",omitempty"`
	CreatedAt time.Time
	Action    Action // ActionLike or ActionComment
	If        PostConditions
	Templates []string   `json:",omitempty"` // of comments; one is chosen for each post
	Members   []MemberID // on whose accounts it acts
	// PerDay is how many actions of an account's daily allowance the rule may use.
	PerDay int
	Hours  DailyHours // when it acts
	// MinPause and MaxPause bound the random pause of an account after an action
	// of a rule.
	MinPause, MaxPause time.Duration
	// Approval lets each action wait for a member's decision.
	Approval bool `json:",omitempty"`
}

// Bounds and defaults of rules.
const (
	MaxTemplates     = 20
	DefaultRuleDaily = 10
	DefaultMinPause  = 5 * time.Minute
	DefaultMaxPause  = 25 * time.Minute
	MaxRulePause     = 12 * time.Hour
	// RuleActionKept is how long an action of a rule waits, for approval or for
	// its turn, before it lapses.
	RuleActionKept = 72 * time.Hour
	// MaxOpenRuleActions bounds the actions of a team's rules that are open.
	MaxOpenRuleActions = 200
)

// TextRuleNotFound is the error for an unknown rule.
const TextRuleNotFound = "Rule not found"

// Clean returns the rule in canonical form. The error names the first field that
// is invalid, as the API does.
func (r EngagementRule) Clean() (EngagementRule, error) {
	var err error
	if r.Name != "" {
		if r.Name, err = CleanName(r.Name); err != nil {
			return r, Errorf(Invalid, "Invalid 'name'")
		}
	}
	allowance, known := AllowanceOf(r.Action)
	if r.Action != ActionLike && r.Action != ActionComment || !known {
		return r, Errorf(Invalid, "Invalid 'action'")
	}
	if r.If, err = r.If.Clean(); err != nil {
		return r, err
	}
	if r.Templates, err = cleanTemplates(r.Action, r.Templates); err != nil {
		return r, err
	}
	if r.PerDay < 1 || r.PerDay > allowance.Limit {
		return r, Errorf(Invalid, "Invalid 'max_per_day'")
	}
	if r.Hours, err = r.Hours.Clean("working_hours"); err != nil {
		return r, err
	}
	if _, ever := r.Hours.Next(r.CreatedAt); !ever {
		return r, Errorf(Invalid, "Invalid 'working_hours'")
	}
	if r.MinPause < time.Minute || r.MaxPause < r.MinPause || r.MaxPause > MaxRulePause {
		return r, Errorf(Invalid, "Invalid 'pause_minutes'")
	}
	return r, nil
}

// templateVariables are the variables of a template, and their values.
var templateVariables = map[string]func(p *Post, m Match) string{
	"{author_name}": func(p *Post, _ Match) string { return p.AuthorName },
	"{first_name}":  func(p *Post, _ Match) string { return firstName(p) },
	"{keyword}":     func(_ *Post, m Match) string { return m.Keyword },
	"{label}": func(p *Post, m Match) string {
		if len(m.Tags) == 0 || m.Tags[0] >= len(p.Tags) {
			return ""
		}
		return p.Tags[m.Tags[0]].Name
	},
}

// titles stand before a name. With a full stop they are no first name anyway.
var titles = map[string]bool{"dr": true, "prof": true, "mr": true, "mrs": true, "ms": true, "sir": true, "dame": true, "herr": true, "frau": true}

// firstName is the first name of the person who wrote a post. It is empty for a company
// and an unknown author, and where the first word of the name is a title, an initial or
// no name: a public greeting with it would make no sense.
func firstName(p *Post) string {
	first, _, _ := strings.Cut(text.CollapseSpace(p.AuthorName), " ")
	letters := 0
	for _, r := range first {
		switch {
		case unicode.IsLetter(r):
			letters++
		case !unicode.IsMark(r) && !strings.ContainsRune("-'’", r):
			return ""
		}
	}
	if _, err := reference.ParseProfile(p.AuthorURL); err != nil || letters < 2 || titles[strings.ToLower(first)] {
		return ""
	}
	return first
}

// TemplateVariables returns the names of the variables, sorted.
func TemplateVariables() []string {
	var names []string
	for name := range templateVariables {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// maxVariable bounds the value of a variable in characters: others write it.
const maxVariable = 60

func cleanTemplates(action Action, templates []string) ([]string, error) {
	bad := Errorf(Invalid, "Invalid 'comment_templates'")
	if (action == ActionComment) != (len(templates) > 0) || len(templates) > MaxTemplates {
		return nil, bad
	}
	var kept []string
	for _, t := range templates {
		t, fits := CleanComment(t)
		rest := t
		for name := range templateVariables {
			rest = strings.ReplaceAll(rest, name, "")
		}
		if t == "" || !fits || strings.ContainsAny(rest, "{}") {
			return nil, bad
		}
		kept = append(kept, t)
	}
	return kept, nil
}

// Text returns the comment on a post: one of the templates, chosen by the post.
// Templates with a variable that has no value for the post are passed over; ok is
// false if none is left.
func (r *EngagementRule) Text(p *Post) (comment string, ok bool) {
	if r.Action != ActionComment {
		return "", true
	}
	comment, _, ok = r.filled(p)
	return comment, ok
}

// filled returns the comment on a post and the index of its template.
func (r *EngagementRule) filled(p *Post) (comment string, template int, ok bool) {
	i := slices.IndexFunc(p.Matches, func(m Match) bool { return m.Watchlist == r.Watchlist })
	if i < 0 {
		return "", 0, false
	}
	first := int(seed(string(r.ID), p.URN) % uint64(max(len(r.Templates), 1)))
	for n := range r.Templates {
		template = (first + n) % len(r.Templates)
		if comment, ok = fill(r.Templates[template], p, p.Matches[i]); ok {
			return comment, template, true
		}
	}
	return "", 0, false
}

// fill replaces the variables in one pass: a value with braces stays as it is.
func fill(template string, p *Post, m Match) (string, bool) {
	var pairs []string
	for name, value := range templateVariables {
		v := text.Clip(text.CollapseSpace(value(p, m)), maxVariable)
		if v == "" && strings.Contains(template, name) {
			return "", false
		}
		pairs = append(pairs, name, v)
	}
	filled := strings.NewReplacer(pairs...).Replace(template)
	return filled, utf8.RuneCountInString(filled) <= MaxComment
}

// seed is a number that looks random and is always the same for the same texts,
// so that a decision that is taken again after a crash comes out alike.
func seed(parts ...string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(parts, "\x00")))
	x := h.Sum64() // mixed: similar texts have similar hashes
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}

// Wants reports whether the rule would act on a post at now, as far as the post
// alone decides.
func (r *EngagementRule) Wants(p *Post, tagging *Tagging, now time.Time) bool {
	done := p.Liked
	if r.Action == ActionComment {
		done = p.Commented
	}
	return !r.Disabled && !done && p.Source != SourceForum && r.If.Hold(p, map[WatchlistID]bool{r.Watchlist: true}, tagging, now)
}

// Pace is how an account has acted for rules.
type Pace struct {
	NotBefore time.Time      // the end of the pause after its last action
	Day       string         // Daily.Key of Done
	Done      map[RuleID]int // actions of that day
}

// After returns the pace after an action of a rule that ended at now. id names the
// action; the length of the pause depends on it.
func (r *EngagementRule) After(p Pace, id RuleActionID, now time.Time) Pace {
	next := Pace{Day: Daily.Key(now), Done: map[RuleID]int{}}
	if p.Day == next.Day {
		maps.Copy(next.Done, p.Done)
	}
	next.Done[r.ID]++
	return r.Paused(next, id, now)
}

// Paused returns the pace with a pause from now on.
func (r *EngagementRule) Paused(p Pace, id RuleActionID, now time.Time) Pace {
	p.NotBefore = now.Add(randomPause(r.MinPause, r.MaxPause, string(id)))
	return p
}

// randomPause returns a pause within bounds. It derives the pause from the name of the
// preceding action, so a restart does not change it.
func randomPause(shortest, longest time.Duration, after string) time.Duration {
	if spread := longest - shortest; spread > 0 {
		return shortest + time.Duration(seed(after)%uint64(spread))
	}
	return shortest
}

// NextStart returns the first moment at or after now at which the rule may act on
// an account: within its hours, after the pause and within its daily part.
func (r *EngagementRule) NextStart(p Pace, now time.Time) time.Time {
	at := now
	if p.NotBefore.After(at) {
		at = p.NotBefore
	}
	for range 20 {
		open, ok := r.Hours.Next(at)
		if !ok {
			return at.Add(RuleActionKept) // never; Clean refuses it
		}
		if at = open; Daily.Key(at) != p.Day || p.Done[r.ID] < r.PerDay {
			break
		}
		at = Daily.Reset(at)
	}
	return at
}

// CompareRules orders rules as they were made.
func CompareRules(a, b EngagementRule) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// AutoName returns the name of a rule without a given name.
func (r *EngagementRule) AutoName(watchlist string) string {
	verb := "Like: "
	if r.Action == ActionComment {
		verb = "Comment: "
	}
	return text.Clip(verb+watchlist, MaxName)
}

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
