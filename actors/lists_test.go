package actors_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// followers asks for a people watchlist of a list, scanned every given number of hours.
func followers(hours int, list watchpost.ListID, slugs ...string) actors.Follow {
	return following(watchpost.PeopleWatchlist, hours, list, slugs...)
}

func following(kind watchpost.WatchlistType, hours int, list watchpost.ListID, slugs ...string) actors.Follow {
	references, err := watchpost.CleanReferences(kind, slugs)
	if err != nil {
		panic(err)
	}
	return actors.Follow{References: references, Watchlist: watchpost.Watchlist{
		Type: kind, List: list, Frequency: watchpost.FetchFrequency(time.Duration(hours) * time.Hour),
	}}
}

func slugs(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("p%03d", i))
	}
	return all
}

func disable(t *testing.T, team *actorstest.Team, w watchpost.Watchlist, disabled bool) {
	t.Helper()
	done(t, team, actors.UpdateWatchlist{Type: w.Type, ID: w.ID, Patch: watchpost.WatchlistPatch{Disable: &disabled}})
}

// whom a scan is for.
func whom(t *testing.T, f protocol.Frame) string {
	t.Helper()
	var input watchpost.ScanInput
	require.NoError(t, json.Unmarshal(f.Input, &input), "%s", f.Input)
	return input.Profile + input.Company + input.Keyword
}

// bring ends a scan with posts.
func bring(s *actorstest.Session, scan protocol.Frame, posts ...protocol.Post) {
	s.T.Helper()
	s.Accept(scan)
	s.Result(scan, protocol.PostsOutput{Posts: posts, Exhausted: actorstest.Truth})
	s.ExpectAck(scan)
}

// bringAll ends the n scans that come, and no more, and returns whom they were
// for.
func bringAll(t *testing.T, n int, sessions ...*actorstest.Session) []string {
	t.Helper()
	all := []string{}
	take := func() {
		t.Helper()
		for _, s := range sessions {
			for _, f := range s.Settle() {
				if f.Type == protocol.TypeTask {
					all = append(all, whom(t, f))
					bring(s, f)
				}
			}
		}
	}
	for waited := time.Now(); len(all) < n && time.Since(waited) < actorstest.Wait; {
		take()
	}
	take()
	require.Len(t, all, n)
	return all
}

