package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/watchpost"
)

// TestPlanExpires: the plan is free from its date on, for a team in memory and
// for one that is not, and its lists are not scanned any more; another plan
// without a date does not expire.
func TestPlanExpires(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	ends := w.Clock.Now().Add(36 * time.Hour)
	updated := actorstest.Must[watchpost.Team](t, team, actors.UpdateTeam{Patch: watchpost.TeamPatch{Name: new("Acme"), PlanExpiresAt: &ends}})
	require.Equal(t, "Acme", updated.Name)
	require.Equal(t, watchpost.PlanGrowth, updated.Plan)
	require.True(t, ends.Equal(updated.PlanExpiresAt))
	listed := func() watchpost.Team {
		teams, err := w.Registry.Teams(w.Context())
		require.NoError(t, err)
		return teams[0]
	}
	plan := func() watchpost.Plan {
		view := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{})
		require.Equal(t, view.Team.Plan.Quotas().Watchlists, view.Limits.Watchlists)
		return view.Team.Plan
	}
	w.Advance(36*time.Hour - time.Second)
	require.Equal(t, watchpost.PlanGrowth, plan())
	require.Equal(t, watchpost.PlanGrowth, listed().Plan)
	w.Advance(time.Second)
	require.Equal(t, watchpost.PlanFree, listed().Plan, "a team that is not in memory, or is")
	require.Equal(t, watchpost.PlanFree, plan())
	w.Restart()
	require.Equal(t, watchpost.PlanFree, listed().Plan)
	require.Equal(t, watchpost.PlanFree, plan())
	require.Equal(t, watchpost.PlanExpert, actorstest.Must[watchpost.Team](t, team, actors.UpdateTeam{Patch: watchpost.TeamPatch{Plan: new(watchpost.PlanExpert)}}).Plan)
	w.Advance(240 * time.Hour)
	require.Equal(t, watchpost.PlanExpert, plan())
}
