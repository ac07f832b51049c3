package actors_test

import (
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
	awaitSchedules(t, team)
	w.Advance(time.Hour - time.Minute)
	s.ExpectNone()
	w.Advance(2 * time.Minute)
	again := s.Expect(protocol.TypeTask)
	require.WithinDuration(t, w.Now().AddDate(0, 0, -30), scanInput(t, again).Since, 2*time.Minute)
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