// TestListIsScannedOnce: for all who follow it, and its posts are everybody's.
func TestListIsScannedOnce(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	first := actorstest.Must[actors.Followed](t, team, followers(24, "", "jane"))
	require.Equal(t, 1, first.Added)
	scan := s.Expect(protocol.TypeTask)
	require.Equal(t, "people_scan", scan.TaskType)
	var input watchpost.ScanInput
	require.NoError(t, json.Unmarshal(scan.Input, &input))
	require.Equal(t, "jane", input.Profile)
	require.WithinDuration(t, w.Now().Add(-30*24*time.Hour), input.Since, time.Minute)

	second := actorstest.Must[actors.Followed](t, team, followers(6, first.List.ID, "jane", "john"))
	require.Equal(t, 1, second.Added)
	require.Len(t, second.List.Entries, 2)
	require.Equal(t, first.List.Name, second.List.Name)
	require.Len(t, getWatchlist(t, team, first.Watchlist).List.Entries, 2)
	bring(s, scan, post(w, "1", "about nothing in particular"), post(w, "2", ""))
	next := s.Expect(protocol.TypeTask)
	require.Equal(t, "john", whom(t, next), "and not jane again")
	bring(s, next)
	s.ExpectNone()

	both := team.Posts(t)
	require.Len(t, both, 2)
	require.Equal(t, first.Watchlist.ID, watchpost.TrackedBy(both[0], nil))
	for _, p := range both {
		require.Len(t, p.Matches, 2)
		require.Empty(t, p.Matches[0].Keyword)
	}
	require.Equal(t, 2, team.Used(t, s.Email, watchpost.ActionPeopleScan))

	t.Run("the most frequent follower decides when", func(t *testing.T) {
		at := getWatchlist(t, team, first.Watchlist)
		require.WithinDuration(t, w.Now().Add(6*time.Hour), at.NextScanAt, time.Minute)
		require.WithinDuration(t, w.Now(), at.LastScanAt, time.Minute)
		w.Advance(6*time.Hour + time.Minute)
		require.ElementsMatch(t, []string{"jane", "john"}, bringAll(t, 2, s))
		disable(t, team, second.Watchlist, true)
		require.Zero(t, getWatchlist(t, team, second.Watchlist).NextScanAt)
		require.WithinDuration(t, w.Now().Add(24*time.Hour), getWatchlist(t, team, first.Watchlist).NextScanAt, time.Minute)
		w.Advance(7 * time.Hour)
		s.ExpectNone()
		w.Advance(18 * time.Hour)
	})
	t.Run("a disabled follower gets no posts, and keeps those that it has", func(t *testing.T) {
		scan := s.Expect(protocol.TypeTask)
		bring(s, scan, post(w, "3", "new"))
		bringAll(t, 1, s)
		require.Len(t, team.Posts(t, first.Watchlist.ID), 3)
		require.Len(t, team.Posts(t, second.Watchlist.ID), 2)
	})
	t.Run("the same after a crash", func(t *testing.T) {
		before := getWatchlist(t, team, first.Watchlist)
		w.Crash()
		after := getWatchlist(t, team, first.Watchlist)
		require.True(t, before.NextScanAt.Equal(after.NextScanAt))
		before.NextScanAt, after.NextScanAt = time.Time{}, time.Time{}
		before.LastScanAt, after.LastScanAt = time.Time{}, time.Time{}
		for i := range before.List.Entries {
			require.True(t, before.List.Entries[i].AddedAt.Equal(after.List.Entries[i].AddedAt))
			require.Equal(t, before.List.Entries[i].ID, after.List.Entries[i].ID)
		}
		require.Equal(t, before.Watchlist.List, after.Watchlist.List)
		s.Connect()
		s.ExpectNone()
	})
	t.Run("deleted: first one, then the list with the other", func(t *testing.T) {
		done(t, team, actors.DeleteWatchlist{Type: watchpost.PeopleWatchlist, ID: first.Watchlist.ID})
		require.Len(t, team.Posts(t), 2, "those that only the first had are gone")
		require.Len(t, getWatchlist(t, team, second.Watchlist).List.Entries, 2)
		require.Len(t, storedKeys(t, w, team, "L"), 1)
		require.NoError(t, w.Registry.ListAccess(w.Context(), team.ID, string(first.List.ID)))
		done(t, team, actors.DeleteWatchlist{Type: watchpost.PeopleWatchlist, ID: second.Watchlist.ID})
		require.Empty(t, team.Posts(t))
		for _, prefix := range []string{"L", "w", "e", "o"} {
			require.Empty(t, storedKeys(t, w, team, prefix), prefix)
		}
		_ = actorstest.Fails(t, team, watchpost.NotFound, followers(6, first.List.ID, "jane"))
		require.Equal(t, watchpost.NotFound, watchpost.KindOf(w.Registry.ListAccess(w.Context(), team.ID, string(first.List.ID))))
	})
}

func TestListQuotas(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	err := actorstest.Fails(t, team, watchpost.PlanLimit, followers(1, "", slugs(201)...))
	require.EqualError(t, err, "Your plan includes up to 200 tracked profiles per watchlist.")
	made := actorstest.Must[actors.Followed](t, team, followers(1, "", slugs(200)...))
	require.Equal(t, 200, made.Added)
	_ = actorstest.Fails(t, team, watchpost.PlanLimit, followers(1, made.List.ID, "one-more"))
	again := actorstest.Must[actors.Followed](t, team, followers(1, made.List.ID, "p001"))
	require.Zero(t, again.Added)
	_ = actorstest.Fails(t, team, watchpost.NotFound, following(watchpost.CompanyWatchlist, 1, made.List.ID, "acme"))
	stranger := w.CreateTeam(t, watchpost.PlanGrowth)
	_ = actorstest.Fails(t, stranger, watchpost.NotFound, followers(1, made.List.ID, "p001"))
	require.Equal(t, watchpost.Forbidden, watchpost.KindOf(w.Registry.ListAccess(w.Context(), stranger.ID, string(made.List.ID))))
	disable(t, team, made.Watchlist, false) // behind all that the list has decided
	view := actorstest.Must[actors.TeamView](t, team, actors.GetTeam{})
	require.Equal(t, 2, view.Watchlists)
	require.Equal(t, 200, view.WaitingScans, "once for both")

	for range 3 { // up to the plan's five watchlists
		done(t, team, followers(1, made.List.ID, "p001"))
	}
	err = actorstest.Fails(t, team, watchpost.PlanLimit, followers(1, made.List.ID, "p001"))
	require.ErrorContains(t, err, "Your plan includes up to 5 watchlists.")
}

