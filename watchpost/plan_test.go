package watchpost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/watchpost"
)

func TestPlanQuotas(t *testing.T) {
	// The table of plans, column by column, followed by the decided
	// rows.
	for plan, want := range map[watchpost.Plan]watchpost.Quotas{
		"free":     {2, 0, 0, 5, 1, 200, 200},
		"growth":   {5, 200, 400, 10, 2, 1_000, 200},
		"pro":      {5, 200, 400, 10, 2, 1_000, 200},
		"expert":   {20, 200, 250, 25, 5, 2_500, 200},
		"ultimate": {100, 200, 100, watchpost.Unlimited, 10, 10_000, 200},
		"":         {2, 0, 0, 5, 1, 200, 200},
		"nonsense": {2, 0, 0, 5, 1, 200, 200},
	} {
		require.Equal(t, want, plan.Quotas(), plan)
	}
}

func TestParsePlan(t *testing.T) {
	for in, want := range map[string]watchpost.Plan{
		"free": "free", "growth": "growth", "expert": "expert", "ultimate": "ultimate", "pro": "pro", " Growth ": "growth",
	} {
		got, err := watchpost.ParsePlan(in)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, in := range []string{"", "enterprise", "free plan"} {
		_, err := watchpost.ParsePlan(in)
		require.EqualError(t, err, "Invalid 'plan'")
	}
}

func TestWeeklyPosts(t *testing.T) {
	require.Equal(t, 200, watchpost.PlanFree.WeeklyPosts(false))
	require.Equal(t, 100, watchpost.PlanFree.WeeklyPosts(true))
	require.Equal(t, 1_000, watchpost.PlanGrowth.WeeklyPosts(true))
	require.Equal(t, 10_000, watchpost.PlanUltimate.WeeklyPosts(true))

	now := time.Date(2030, 1, 8, 12, 0, 0, 0, time.UTC)
	require.True(t, watchpost.Inactive(time.Time{}, now))
	require.False(t, watchpost.Inactive(now.Add(-7*24*time.Hour), now))
	require.True(t, watchpost.Inactive(now.Add(-7*24*time.Hour-time.Millisecond), now))
}

func TestPlanLimits(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string // "" means allowed
	}{
		{watchpost.PlanFree.CheckWatchlists(1), ""},
		{watchpost.PlanFree.CheckWatchlists(2), "Your plan includes up to 2 watchlists. Upgrade your plan or delete a watchlist to create another."},
		{watchpost.PlanFree.CheckWatchlists(5), "Your plan includes up to 2 watchlists. Upgrade your plan or delete a watchlist to create another."},
		{watchpost.PlanUltimate.CheckWatchlists(99), ""},
		{watchpost.PlanUltimate.CheckWatchlists(100), "Your plan includes up to 100 watchlists. Upgrade your plan or delete a watchlist to create another."},
		{watchpost.PlanFree.CheckProfiles(1), "Your plan does not include tracked profiles. Upgrade your plan to track profiles."},
		{watchpost.PlanFree.CheckProfiles(0), "Your plan does not include tracked profiles. Upgrade your plan to track profiles."},
		{watchpost.PlanPro.CheckProfiles(200), ""},
		{watchpost.PlanPro.CheckProfiles(201), "Your plan includes up to 200 tracked profiles per watchlist."},
		{watchpost.PlanFree.CheckMembers(4), ""},
		{watchpost.PlanFree.CheckMembers(5), "Your plan includes up to 5 team members."},
		{watchpost.PlanUltimate.CheckMembers(1_000_000), ""},
		{watchpost.PlanFree.CheckAutoEngagementRules(0), ""},
		{watchpost.PlanFree.CheckAutoEngagementRules(1), "Your plan includes up to 1 auto-engagement rule per watchlist."},
		{watchpost.PlanGrowth.CheckAutoEngagementRules(2), "Your plan includes up to 2 auto-engagement rules per watchlist."},
		{watchpost.PlanFree.CheckCompanies(200), ""},
		{watchpost.PlanUltimate.CheckCompanies(201), "Your plan includes up to 200 tracked companies per watchlist."},
	} {
		if c.want == "" {
			require.NoError(t, c.err)
			continue
		}
		require.EqualError(t, c.err, c.want)
		require.Equal(t, watchpost.PlanLimit, watchpost.KindOf(c.err))
	}
}

func TestWeeklyQuotas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plan  watchpost.Plan
		quiet bool
		want  watchpost.WeeklyQuota
	}{
		{watchpost.PlanFree, false, watchpost.WeeklyQuota{Posts: 200, Leads: 0}},
		{watchpost.PlanFree, true, watchpost.WeeklyQuota{Posts: 100, Leads: 0}},
		{watchpost.PlanGrowth, false, watchpost.WeeklyQuota{Posts: 1_000, Leads: 400}},
		{watchpost.PlanGrowth, true, watchpost.WeeklyQuota{Posts: 1_000, Leads: 400}},
		{watchpost.PlanPro, false, watchpost.WeeklyQuota{Posts: 1_000, Leads: 400}},
		{watchpost.PlanExpert, false, watchpost.WeeklyQuota{Posts: 2_500, Leads: 250}},
		{watchpost.PlanUltimate, true, watchpost.WeeklyQuota{Posts: 10_000, Leads: 100}},
	} {
		require.Equal(t, c.want, c.plan.WeeklyQuota(c.quiet), "%s %v", c.plan, c.quiet)
	}
}

