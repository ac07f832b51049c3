package actors_test

import (
	"encoding/json"
	"fmt"
	"strings"
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
}

func scanInput(t *testing.T, f protocol.Frame) watchpost.ScanInput {
	t.Helper()
	var in watchpost.ScanInput
	require.NoError(t, json.Unmarshal(f.Input, &in))
	return in
}

// getWatchlist returns a watchlist as callers see it. Its actor hears of the end
// of a scan from the team, beside the session, and reports to the team when the
// next is due; the answer to an update, here of nothing, comes behind that.
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

func TestScanLife(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go", "c++")
	require.Equal(t, "go, c++", list.Name)
	first := s.Expect(protocol.TypeTask)
	require.Equal(t, "keyword_scan", first.TaskType)
	in := scanInput(t, first)
	require.WithinDuration(t, w.Now().AddDate(0, 0, -30), in.Since, actorstest.Wait, "a first scan reaches back 30 days")
	s.ExpectNone() // one at a time

	newest := post(w, "new", "Go is fine. "+in.Keyword)
	newest.PostedAt = w.Now().Add(-10 * time.Minute).UTC().Truncate(time.Millisecond)
	s.Part(first, 0, post(w, "1", "learn "+in.Keyword), post(w, "2", "unrelated"))
	require.Equal(t, 0, *s.ExpectAck(first).Seq)
	s.Part(first, 1, newest)
	require.Equal(t, 1, *s.ExpectAck(first).Seq)
	require.Len(t, team.Posts(t, list.ID), 2, "what a part brought is there before the scan ends")
	endScan(s, first, true)
	finished := w.Now()

	second := s.Expect(protocol.TypeTask)
	require.NotEqual(t, in.Keyword, scanInput(t, second).Keyword)
	endScan(s, second, true)
	s.ExpectNone()
	view := getWatchlist(t, team, list)
	require.WithinDuration(t, finished, view.LastScanAt, actorstest.Wait)
	require.WithinDuration(t, finished.Add(time.Hour), view.NextScanAt, actorstest.Wait)
	require.Zero(t, actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).WaitingScans)

	t.Run("next due is the finish and the frequency", func(t *testing.T) {
		w.Advance(time.Hour - 10*time.Second)
		s.ExpectNone()
		w.Advance(20 * time.Second)
		again := s.Expect(protocol.TypeTask)
		if scanInput(t, again).Keyword == in.Keyword {
			require.True(t, newest.PostedAt.Add(-24*time.Hour).Equal(scanInput(t, again).Since), "the newest post seen, and a day of overlap")
		}
		endScan(s, again, true)
		endScan(s, s.Expect(protocol.TypeTask), true)
		s.ExpectNone()
	})
	t.Run("a changed frequency counts from the last finish", func(t *testing.T) {
		last := getWatchlist(t, team, list).LastScanAt
		slow := watchpost.FetchFrequency(6 * time.Hour)
		view := patch(t, team, list, watchpost.WatchlistPatch{Frequency: &slow})
		require.WithinDuration(t, last.Add(6*time.Hour), view.NextScanAt, actorstest.Wait)
		w.Advance(3 * time.Hour)
		s.ExpectNone()
		patch(t, team, list, watchpost.WatchlistPatch{Frequency: ptr(hour)})
		endScan(s, s.Expect(protocol.TypeTask), true) // overdue now
		endScan(s, s.Expect(protocol.TypeTask), true)
		s.ExpectNone()
	})
	t.Run("a scan is not a client's task", func(t *testing.T) {
		_, err := w.Registry.TaskStatus(w.Context(), team.ID, watchpost.TaskID(first.Task))
		require.EqualError(t, err, "Agent task not found")
		require.Empty(t, storedKeys(t, w, team, "k"), "nothing of a finished scan is kept")
		require.Empty(t, storedKeys(t, w, team, "o"))
		require.Empty(t, storedKeys(t, w, team, "b"))
	})
}

