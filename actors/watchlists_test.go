package actors_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// endScan ends a scan with posts.
func endScan(s *actorstest.Session, f protocol.Frame, exhausted bool, posts ...protocol.Post) {
	s.T.Helper()
	s.Result(f, protocol.PostsOutput{Posts: posts, Exhausted: &exhausted})
	s.ExpectAck(f)
	awaitSchedules(s.T, s.Team)
}

// awaitSchedules waits until the watchlists have heard of the scans that have ended and
// have said when the next are due. A clock that is set before that makes them later.
func awaitSchedules(t testing.TB, team *actorstest.Team) {
	t.Helper()
	for _, v := range actorstest.Must[[]actors.WatchlistView](t, team, actors.ListWatchlists{}) {
		_, err := actorstest.Try[actors.WatchlistView](team, actors.UpdateWatchlist{Type: v.Watchlist.Type, ID: v.Watchlist.ID})
		require.True(t, err == nil || watchpost.KindOf(err) == watchpost.Conflict, "only a disabled one refuses: %v", err)
	}
}

func scanInput(t *testing.T, f protocol.Frame) watchpost.ScanInput {
	t.Helper()
	var in watchpost.ScanInput
	require.NoError(t, json.Unmarshal(f.Input, &in))
	return in
}

// getWatchlist returns a watchlist as callers see it. Its actor hears of the end of a
// scan from the team, not only from the session, and reports to the team when the next is
// due; the answer to an update, here of nothing, comes behind that.
func getWatchlist(t *testing.T, team *actorstest.Team, w watchpost.Watchlist) actors.WatchlistView {
	t.Helper()
	if _, err := actorstest.Try[actors.WatchlistView](team, actors.UpdateWatchlist{Type: w.Type, ID: w.ID}); err != nil {
		require.Equal(t, watchpost.Conflict, watchpost.KindOf(err), "only a disabled one refuses: %v", err)
	}
	return actorstest.Must[actors.WatchlistView](t, team, actors.GetWatchlist{Type: w.Type, ID: w.ID})
}

func patch(t *testing.T, team *actorstest.Team, w watchpost.Watchlist, p watchpost.WatchlistPatch) actors.WatchlistView {
	t.Helper()
	return actorstest.Must[actors.WatchlistView](t, team, actors.UpdateWatchlist{Type: w.Type, ID: w.ID, Patch: p})
}

func ptr[T any](v T) *T { return &v }

const hour = watchpost.FetchFrequency(time.Hour)

func TestDisableAndEnable(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go", "rust")
	running := s.Expect(protocol.TypeTask)
	s.Part(running, 0, post(w, "1", "go and rust"))
	s.ExpectAck(running)
	view := patch(t, team, list, watchpost.WatchlistPatch{Disable: actorstest.Truth})
	require.True(t, view.Watchlist.Disabled)
	require.Zero(t, view.NextScanAt)
	require.Equal(t, running.Task, s.Expect(protocol.TypeCancel).Task)
	s.ExpectNone()
	require.Eventually(t, func() bool { // no session had the other scan
		return actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).WaitingScans == 0
	}, actorstest.Wait, time.Millisecond)
	require.Len(t, team.Posts(t, list.ID), 1, "its posts stay readable")
	endScan(s, running, true, post(w, "2", "go late")) // acknowledged and dropped
	require.Len(t, team.Posts(t, list.ID), 1)

	t.Run("any other update is refused", func(t *testing.T) {
		err := actorstest.Fails(t, team, watchpost.Conflict, actors.UpdateWatchlist{Type: list.Type, ID: list.ID, Patch: watchpost.WatchlistPatch{Name: ptr("x")}})
		require.EqualError(t, err, "Watchlist is disabled. Re-enable it before updating.")
	})
	w.Advance(3 * time.Hour)
	s.ExpectNone()
	w.Crash()
	s.Connect()
	s.ExpectNone()
	patch(t, team, list, watchpost.WatchlistPatch{Disable: actorstest.Lie, Name: ptr("back")})
	endScan(s, s.Expect(protocol.TypeTask), true)
	endScan(s, s.Expect(protocol.TypeTask), true)
	s.ExpectNone()
}

