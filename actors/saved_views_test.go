package actors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/watchpost"
)

// TestSavedViewsStay: saved views are there after a crash, and in the team's export.
func TestSavedViewsStay(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	save := func(name, query string) watchpost.SavedView {
		return actorstest.Must[watchpost.SavedView](t, team, actors.SaveView{View: watchpost.SavedView{Name: name, Query: query}})
	}
	second, gone := save("second", "search_term=2"), save("gone", "search_term=3")
	first := save("First", "search_term=1")
	actorstest.Must[root.Done](t, team, actors.DeleteView{ID: gone.ID})
	changed := save("SECOND", "search_term=4")
	require.Equal(t, []any{second.ID, second.CreatedAt}, []any{changed.ID, changed.CreatedAt})
	want := []watchpost.SavedView{first, changed}
	require.Equal(t, want, actorstest.Must[[]watchpost.SavedView](t, team, actors.ListViews{}))
	w.Crash()
	require.Equal(t, want, actorstest.Must[[]watchpost.SavedView](t, team, actors.ListViews{}))
	var exported []watchpost.SavedView
	require.NoError(t, w.Registry.ExportTeam(w.Context(), team.ID, func(record any) error {
		if v, ok := record.(watchpost.SavedView); ok {
			exported = append(exported, v)
		}
		return nil
	}))
	require.ElementsMatch(t, want, exported)
}