// TestOneWaitingScan checks that an entry without scans for any length of time
// has one waiting scan, which never expires.
func TestOneWaitingScan(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	keywordWatchlist(t, team, "go", "rust")
	created := w.Now()
	for range 3 {
		w.Advance(10 * 24 * time.Hour)
		var view actors.TeamView
		require.Eventually(t, func() bool { // after a crash the watchlists report them one by one
			view = actorstest.Must[actors.TeamView](t, team, actors.GetTeam{})
			return view.WaitingScans == 2
		}, actorstest.Wait, time.Millisecond)
		require.WithinDuration(t, created, view.OldestScan, actorstest.Wait)
		w.Crash()
	}
	s := team.Session(t, "ada").Connect()
	endScan(s, s.Expect(protocol.TypeTask), true)
	endScan(s, s.Expect(protocol.TypeTask), true)
	s.ExpectNone()
}

func TestScansAfterClientTasksByDueTime(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	var want []string
	for _, k := range []string{"first", "second", "third"} {
		keywordWatchlist(t, team, k)
		want = append(want, k)
		w.Advance(time.Minute)
	}
	require.Eventually(t, func() bool {
		return actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).WaitingScans == len(want)
	}, actorstest.Wait, time.Millisecond)
	client := team.Create(t, watchpost.TaskProfileFetch)
	s := team.Session(t, "ada").Connect()
	s.Finish(s.ExpectTask(client))
	for _, k := range want {
		f := s.Expect(protocol.TypeTask)
		require.Equal(t, k, scanInput(t, f).Keyword)
		endScan(s, f, true)
	}
}

func TestRescanKeepsIdentity(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go")
	p := post(w, "1", "go go")
	scan := s.Expect(protocol.TypeTask)
	s.Part(scan, 0, p, p)
	s.ExpectAck(scan)
	s.Part(scan, 0, p) // sent again
	s.ExpectAck(scan)
	endScan(s, scan, true, p)
	before := team.Posts(t)
	require.Len(t, before, 1, "one stored post per network post")
	require.Len(t, before[0].Matches, 1)
	require.Equal(t, "https://network.example/posts/1", before[0].URL)

	w.Advance(time.Hour + time.Minute)
	p.Likes, p.Content = 99, "go went on"
	endScan(s, s.Expect(protocol.TypeTask), true, p)
	after := team.Posts(t, list.ID)
	require.Len(t, after, 1)
	require.Equal(t, before[0].ID, after[0].ID)
	require.True(t, before[0].CreatedAt.Equal(after[0].CreatedAt))
	require.Equal(t, int64(99), after[0].Likes)
	require.Equal(t, "go went on", after[0].Content)
	require.Equal(t, before[0].Matches, after[0].Matches)
}

// TestPartsExactlyOnce cuts transfers off in the middle. Acknowledged parts are
// there, and parts sent again are there once.
func TestPartsExactlyOnce(t *testing.T) {
	t.Parallel()
	for _, fault := range []actorstest.Fault{actorstest.Before, actorstest.After} {
		for nth := 1; nth <= 3; nth++ {
			t.Run(fmt.Sprintf("commit %d, fault %d", nth, fault), func(t *testing.T) {
				t.Parallel()
				w, team, s := house(t)
				list := keywordWatchlist(t, team, "go")
				scan := s.Expect(protocol.TypeTask)
				w.Store.Fail(persistence.Space(team.ID), nth, fault)
				posts := []protocol.Post{post(w, "1", "go 1"), post(w, "2", "go 2"), post(w, "3", "go 3")}
				s.Part(scan, 0, posts[0])
				s.Part(scan, 1, posts[1])
				s.Result(scan, protocol.PostsOutput{Posts: posts[2:], Exhausted: actorstest.Truth})
				s.ExpectClosed()
				w.AwaitPassivated()
				w.Advance(time.Second)
				s.Connect(actorstest.Listed(scan, protocol.StateDone))
				s.Part(scan, 0, posts[0])
				s.Part(scan, 1, posts[1])
				s.Result(scan, protocol.PostsOutput{Posts: posts[2:], Exhausted: actorstest.Truth})
				for range 3 {
					s.ExpectAck(scan)
				}
				s.ExpectNone()
				require.Len(t, team.Posts(t, list.ID), 3)
				// The result is acknowledged before the watchlist's actor has heard
				// that its scan has ended.
				require.Eventually(t, func() bool {
					return w.Now().Sub(getWatchlist(t, team, list).LastScanAt) < actorstest.Wait
				}, actorstest.Wait, time.Millisecond)
			})
		}
	}
}

