package watchpost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
