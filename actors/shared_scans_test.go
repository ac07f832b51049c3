package actors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// keywordEntries makes a watchlist of entries that is scanned every hour.
func keywordEntries(t *testing.T, team *actorstest.Team, entries ...watchpost.KeywordEntry) watchpost.Watchlist {
	t.Helper()
	return actorstest.Must[actors.WatchlistView](t, team, actors.CreateWatchlist{Watchlist: watchpost.Watchlist{
		Type: watchpost.KeywordWatchlist, Frequency: hour, Keywords: entries,
	}}).Watchlist
}

// waitingScans counts them once the watchlists have reported their due scans.
func waitingScans(t *testing.T, team *actorstest.Team, lists ...watchpost.Watchlist) int {
	t.Helper()
	for _, list := range lists {
		patch(t, team, list, watchpost.WatchlistPatch{Frequency: ptr(hour)}) // behind all that it has decided
	}
	return actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).WaitingScans
}

// TestSharedScan: entries with the same keyword that are due together are one
// scan and one debit; each keeps what its own words ask for, and they stay
// together from then on.
func TestSharedScan(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	plain := keywordEntries(t, team, watchpost.KeywordEntry{Keyword: "Café"})
	require.Equal(t, 1, waitingScans(t, team, plain))
	picky := keywordEntries(t, team,
		watchpost.KeywordEntry{Keyword: "cafe\u0301", Required: []string{"cake"}},
		watchpost.KeywordEntry{Keyword: "CAFÉ", Excluded: []string{"cake", "tea"}})
	other := keywordWatchlist(t, team, "bar")
	forum := watchlistOf(t, team, watchpost.ForumWatchlist, "Café")
	require.Equal(t, 3, waitingScans(t, team, plain, picky, other, forum), "the bar and the forum are scans of their own")
	w.Advance(20 * time.Minute)
	late := keywordWatchlist(t, team, "café")
	require.Equal(t, 3, waitingScans(t, team, late), "a third that becomes due joins the scan that waits")
	w.Crash()
	require.Equal(t, 3, waitingScans(t, team))

	s := team.Session(t, "ada").Connect()
	scan := s.Expect(protocol.TypeTask)
	require.Equal(t, "Café", scanInput(t, scan).Keyword, "it has the turn of the first")
	require.WithinDuration(t, w.Now().Add(-20*time.Minute).AddDate(0, 0, -30), scanInput(t, scan).Since, actorstest.Wait, "as far back as the first asked for")
	s.Part(scan, 0, post(w, "cake", "café and cake"))
	s.ExpectAck(scan)
	endScan(s, scan, true, post(w, "plain", "a café"), post(w, "tea", "a café with tea"))
	for range 2 {
		endScan(s, s.Expect(protocol.TypeTask), true)
	}
	s.ExpectNone()
	require.Equal(t, 2, team.Used(t, s.Email, watchpost.ActionKeywordScan))
	for list, want := range map[watchpost.WatchlistID]int{plain.ID: 3, picky.ID: 2, late.ID: 3, other.ID: 0, forum.ID: 0} {
		require.Len(t, team.Posts(t, list), want)
	}
	for _, list := range []watchpost.Watchlist{plain, picky, late} {
		view := getWatchlist(t, team, list)
		require.WithinDuration(t, w.Now(), view.LastScanAt, actorstest.Wait)
		require.WithinDuration(t, w.Now().Add(time.Hour), view.NextScanAt, actorstest.Wait)
	}
	require.Empty(t, storedKeys(t, w, team, "o"))

	// With a session that is free they are handed out together all the same.
	w.Advance(time.Hour + time.Minute)
	for range 3 {
		endScan(s, s.Expect(protocol.TypeTask), true)
	}
	s.ExpectNone()
	require.Equal(t, 4, team.Used(t, s.Email, watchpost.ActionKeywordScan))
}

