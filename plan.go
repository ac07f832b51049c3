package watchpost

import (
	"fmt"
	"strings"
	"time"
)

// Plan is what a team pays for; its quotas are in the table below
// (specification: Limits 4).
type Plan string

// The plans. PlanPro is a legacy name: it is shown as it is and has the quotas
// of PlanGrowth.
const (
	PlanFree     Plan = "free"
	PlanGrowth   Plan = "growth"
	PlanExpert   Plan = "expert"
	PlanUltimate Plan = "ultimate"
	PlanPro      Plan = "pro"
)

// Unlimited is the value of a quota without a limit.
const Unlimited = -1

// TrackedCompanies is how many companies a watchlist may follow on any plan.
const TrackedCompanies = 200

// What the weekly limit of posts counts, and when it is lower.
const (
	// RelevantFrom is the relevance from which a post counts.
	RelevantFrom = 4
	// QuietWeeklyPosts is the limit of a free team that has gone quiet.
	QuietWeeklyPosts = 100
	// InactiveAfter is how long neither a session nor a person was there in a
	// team that has gone quiet.
	InactiveAfter = 7 * 24 * time.Hour
)

// Inactive reports whether a team whose last sign of life, of a session or of a
// person, is so old has gone quiet. The zero time means that there was none.
func Inactive(last, now time.Time) bool { return last.IsZero() || now.Sub(last) > InactiveAfter }

// Quotas is what a plan includes. A quota of zero means that the plan does not
// include the thing at all; Unlimited that there is no limit.
type Quotas struct {
	Watchlists            int // of the team, all types, disabled ones too
	Profiles              int // per people watchlist
	PotentialLeads        int // per watchlist and week
	Members               int
	AutoEngagementRules   int // per watchlist
	WeeklyPosts           int // per watchlist and week, relevance >= RelevantFrom
	CompaniesPerWatchlist int
}

// planQuotas is the quota table of the specification (Limits 4), in its row
// order, one column per plan; the last two rows are decided, not shown there.
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

// ParsePlan reads a plan's name, in any case.
func ParsePlan(s string) (Plan, error) {
	switch p := Plan(strings.ToLower(strings.TrimSpace(s))); p {
	case PlanFree, PlanGrowth, PlanExpert, PlanUltimate, PlanPro:
		return p, nil
	}
	return "", Errorf(Invalid, "Invalid 'plan'")
}

// PlanAt returns the plan that counts at a moment: PlanFree once the team's plan
// has expired. The zero time means that it never does.
func PlanAt(p Plan, expires, now time.Time) Plan {
	if !expires.IsZero() && !now.Before(expires) {
		return PlanFree
	}
	return p
}

// Quotas returns the plan's column of the table. A plan that does not exist
// has the quotas of PlanFree.
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

// WeeklyPosts returns how many relevant posts a watchlist may store in a week;
// quiet matters to free teams only.
func (p Plan) WeeklyPosts(quiet bool) int {
	limit := p.Quotas().WeeklyPosts
	if quiet && p.Quotas() == PlanFree.Quotas() {
		return min(limit, QuietWeeklyPosts)
	}
	return limit
}

// CheckWatchlists refuses a new watchlist to a team that has so many already.
func (p Plan) CheckWatchlists(have int) error {
	limit := p.Quotas().Watchlists
	if within(have+1, limit) {
		return nil
	}
	return Errorf(PlanLimit, "Your plan includes up to %s. Upgrade your plan or delete a watchlist to create another.",
		counted(limit, "watchlist"))
}

// CheckMembers refuses a new member to a team that has so many already.
func (p Plan) CheckMembers(have int) error {
	limit := p.Quotas().Members
	if within(have+1, limit) {
		return nil
	}
	return Errorf(PlanLimit, "Your plan includes up to %s.", counted(limit, "team member"))
}

// CheckProfiles refuses a people watchlist whose list would have n profiles.
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

// CheckCompanies refuses a company watchlist whose list would have n companies.
func (p Plan) CheckCompanies(n int) error {
	limit := p.Quotas().CompaniesPerWatchlist
	if within(n, limit) {
		return nil
	}
	return Errorf(PlanLimit, "Your plan includes up to %d tracked companies per watchlist.", limit)
}

// CheckTracked refuses a watchlist that follows a list when the list would have
// n entries.
func (p Plan) CheckTracked(t WatchlistType, n int) error {
	if t == CompanyWatchlist {
		return p.CheckCompanies(n)
	}
	return p.CheckProfiles(n)
}

// Scans reports whether watchlists of the type are scanned on the plan at all;
// after a downgrade there may be some that are not.
func (p Plan) Scans(t WatchlistType) bool {
	return t != PeopleWatchlist || p.Quotas().Profiles != 0
}

// CheckAutoEngagementRules refuses a new rule to a watchlist that has so many
// already.
func (p Plan) CheckAutoEngagementRules(have int) error {
	limit := p.Quotas().AutoEngagementRules
	if within(have+1, limit) {
		return nil
	}
	return Errorf(PlanLimit, "Your plan includes up to %s per watchlist.", counted(limit, "auto-engagement rule"))
}

// within reports whether n things fit under a limit.
func within(n, limit int) bool { return limit == Unlimited || n <= limit }

// counted writes a number with its noun in the singular or plural.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