// TestScansOverTheDay: 50 people a day and account, shared out; the rest the
// next day; never two waiting scans of one entry.
func TestScansOverTheDay(t *testing.T) {
	t.Parallel()
	w, team, a := house(t)
	b := team.SessionOf(t, team.Member(t, "bob"), "bob").Connect()
	list := actorstest.Must[actors.Followed](t, team, followers(12, "", slugs(120)...))
	today := bringAll(t, 100, a, b)
	for _, s := range []*actorstest.Session{a, b} {
		require.Equal(t, 50, team.Used(t, s.Email, watchpost.ActionPeopleScan))
	}
	waiting := func() int { return actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).WaitingScans }
	require.Equal(t, 20, waiting())
	midnight := watchpost.Daily.Reset(w.Now())
	w.SetClock(midnight)
	a.Heartbeat()
	b.Heartbeat()
	tomorrow := bringAll(t, 100, a, b)
	for _, p := range tomorrow[:18] { // of 20: one session may bring its next before the other its last
		require.NotContains(t, today, p, "the remainder first: it is due the longest")
	}
	t.Run("they do not pile up", func(t *testing.T) {
		a.Drop()
		b.Drop()
		w.Advance(5 * 24 * time.Hour)
		disable(t, team, list.Watchlist, false) // the team and its list are in memory again
		require.Equal(t, 120, waiting())
		require.Len(t, storedKeys(t, w, team, "o"), 120)
		w.Restart()
		disable(t, team, list.Watchlist, false)
		require.Equal(t, 120, waiting())
	})
	t.Run("companies have their own allowance", func(t *testing.T) {
		a.Connect()
		bringAll(t, 50, a)
		done(t, team, following(watchpost.CompanyWatchlist, 1, "", "acme", "1441"))
		scan := a.Expect(protocol.TypeTask)
		require.Equal(t, "company_scan", scan.TaskType)
		bring(a, scan, post(w, "c", "we are hiring"))
		require.ElementsMatch(t, []string{"acme", "1441"}, append(bringAll(t, 1, a), whom(t, scan)))
		require.Equal(t, 2, team.Used(t, a.Email, watchpost.ActionCompanyScan))
		require.Len(t, team.Posts(t), 1)
	})
}

// TestForumScans take no allowance.
func TestForumScans(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	list := watchlistOf(t, team, watchpost.ForumWatchlist, slugs(40)...)
	first := s.Expect(protocol.TypeTask)
	require.Equal(t, "forum_scan", first.TaskType)
	bring(s, first, post(w, "1", "this is about "+whom(t, first)), post(w, "2", "this is not"))
	bringAll(t, 39, s)
	posts := team.Posts(t, list.ID)
	require.Len(t, posts, 1)
	require.Equal(t, watchpost.SourceForum, posts[0].Source)
}

// TestScanOrder: client tasks, then scans by due time, then by entry.
func TestScanOrder(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	s.Drop()
	actorstest.Must[actors.Followed](t, team, followers(12, "", "c", "a", "b"))
	w.Advance(time.Minute)
	watchlistOf(t, team, watchpost.ForumWatchlist, "f")
	w.Advance(time.Minute)
	actorstest.Must[actors.Followed](t, team, following(watchpost.CompanyWatchlist, 12, "", "d"))
	task := team.Create(t, watchpost.TaskProfileFetch)
	s.Connect()
	s.Finish(s.ExpectTask(task))
	list := actorstest.Must[[]actors.WatchlistView](t, team, actors.ListWatchlists{Type: watchpost.PeopleWatchlist})[0].List
	byID := slices.SortedFunc(slices.Values(list.Entries), func(a, b watchpost.ListEntry) int { return cmp.Compare(a.ID, b.ID) })
	want := []string{}
	for _, e := range byID {
		want = append(want, e.Reference.Slug)
	}
	require.Equal(t, append(want, "f", "d"), bringAll(t, 5, s))
}