// TestScansComeTogether: entries that were scanned one behind the other are due
// within the time that a scan takes, and share the next.
func TestScansComeTogether(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	first := keywordWatchlist(t, team, "go")
	running := s.Expect(protocol.TypeTask)
	second := keywordWatchlist(t, team, "go")
	require.Equal(t, 1, waitingScans(t, team, second), "a scan that runs is not joined: it may not look back far enough")
	endScan(s, running, true)
	waited := s.Expect(protocol.TypeTask)
	require.NotEqual(t, running.Task, waited.Task)
	w.Advance(time.Minute)
	endScan(s, waited, true)
	require.Equal(t, 2, team.Used(t, s.Email, watchpost.ActionKeywordScan))

	w.Advance(time.Hour - time.Minute + time.Second) // the first is due, the second nearly
	endScan(s, s.Expect(protocol.TypeTask), true, post(w, "1", "go"))
	w.Advance(2 * time.Minute)
	s.ExpectNone()
	require.Equal(t, 3, team.Used(t, s.Email, watchpost.ActionKeywordScan))
	require.Len(t, team.Posts(t, first.ID), 1)
	require.Len(t, team.Posts(t, second.ID), 1)
	require.Equal(t, 3.0, w.TaskEvents(watchpost.TaskKeywordScan, "created"))
}

// TestSharedScanWithoutOne: who leaves a shared scan, waiting or running, takes
// nothing from the others; the last one ends it.
func TestSharedScanWithoutOne(t *testing.T) {
	t.Parallel()
	leave := map[string]func(*testing.T, *actorstest.Team, watchpost.Watchlist){
		"deleted": func(t *testing.T, team *actorstest.Team, list watchpost.Watchlist) {
			done(t, team, actors.DeleteWatchlist{Type: list.Type, ID: list.ID})
		},
		"disabled": func(t *testing.T, team *actorstest.Team, list watchpost.Watchlist) {
			patch(t, team, list, watchpost.WatchlistPatch{Disable: actorstest.Truth})
		},
		"without the keyword": func(t *testing.T, team *actorstest.Team, list watchpost.Watchlist) {
			patch(t, team, list, watchpost.WatchlistPatch{Keywords: []watchpost.KeywordEntry{{Keyword: "zig"}}})
		},
	}
	for how, leaves := range leave {
		for _, crash := range []bool{false, true} {
			name := how
			if crash {
				name += ", with crashes"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := actorstest.New(t)
				team := w.CreateTeam(t, watchpost.PlanUltimate)
				s := team.Session(t, "ada")
				lists := []watchpost.Watchlist{
					keywordWatchlist(t, team, "go"), keywordWatchlist(t, team, "go"), keywordWatchlist(t, team, "go"),
				}
				require.Equal(t, 1, waitingScans(t, team, lists...))
				crashes := func() {
					if crash {
						w.Crash()
					}
				}
				crashes()
				leaves(t, team, lists[0]) // the one for which the scan was made, while it waits
				crashes()
				s.Connect()
				scan := s.Expect(protocol.TypeTask)
				if scanInput(t, scan).Keyword == "zig" { // due at the same moment
					endScan(s, scan, true)
					scan = s.Expect(protocol.TypeTask)
				}
				require.Equal(t, "go", scanInput(t, scan).Keyword)
				leaves(t, team, lists[1]) // while it runs
				if crash {
					w.Crash()
					s.Connect(actorstest.Listed(scan, protocol.StateReceived))
				}
				s.ExpectNone()
				endScan(s, scan, true, post(w, "1", "go on"))
				require.Len(t, team.Posts(t), 1)
				require.Len(t, team.Posts(t, lists[2].ID), 1)
				if how == "deleted" {
					s.ExpectNone()
					w.Advance(time.Hour + time.Minute)
					s.Heartbeat()
					again := s.Expect(protocol.TypeTask)
					leaves(t, team, lists[2])
					require.Equal(t, again.Task, s.Expect(protocol.TypeCancel).Task, "nobody wants it any more")
				}
			})
		}
	}
}

// TestSharedScanPutBack: a scan that was handed out and came back is not joined,
// because a late result of it may not look back far enough.
func TestSharedScanPutBack(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	first := keywordWatchlist(t, team, "go")
	scan := s.Expect(protocol.TypeTask)
	s.Release(scan)
	s.ExpectNone()
	second := keywordWatchlist(t, team, "go")
	own := s.Expect(protocol.TypeTask)
	require.NotEqual(t, scan.Task, own.Task)
	endScan(s, own, true, post(w, "1", "go on"))
	require.Empty(t, team.Posts(t, first.ID))
	require.Len(t, team.Posts(t, second.ID), 1)
}

