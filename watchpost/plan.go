package watchpost

import (
	"fmt"
	"strings"
	"time"
)

// Plan is a team's plan. Its quotas are in the table below
// (api.md#plan-quotas).
type Plan string

// The plans. PlanPro is a legacy name: the API shows it, and its quotas are
// those of PlanGrowth.
const (
	PlanFree     Plan = "free"
	PlanGrowth   Plan = "growth"
	PlanExpert   Plan = "expert"
	PlanUltimate Plan = "ultimate"
	PlanPro      Plan = "pro"
)

// Unlimited is the value of a quota without limit.
const Unlimited = -1

// TrackedCompanies is the maximum number of companies that a watchlist may
// follow, on any plan.
const TrackedCompanies = 200

// Parameters of the weekly limit of posts.
const (
	// RelevantFrom is the lowest relevance of a post that counts.
	RelevantFrom = 4
	// QuietWeeklyPosts is the limit of an inactive free team.
	QuietWeeklyPosts = 100
	// InactiveAfter is the time without activity of a session or a person after
	// which a team is inactive.
	InactiveAfter = 7 * 24 * time.Hour
)

// Inactive reports whether a team is inactive at now, given its last activity.
// The zero time means that there was none.
func Inactive(last, now time.Time) bool { return last.IsZero() || now.Sub(last) > InactiveAfter }

// Quotas are the limits of a plan. Zero means that the plan does not include
// the thing at all; Unlimited means no limit.
type Quotas struct {
	Watchlists            int // of the team, all types, disabled ones included
	Profiles              int // per people watchlist
	PotentialLeads        int // per watchlist and week
	Members               int
	AutoEngagementRules   int // per watchlist
	WeeklyPosts           int // per watchlist and week, relevance >= RelevantFrom
	CompaniesPerWatchlist int
}

// planQuotas is the quota table of api.md#plan-quotas, in its row
// order, one column per plan. The last two rows are decisions of this service.
var planQuotas = []struct {
	quota                          func(*Quotas) *int
	free, growth, expert, ultimate int
}{
	{func(q *Quotas) *int { return &q.Watchlists }, 2, 5, 20, 100},
	{func(q *Quotas) *int { return &q.Profiles }, 0, 200, 200, 200},
	{func(q *Quotas) *int { return &q.PotentialLeads }, 0, 400, 250, 100},
	{func(q *Quotas) *int { return &q.Members }, 5, 10, 25, Unlimited},
	{func(q *Quotas) *int { return &q.AutoEngagementRules }, 1, 2, 5, 10},
	{func(q *Quotas) *int { return &q.WeeklyPosts }, 200, 1_000, 2_500, 10_000},
	{func(q *Quotas) *int { return &q.CompaniesPerWatchlist }, TrackedCompanies, TrackedCompanies, TrackedCompanies, TrackedCompanies},
}

// ParsePlan parses a plan's name, in any case.
func ParsePlan(s string) (Plan, error) {
	switch p := Plan(strings.ToLower(strings.TrimSpace(s))); p {
	case PlanFree, PlanGrowth, PlanExpert, PlanUltimate, PlanPro:
		return p, nil
	}
	return "", Errorf(Invalid, "Invalid 'plan'")
}

// PlanAt returns the plan that applies at now: PlanFree once the team's plan
// has expired. A zero expires means never.
func PlanAt(p Plan, expires, now time.Time) Plan {
	if !expires.IsZero() && !now.Before(expires) {
		return PlanFree
	}
	return p
}

// Quotas returns the plan's column of the table. An unknown plan has the quotas
// of PlanFree.
func (p Plan) Quotas() Quotas {
	var q Quotas
	for _, row := range planQuotas {
		value := row.free
		switch p {
		case PlanGrowth, PlanPro:
			value = row.growth
		case PlanExpert:
			value = row.expert
		case PlanUltimate:
			value = row.ultimate
		}
		*row.quota(&q) = value
	}
	return q
}

// WeeklyPosts returns how many relevant posts a watchlist may store in a week.
// quiet affects free teams only.
func (p Plan) WeeklyPosts(quiet bool) int {
	limit := p.Quotas().WeeklyPosts
	if quiet && p.Quotas() == PlanFree.Quotas() {
		return min(limit, QuietWeeklyPosts)
	}
	return limit
}

// CheckWatchlists returns an error if a team with have watchlists may not
// create another one.
func (p Plan) CheckWatchlists(have int) error {
	limit := p.Quotas().Watchlists
	if within(have+1, limit) {
		return nil
	}
	return Errorf(PlanLimit, "Your plan includes up to %s. Upgrade your plan or delete a watchlist to create another.",
		counted(limit, "watchlist"))
}