func TestInactiveAfterSevenDays(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 10, 0, 0, 0, time.UTC)
	require.True(t, watchpost.Inactive(time.Time{}, now))
	require.False(t, watchpost.Inactive(now, now))
	require.False(t, watchpost.Inactive(now.Add(-7*24*time.Hour), now))
	require.True(t, watchpost.Inactive(now.Add(-7*24*time.Hour-time.Millisecond), now))
}

func TestAdmit(t *testing.T) {
	t.Parallel()
	quota := watchpost.WeeklyQuota{Posts: 2, Leads: 1}
	type tally = watchpost.WeeklyCounter
	type newcomer = watchpost.Candidate
	for name, c := range map[string]struct {
		before tally
		post   newcomer
		after  tally
		want   watchpost.Admission
	}{
		"below 4 counts for nothing":   {tally{Posts: 2}, newcomer{Relevance: 3.9, Author: "a"}, tally{Posts: 2}, watchpost.Admission{Stored: true}},
		"4 counts":                     {tally{}, newcomer{Relevance: 4, Author: "a"}, tally{Posts: 1, Leads: 1}, watchpost.Admission{Stored: true, Lead: true, NewLead: true}},
		"the same author again":        {tally{Posts: 1, Leads: 1}, newcomer{Relevance: 9, Author: "a", Lead: true}, tally{Posts: 2, Leads: 1}, watchpost.Admission{Stored: true, Lead: true}},
		"one lead too many":            {tally{Posts: 1, Leads: 1}, newcomer{Relevance: 9, Author: "b"}, tally{Posts: 2, Leads: 1}, watchpost.Admission{Stored: true}},
		"an author without a page":     {tally{}, newcomer{Relevance: 9}, tally{Posts: 1}, watchpost.Admission{Stored: true}},
		"over the limit":               {tally{Posts: 2, Leads: 1}, newcomer{Relevance: 4, Author: "a", Lead: true}, tally{Posts: 2, Leads: 1, Dropped: 1}, watchpost.Admission{}},
		"dropped before":               {tally{Posts: 2, Dropped: 1}, newcomer{Relevance: 4, Dropped: true}, tally{Posts: 2, Dropped: 1}, watchpost.Admission{}},
		"dropped before, now there is": {tally{Posts: 1, Dropped: 1}, newcomer{Relevance: 4, Dropped: true}, tally{Posts: 2}, watchpost.Admission{Stored: true}},
		"more taken than the new plan": {tally{Posts: 9, Leads: 5}, newcomer{Relevance: 4}, tally{Posts: 9, Leads: 5, Dropped: 1}, watchpost.Admission{}},
	} {
		after, got := c.before.Admit(quota, c.post)
		require.Equal(t, c.want, got, name)
		require.Equal(t, c.after, after, name)
	}
}

// TestAdmitKeepsToTheQuota: for any posts in any order and any repetition, the
// stored posts keep within the quota, and each relevant post is either stored
// or dropped, once.
func TestAdmitKeepsToTheQuota(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		quota := watchpost.WeeklyQuota{Posts: rapid.IntRange(0, 5).Draw(t, "posts"), Leads: rapid.IntRange(0, 3).Draw(t, "leads")}
		var tally watchpost.WeeklyCounter
		stored, dropped, leads := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for range rapid.IntRange(0, 40).Draw(t, "scans") {
			id := fmt.Sprint(rapid.IntRange(0, 12).Draw(t, "post"))
			if stored[id] {
				continue // already decided
			}
			author := fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "author"))
			next, a := tally.Admit(quota, watchpost.Candidate{Relevance: 4, Author: author, Lead: leads[author], Dropped: dropped[id]})
			tally = next
			stored[id] = a.Stored
			if a.Stored {
				delete(dropped, id)
			} else {
				dropped[id] = true
			}
			if a.Lead {
				leads[author] = true
			}
			if a.NewLead && !a.Lead {
				t.Fatal("a new lead is a lead")
			}
		}
		count := 0
		for _, is := range stored {
			if is {
				count++
			}
		}
		if tally.Posts != count || tally.Dropped != len(dropped) || tally.Leads != len(leads) {
			t.Fatalf("tally %+v, but %d stored, %d dropped, %d leads", tally, count, len(dropped), len(leads))
		}
		if count > quota.Posts || len(leads) > quota.Leads {
			t.Fatalf("%d stored and %d leads with the quota %+v", count, len(leads), quota)
		}
	})
}