// TestSharedScanOfMany: more entries than a scan may be for get another one.
func TestSharedScanOfMany(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	var entries []watchpost.KeywordEntry
	for i := range watchpost.MaxTargets {
		entries = append(entries, watchpost.KeywordEntry{Keyword: "go", Required: []string{fmt.Sprint("word", i)}})
	}
	first := keywordEntries(t, team, append(entries, watchpost.KeywordEntry{Keyword: "go"})...)
	require.Equal(t, 2, waitingScans(t, team, first))
	more := keywordEntries(t, team, entries[:2]...)
	require.Equal(t, 2, waitingScans(t, team, more), "the second one has room")
	s := team.Session(t, "ada").Connect()
	for range 2 {
		endScan(s, s.Expect(protocol.TypeTask), true, post(w, "1", "go word1"))
	}
	s.ExpectNone()
	require.Len(t, team.Posts(t, more.ID), 1)
}

// TestSharedScansAtTheDailyCap: an account is handed no more scans than its
// allowance, however many entries share them; the rest waits and reports why.
func TestSharedScansAtTheDailyCap(t *testing.T) {
	t.Parallel()
	limit, _ := watchpost.AllowanceOf(watchpost.ActionKeywordScan)
	const rest = 2
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	var entries []watchpost.KeywordEntry
	for i := range limit.Limit + rest {
		entries = append(entries, watchpost.KeywordEntry{Keyword: fmt.Sprint("word", i)})
	}
	lists := []watchpost.Watchlist{keywordEntries(t, team, entries...), keywordEntries(t, team, entries...)}
	require.Equal(t, limit.Limit+rest, waitingScans(t, team, lists...), "each is shared by two")
	s := team.Session(t, "ada").Connect()
	scanned := map[string]int{}
	used := func(want int) {
		t.Helper()
		for range want {
			f := s.Expect(protocol.TypeTask)
			scanned[scanInput(t, f).Keyword]++
			endScan(s, f, true)
		}
		s.ExpectNone()
		require.Equal(t, want, team.Used(t, s.Email, watchpost.ActionKeywordScan))
	}
	waits := func(want int) {
		t.Helper()
		w.Advance(11 * time.Second) // the metrics are counted again
		s.Heartbeat()
		s.ExpectNone()
		require.Equal(t, want, waitingScans(t, team, lists...))
		require.InDelta(t, want, w.Pending(string(watchpost.PendingDailyCap)), 0)
	}
	used(limit.Limit)
	waits(rest)
	require.Len(t, scanned, limit.Limit)
	w.Advance(time.Hour + time.Minute) // all are due
	waits(limit.Limit + rest)
	require.Equal(t, limit.Limit, team.Used(t, s.Email, watchpost.ActionKeywordScan))
	w.SetClock(watchpost.Daily.Reset(w.Now()).Add(time.Second))
	s.Heartbeat()
	used(limit.Limit)
	require.Len(t, scanned, limit.Limit+rest, "those that waited came first")
}

// TestSharedScanFails: each of the entries waits for its next turn.
func TestSharedScanFails(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	lists := []watchpost.Watchlist{keywordWatchlist(t, team, "go"), keywordWatchlist(t, team, "go")}
	require.Equal(t, 1, waitingScans(t, team, lists...))
	s := team.Session(t, "ada").Connect()
	scan := s.Expect(protocol.TypeTask)
	s.Error(scan, "invalid_input", actorstest.Truth)
	s.ExpectAck(scan)
	s.ExpectNone()
	for _, list := range lists {
		require.Eventually(t, func() bool { // a watchlist hears of the end a moment after the session
			return getWatchlist(t, team, list).NextScanAt.After(w.Now().Add(time.Hour - actorstest.Wait))
		}, actorstest.Wait, time.Millisecond)
	}
}