// TestListIsLeftAlone checks a list whose scans no watchlist needs any more.
func TestListIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leave, back func(*testing.T, *actorstest.Team, watchpost.Watchlist)
	}{
		"disabled": {
			leave: func(t *testing.T, team *actorstest.Team, w watchpost.Watchlist) { disable(t, team, w, true) },
			back:  func(t *testing.T, team *actorstest.Team, w watchpost.Watchlist) { disable(t, team, w, false) },
		},
		"not in the plan": {
			leave: func(t *testing.T, team *actorstest.Team, _ watchpost.Watchlist) {
				done(t, team, actors.UpdateTeam{Patch: watchpost.TeamPatch{Plan: new(watchpost.PlanFree)}})
			},
			back: func(t *testing.T, team *actorstest.Team, _ watchpost.Watchlist) {
				done(t, team, actors.UpdateTeam{Patch: watchpost.TeamPatch{Plan: new(watchpost.PlanPro)}})
			},
		},
		"deleted": {leave: func(t *testing.T, team *actorstest.Team, w watchpost.Watchlist) {
			done(t, team, actors.DeleteWatchlist{Type: w.Type, ID: w.ID})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			list := actorstest.Must[actors.Followed](t, team, followers(1, "", "jane", "john"))
			running := s.Expect(protocol.TypeTask)
			s.Accept(running)
			c.leave(t, team, list.Watchlist)
			cancel := s.Expect(protocol.TypeCancel)
			require.Equal(t, running.Task, cancel.Task)
			s.Result(running, protocol.PostsOutput{Posts: []protocol.Post{post(w, "1", "late")}, Exhausted: actorstest.Truth})
			s.ExpectAck(running)
			s.ExpectNone()
			require.Empty(t, team.Posts(t))
			require.Eventually(t, func() bool { return len(storedKeys(t, w, team, "o")) == 0 }, actorstest.Wait, time.Millisecond, "the waiting one was dropped")
			require.Equal(t, 1, team.Used(t, s.Email, watchpost.ActionPeopleScan), "debits stay")
			w.Advance(3 * time.Hour)
			s.ExpectNone()
			w.Crash()
			s.Connect()
			s.ExpectNone()
			if c.back == nil {
				return
			}
			require.Zero(t, getWatchlist(t, team, list.Watchlist).NextScanAt)
			require.Len(t, getWatchlist(t, team, list.Watchlist).List.Entries, 2, "it stays readable")
			c.back(t, team, list.Watchlist)
			bringAll(t, 2, s)
		})
	}
}

// TestDropsAreMadeUpFor: the tree ends between a decision and the end of the
// scans that it leaves behind.
func TestDropsAreMadeUpFor(t *testing.T) {
	t.Parallel()
	for _, kind := range []watchpost.WatchlistType{watchpost.PeopleWatchlist, watchpost.KeywordWatchlist} {
		for _, gone := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, " deleted: ", gone), func(t *testing.T) {
				t.Parallel()
				w, team, s := house(t)
				var watched watchpost.Watchlist
				if kind == watchpost.PeopleWatchlist {
					watched = actorstest.Must[actors.Followed](t, team, followers(1, "", "jane")).Watchlist
				} else {
					watched = keywordWatchlist(t, team, "go")
				}
				scan := s.Expect(protocol.TypeTask)
				yes := true
				var request any = actors.UpdateWatchlist{Type: kind, ID: watched.ID, Patch: watchpost.WatchlistPatch{Disable: &yes}}
				if gone {
					request = actors.DeleteWatchlist{Type: kind, ID: watched.ID}
				}
				w.PanicIn("actors.(*task).onDrop")
				_, _ = actorstest.Try[any](team, request)
				s.ExpectClosed()
				require.NotEmpty(t, storedKeys(t, w, team, "o"))
				w.Advance(time.Minute)
				_, _ = actorstest.Try[any](team, request) // if it was lost
				s.Connect(actorstest.Listed(scan, protocol.StateReceived))
				require.Eventually(t, func() bool { return len(storedKeys(t, w, team, "o")) == 0 }, actorstest.Wait, time.Millisecond)
			})
		}
	}
}