// CheckMembers returns an error if a team with have members may not add another
// one.
func (p Plan) CheckMembers(have int) error {
	limit := p.Quotas().Members
	if within(have+1, limit) {
		return nil
	}
	return Errorf(PlanLimit, "Your plan includes up to %s.", counted(limit, "team member"))
}

// CheckProfiles returns an error if a people watchlist may not follow n
// profiles.
func (p Plan) CheckProfiles(n int) error {
	limit := p.Quotas().Profiles
	switch {
	case limit == 0:
		return Errorf(PlanLimit, "Your plan does not include tracked profiles. Upgrade your plan to track profiles.")
	case within(n, limit):
		return nil
	}
	return Errorf(PlanLimit, "Your plan includes up to %s per watchlist.", counted(limit, "tracked profile"))
}

// CheckCompanies returns an error if a company watchlist may not follow n
// companies.
func (p Plan) CheckCompanies(n int) error {
	limit := p.Quotas().CompaniesPerWatchlist
	if within(n, limit) {
		return nil
	}
	return Errorf(PlanLimit, "Your plan includes up to %d tracked companies per watchlist.", limit)
}

// CheckTracked returns an error if a watchlist of type t may not follow a list
// with n entries.
func (p Plan) CheckTracked(t WatchlistType, n int) error {
	if t == CompanyWatchlist {
		return p.CheckCompanies(n)
	}
	return p.CheckProfiles(n)
}

// Scans reports whether the plan scans watchlists of type t. After a downgrade
// a team may have watchlists that are not scanned.
func (p Plan) Scans(t WatchlistType) bool {
	return t != PeopleWatchlist || p.Quotas().Profiles != 0
}

// CheckAutoEngagementRules returns an error if a watchlist with have rules may
// not add another one.
func (p Plan) CheckAutoEngagementRules(have int) error {
	limit := p.Quotas().AutoEngagementRules
	if within(have+1, limit) {
		return nil
	}
	return Errorf(PlanLimit, "Your plan includes up to %s per watchlist.", counted(limit, "auto-engagement rule"))
}

// within reports whether n is within a limit.
func within(n, limit int) bool { return limit == Unlimited || n <= limit }

// counted formats a number with its noun in the singular or plural.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// WeeklyQuota is the weekly quota of a watchlist
// (api.md#weekly-posts-and-leads). It may change in the middle of a week; posts
// already stored stay.
type WeeklyQuota struct {
	Posts int // of relevance RelevantFrom or more
	Leads int // potential leads: authors of such posts
}

// WeeklyQuota returns the weekly quota of a team's watchlists. quiet affects
// free teams only.
func (p Plan) WeeklyQuota(quiet bool) WeeklyQuota {
	return WeeklyQuota{Posts: p.WeeklyPosts(quiet), Leads: p.Quotas().PotentialLeads}
}

// WeeklyCounter counts the use of a watchlist's quota in one week.
type WeeklyCounter struct {
	Posts   int // stored, of relevance RelevantFrom or more
	Dropped int // not stored because the quota was used up; each post once
	Leads   int // authors who became potential leads
}

// Candidate is a post that a watchlist has not collected before.
type Candidate struct {
	Relevance float64
	// Author is the post's author as returned by Post.AuthorKey; authors
	// without a key are not distinguished.
	Author string
	// Lead reports whether the author is already a potential lead of this week.
	Lead bool
	// Dropped reports whether the post is already counted as dropped this week.
	Dropped bool
}

// Admission is the decision on a candidate.
type Admission struct {
	Stored bool
	// Lead means that the post is by a potential lead; NewLead means that its
	// author becomes one with this post.
	Lead, NewLead bool
}

// Admit decides on a candidate and counts it. A post below RelevantFrom is
// stored and does not count. Relevant posts are stored up to the quota, then
// dropped. A dropped post that is found again is stored if the quota (for
// example of another plan) has room, and no longer counts as dropped.
func (t WeeklyCounter) Admit(q WeeklyQuota, n Candidate) (WeeklyCounter, Admission) {
	if n.Relevance < RelevantFrom {
		return t, Admission{Stored: true}
	}
	if !within(t.Posts+1, q.Posts) {
		if !n.Dropped {
			t.Dropped++
		}
		return t, Admission{}
	}
	t.Posts++
	if n.Dropped {
		t.Dropped--
	}
	a := Admission{Stored: true, Lead: n.Lead}
	if !n.Lead && n.Author != "" && within(t.Leads+1, q.Leads) {
		t.Leads++
		a.Lead, a.NewLead = true, true
	}
	return t, a
}