func TestNotExhaustedKeepsSince(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	keywordWatchlist(t, team, "go")
	first := s.Expect(protocol.TypeTask)
	endScan(s, first, false, post(w, "1", "go"))
	w.Advance(time.Hour + time.Minute)
	second := s.Expect(protocol.TypeTask)
	require.WithinDuration(t, w.Now().AddDate(0, 0, -30), scanInput(t, second).Since, 2*time.Minute, "as far back as before")
	p := post(w, "2", "nothing that matches")
	endScan(s, second, true, p)
	w.Crash()
	s.Connect()
	w.Advance(time.Hour + time.Minute)
	s.Heartbeat()
	require.True(t, p.PostedAt.Add(-24*time.Hour).Equal(scanInput(t, s.Expect(protocol.TypeTask)).Since), "the newest post seen, matching or not")
}

// TestFailedScan waits for its next turn like one that worked.
func TestFailedScan(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	s.Error(scan, "invalid_input", actorstest.Truth)
	s.ExpectAck(scan)
	s.ExpectNone()
	w.Advance(time.Hour - time.Minute)
	s.ExpectNone()
	w.Advance(2 * time.Minute)
	again := s.Expect(protocol.TypeTask)
	require.WithinDuration(t, w.Now().AddDate(0, 0, -30), scanInput(t, again).Since, 2*time.Minute)
}

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
	require.Zero(t, actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).WaitingScans)
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

// TestThirtyScansADay: one account does 30 keyword scans a day, whatever is
// due; forum scans need no allowance.
func TestThirtyScansADay(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	var words []string
	for i := range 35 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	keywordWatchlist(t, team, words...)
	for range 30 {
		endScan(s, s.Expect(protocol.TypeTask), true)
	}
	s.ExpectNone()
	require.Equal(t, 30, team.Used(t, s.Email, watchpost.ActionKeywordScan))
	require.Equal(t, 5, actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).WaitingScans)
	watchlistOf(t, team, watchpost.ForumWatchlist, "forum1", "forum2")
	for range 2 {
		f := s.Expect(protocol.TypeTask)
		require.Equal(t, "forum_scan", f.TaskType)
		endScan(s, f, true, post(w, f.Task, scanInput(t, f).Keyword))
	}
	w.Advance(2 * time.Hour)
	w.Crash()
	s.Connect()
	for _, f := range s.Settle() {
		require.Equal(t, "forum_scan", f.TaskType)
	}
	done(t, team, actors.GetTeam{})
	require.Equal(t, 30, team.Used(t, s.Email, watchpost.ActionKeywordScan))
	t.Run("the next day goes on", func(t *testing.T) {
		w.SetClock(watchpost.Daily.Reset(w.Now()))
		s.Heartbeat()
		n := 0
		for frames := s.Settle(); len(frames) > 0; frames = s.Settle() {
			for _, f := range frames {
				if f.Type != protocol.TypeTask {
					continue
				}
				if f.TaskType == "keyword_scan" {
					n++
				}
				s.Result(f, protocol.PostsOutput{Exhausted: actorstest.Truth})
			}
			require.LessOrEqual(t, n, 30)
		}
		require.LessOrEqual(t, team.Used(t, s.Email, watchpost.ActionKeywordScan), 30)
	})
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

// TestHostilePosts: nothing that a session reports ends the team.
func TestHostilePosts(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	huge := strings.Repeat("<", 100<<10)
	var urls []string
	for range 30 {
		urls = append(urls, "https://network.example/?"+strings.Repeat("&", 1900))
	}
	for i, p := range []protocol.Post{
		{URN: "1", Content: "go " + huge, ImageText: huge, PostedAt: w.Now()},
		{URN: "2", Content: "go", ImageURLs: urls, Videos: urls, PostedAt: w.Now()},
		{URN: "3", Content: "go " + huge, ImageText: huge, ImageURLs: urls, Videos: urls, PostedAt: w.Now()},
		{URN: "4", Content: "go\x00\xff", PostedAt: w.Now()},
		{URN: "", Content: "go", PostedAt: w.Now()},
		{URN: "5", Content: "go"},
		{URN: "6", Content: "go", PostedAt: w.Now().AddDate(1, 0, 0)},
		{URN: strings.Repeat("u", 500), Content: "go", PostedAt: w.Now()},
		{URN: "7", Content: "go", URL: "javascript:alert(1)", AuthorURL: "data:text/html,x", Likes: -5, Type: "<b>", PostedAt: w.Now()},
		post(w, "fine", "go"),
	} {
		s.Part(scan, i, p)
		require.Equal(t, i, *s.ExpectAck(scan).Seq)
	}
	s.Send(protocol.Frame{Type: protocol.TypePart, Task: scan.Task, Lease: scan.Lease, Output: []byte(`{"posts":7}`), Seq: ptr(99)})
	s.ExpectAck(scan)
	s.Send(protocol.Frame{Type: protocol.TypePart, Task: scan.Task, Lease: scan.Lease, Seq: ptr(100)})
	s.ExpectAck(scan)
	endScan(s, scan, true)
	require.True(t, s.Open())
	for _, p := range team.Posts(t, list.ID) {
		require.GreaterOrEqual(t, p.Likes, int64(0))
		for _, u := range append([]string{p.URL, p.AuthorURL}, p.ImageURLs...) {
			require.True(t, u == "" || strings.HasPrefix(u, "https://"), u)
		}
	}
	// The watchlist learns of the end of its scan just after the session does.
	require.Eventually(t, func() bool { return !getWatchlist(t, team, list).LastScanAt.IsZero() }, actorstest.Wait, time.Millisecond)
}