func TestReplacedKeywords(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	list := keywordWatchlist(t, team, "go", "rust")
	running := s.Expect(protocol.TypeTask)
	kept := scanInput(t, running).Keyword
	view := patch(t, team, list, watchpost.WatchlistPatch{Keywords: []watchpost.KeywordEntry{{Keyword: kept}, {Keyword: "zig"}}})
	require.Len(t, view.Watchlist.Keywords, 2)
	s.ExpectNone() // the kept one goes on
	endScan(s, running, true)
	next := s.Expect(protocol.TypeTask)
	require.Equal(t, "zig", scanInput(t, next).Keyword)
	patch(t, team, list, watchpost.WatchlistPatch{Keywords: []watchpost.KeywordEntry{{Keyword: kept}}})
	require.Equal(t, next.Task, s.Expect(protocol.TypeCancel).Task)
	s.ExpectNone()
}

func TestDeleteHidesAtOnce(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	doomed, kept := keywordWatchlist(t, team, "go"), keywordWatchlist(t, team, "rust")
	for range 2 { // in any order: each watchlist decides by itself when it begins
		scan := s.Expect(protocol.TypeTask)
		endScan(s, scan, true, post(w, "both", "go and rust"), post(w, "go", "go only"), post(w, "rust", "rust only"))
	}
	require.Len(t, team.Posts(t), 3)
	team2 := w.CreateTeam(t, watchpost.PlanFree)
	w.Advance(time.Hour + time.Minute)
	running := s.Expect(protocol.TypeTask)
	if scanInput(t, running).Keyword != "go" {
		endScan(s, running, true)
		running = s.Expect(protocol.TypeTask)
	}
	require.Equal(t, "go", scanInput(t, running).Keyword)

	// The purge that follows fails repeatedly: the answer does not wait for it, and
	// no query sees the posts to be purged.
	space := persistence.Space(team.ID)
	decided := false
	w.Store.FailWhen(func(of persistence.Space, _ *persistence.Batch) actorstest.Fault {
		if of != space {
			return actorstest.None
		}
		if !decided {
			decided = true
			return actorstest.None
		}
		return actorstest.Before
	})
	done(t, team, actors.DeleteWatchlist{Type: doomed.Type, ID: doomed.ID})
	require.Len(t, team.Posts(t), 2)
	_, err := w.Registry.Posts(w.Context(), team.ID, []string{string(doomed.ID)}, watchpost.PostQuery{Page: 1, PageSize: 1})
	require.EqualError(t, err, "Invalid watchlist ID(s)")
	require.Equal(t, watchpost.NotFound, watchpost.KindOf(w.Registry.WatchlistAccess(w.Context(), team.ID, string(doomed.ID))))
	require.Equal(t, watchpost.Forbidden, watchpost.KindOf(w.Registry.WatchlistAccess(w.Context(), team2.ID, string(kept.ID))))
	w.Store.FailWhen(nil)
	w.Crash()
	require.Len(t, team.Posts(t), 2)
	done(t, team, actors.GetTeam{}) // activates the team, which purges
	require.Eventually(t, func() bool { return len(storedKeys(t, w, team, "x")) == 0 }, actorstest.Wait, time.Millisecond)
	require.Len(t, storedKeys(t, w, team, "pB"), 2)
	require.Len(t, storedKeys(t, w, team, "pU"), 2)
	posts := team.Posts(t)
	require.Len(t, posts, 2)
	for _, p := range posts {
		require.Len(t, p.Matches, 1)
		require.Equal(t, kept.ID, p.Matches[0].Watchlist)
	}
	actorstest.Fails(t, team, watchpost.NotFound, actors.GetWatchlist{Type: doomed.Type, ID: doomed.ID})
	actorstest.Fails(t, team, watchpost.NotFound, actors.DeleteWatchlist{Type: doomed.Type, ID: doomed.ID})
	actorstest.Fails(t, team, watchpost.NotFound, actors.GetWatchlist{Type: watchpost.ForumWatchlist, ID: kept.ID})

	s.Connect(actorstest.Listed(running, protocol.StateReceived))
	s.Result(running, protocol.PostsOutput{Posts: []protocol.Post{post(w, "late", "go late")}, Exhausted: actorstest.Truth})
	acked := false
	for _, f := range s.Settle() {
		acked = acked || f.Type == protocol.TypeAck && f.Task == running.Task
		require.False(t, f.Type == protocol.TypeTask && scanInput(t, f).Keyword == "go", "its scans are gone")
	}
	require.True(t, acked)
	require.Len(t, team.Posts(t), 2)
}

