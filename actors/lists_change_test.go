package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestChangedList: an added entry is scanned, a removed entry is not, not even by a scan
// that is under way; the plan and all who follow the list count.
func TestChangedList(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	first := actorstest.Must[actors.Followed](t, team, followers(24, "", "jane", "john"))
	second := actorstest.Must[actors.Followed](t, team, followers(24, first.List.ID, "jane"))
	change := func(add, remove []string) actors.ChangeList {
		c := actors.ChangeList{Type: first.Watchlist.Type, ID: first.Watchlist.ID}
		c.Add, _ = watchpost.CleanReferences(c.Type, add)
		c.Remove, _ = watchpost.CleanReferences(c.Type, remove)
		return c
	}
	running := s.Expect(protocol.TypeTask)
	s.Accept(running)
	gone, stays := whom(t, running), "john"
	if gone == "john" {
		stays = "jane"
	}
	view := actorstest.Must[actors.WatchlistView](t, team, change([]string{"mary", stays}, []string{gone, "nobody"}))
	require.Equal(t, []string{stays, "mary"}, slugsOf(view.List))
	require.Equal(t, running.Task, s.Expect(protocol.TypeCancel).Task)
	next := s.Expect(protocol.TypeTask)
	s.Result(running, protocol.PostsOutput{Posts: []protocol.Post{post(w, "1", "late")}, Exhausted: actorstest.Truth})
	s.ExpectAck(running)
	bring(s, next)
	require.ElementsMatch(t, []string{stays, "mary"}, append(bringAll(t, 1, s), whom(t, next)))
	require.Empty(t, team.Posts(t))
	require.Len(t, storedKeys(t, w, team, "e"), 2, "nothing is kept of what was removed")
	require.Equal(t, []string{stays, "mary"}, slugsOf(getWatchlist(t, team, second.Watchlist).List), "for all who follow it")

	w.Crash()
	s.Connect()
	require.Equal(t, []string{stays, "mary"}, slugsOf(getWatchlist(t, team, first.Watchlist).List))
	w.Advance(25 * time.Hour)
	require.ElementsMatch(t, []string{stays, "mary"}, bringAll(t, 2, s))

	require.EqualError(t, actorstest.Fails(t, team, watchpost.Invalid, change(nil, []string{stays, "mary"})), "profiles array is required and must not be empty")
	require.Equal(t, watchpost.PlanLimit, watchpost.KindOf(actorstest.Fails(t, team, watchpost.PlanLimit, change(slugs(2000), nil))))
	words := keywordWatchlist(t, team, "go")
	_ = actorstest.Fails(t, team, watchpost.NotFound, actors.ChangeList{Type: words.Type, ID: words.ID})
	require.Len(t, getWatchlist(t, team, first.Watchlist).List.Entries, 2)
}

func slugsOf(l watchpost.List) (all []string) {
	for _, e := range l.Entries {
		all = append(all, e.Reference.Slug)
	}
	return all
}

// TestListLabels: posts that are stored get the labels that a watchlist of people is
// given later.
func TestListLabels(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	made := actorstest.Must[actors.Followed](t, team, followers(24, "", "jane"))
	bring(s, s.Expect(protocol.TypeTask), post(w, "1", "The price goes up"))
	labels := []watchpost.Label{{Name: "Pricing", Description: "price"}}
	done(t, team, actors.UpdateWatchlist{Type: made.Watchlist.Type, ID: made.Watchlist.ID, Patch: watchpost.WatchlistPatch{Labels: &labels}})
	require.Eventually(t, func() bool {
		posts := team.Posts(t)
		return len(posts) == 1 && len(posts[0].Tags) == 1 && posts[0].Tags[0].Name == "Pricing"
	}, actorstest.Wait, time.Millisecond)
}