// TestHostileOutputs: an output that cannot be stored fails its task and
// nothing else.
func TestHostileOutputs(t *testing.T) {
	t.Parallel()
	_, team, s := house(t)
	id := team.Create(t, watchpost.TaskProfileFetch)
	frame := s.ExpectTask(id)
	s.Result(frame, map[string]any{"about": strings.Repeat("<", 400<<10)})
	s.ExpectAck(frame)
	wantFailure(t, team.Status(t, id), "invalid_output", true)
	id = team.Create(t, watchpost.TaskProfileFetch)
	frame = s.ExpectTask(id)
	frame2 := frame
	s.Send(protocol.Frame{Type: protocol.TypeResult, Task: frame2.Task, Lease: frame2.Lease,
		Error: &protocol.TaskError{Code: strings.Repeat("<", 900<<10), Message: strings.Repeat("<", 900<<10)}})
	s.ExpectAck(frame)
	require.Equal(t, watchpost.TaskFailed, team.Status(t, id).State)
	require.True(t, s.Open())
}

func TestPassivation(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	space := persistence.Space(team.ID)
	list := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	endScan(s, scan, true, post(w, "1", "go"))
	id := team.Create(t, watchpost.TaskProfileFetch)
	frame := s.ExpectTask(id)
	w.Advance(2 * time.Hour)
	require.Equal(t, 1.0, w.Gauge("watchpost_teams_active"), "not while a session is connected")
	require.Equal(t, 1, w.Store.Activations(space))
	s.Drop()
	for range 3 {
		w.Advance(actors.DefaultIdleAfter + 2*time.Minute)
		w.AwaitPassivated()
		activated := w.Store.Activations(space)
		require.Len(t, team.Posts(t, list.ID), 1) // past the actors
		require.Equal(t, activated, w.Store.Activations(space))
		require.Equal(t, "pending", team.Status(t, id).State.PublicStatus())
		require.Equal(t, activated+1, w.Store.Activations(space))
		require.Equal(t, list.ID, getWatchlist(t, team, list).Watchlist.ID)
	}
	w.Advance(time.Hour)
	w.AwaitPassivated()
	s.Connect(actorstest.Listed(frame, protocol.StateDone))
	s.Result(frame, map[string]any{})
	acks := 0
	for _, f := range s.Settle() {
		if f.Type == protocol.TypeAck && f.Task == frame.Task {
			acks++
		}
	}
	require.Equal(t, 1, acks)
	require.Equal(t, watchpost.TaskCompleted, team.Status(t, id).State)
}

// TestRequestsWhileGoingToRest: no request is lost at a closing door.
func TestRequestsWhileGoingToRest(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	stop, failed := make(chan struct{}), make(chan error, 4)
	for range cap(failed) {
		go func() {
			for {
				select {
				case <-stop:
					failed <- nil
					return
				default:
				}
				if _, err := actorstest.Try[actors.TeamView](team, actors.GetTeam{}); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	for range 60 {
		w.Advance(actors.DefaultIdleAfter + time.Minute)
	}
	close(stop)
	for range cap(failed) {
		require.NoError(t, <-failed)
	}
}