// TestDeleteWhilePostsArrive checks that work under way when a watchlist is
// deleted leaves nothing behind.
func TestDeleteWhilePostsArrive(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	for round := range 20 {
		list := keywordWatchlist(t, team, "go")
		scan := s.Next()
		for scan.Type == protocol.TypeAck { // of the round before
			scan = s.Next()
		}
		require.Equal(t, protocol.TypeTask, scan.Type)
		for i := range 5 {
			s.Part(scan, i, post(w, fmt.Sprint(round, "-", i), "go"))
		}
		done(t, team, actors.DeleteWatchlist{Type: list.Type, ID: list.ID})
		s.Settle()
	}
	require.Eventually(t, func() bool { return len(storedKeys(t, w, team, "x")) == 0 }, actorstest.Wait, time.Millisecond)
	require.Empty(t, team.Posts(t))
	require.Empty(t, storedKeys(t, w, team, "pB"))
	require.Empty(t, storedKeys(t, w, team, "pU"))
	require.Empty(t, storedKeys(t, w, team, "e"))
	require.Empty(t, storedKeys(t, w, team, "k"))
}

// TestPurgeOfManyPosts takes several batches.
func TestPurgeOfManyPosts(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	for part := range 3 {
		var posts []protocol.Post
		for i := range 200 {
			posts = append(posts, post(w, fmt.Sprint(part, "-", i), "go"))
		}
		s.Part(scan, part, posts...)
		s.ExpectAck(scan)
	}
	require.Len(t, storedKeys(t, w, team, "pB"), 600)
	done(t, team, actors.DeleteWatchlist{Type: list.Type, ID: list.ID})
	require.Empty(t, team.Posts(t))
	w.Crash()
	done(t, team, actors.GetTeam{})
	require.Eventually(t, func() bool { return len(storedKeys(t, w, team, "x")) == 0 }, actorstest.Wait, time.Millisecond)
	require.Empty(t, storedKeys(t, w, team, "pB"))
	require.Empty(t, storedKeys(t, w, team, "pU"))
}

func TestWatchlistQuota(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	first := keywordWatchlist(t, team, "one")
	watchlistOf(t, team, watchpost.ForumWatchlist, "two")
	third := actors.CreateWatchlist{Watchlist: watchpost.Watchlist{Type: watchpost.KeywordWatchlist, Keywords: []watchpost.KeywordEntry{{Keyword: "three"}}}}
	err := actorstest.Fails(t, team, watchpost.PlanLimit, third)
	require.ErrorContains(t, err, "Your plan includes up to 2 watchlists.")
	patch(t, team, first, watchpost.WatchlistPatch{Disable: actorstest.Truth})
	actorstest.Fails(t, team, watchpost.PlanLimit, third) // disabled ones count
	require.Len(t, actorstest.Must[[]actors.WatchlistView](t, team, actors.ListWatchlists{Type: watchpost.KeywordWatchlist}), 1)
	done(t, team, actors.DeleteWatchlist{Type: first.Type, ID: first.ID})
	done(t, team, third)
}
