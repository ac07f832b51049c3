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

// TestPendingMetrics: the gauges say why work waits, for how long the oldest
// scan has been due, and nothing when there is none. A scan that was cancelled
// is no failed task.
func TestPendingMetrics(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	refresh := func() {
		w.Advance(11 * time.Second)
		s.Heartbeat()
		s.Settle()
	}
	require.Zero(t, w.Pending("queued"))
	first := team.Create(t, watchpost.TaskProfileFetch)
	frame := s.ExpectTask(first)
	second := team.Create(t, watchpost.TaskProfileFetch)
	list := keywordWatchlist(t, team, "go")
	require.Eventually(t, func() bool {
		return actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).WaitingScans == 1
	}, actorstest.Wait, time.Millisecond)
	refresh()
	require.Equal(t, 1.0, w.Pending("running"))
	require.Equal(t, 2.0, w.Pending("queued"))
	w.Advance(10 * time.Minute)
	require.InDelta(t, 600, w.Gauge("watchpost_oldest_due_scan_seconds"), 30)
	s.Drop()
	require.Eventually(t, func() bool { return w.Pending("extension_offline") == 2 }, actorstest.Wait, time.Millisecond)
	done(t, team, actors.DeleteWatchlist{Type: list.Type, ID: list.ID})
	// The deletion is answered before the scan's task has heard of it.
	require.Eventually(t, func() bool { return w.TaskEvents(watchpost.TaskKeywordScan, "cancelled") == 1 }, actorstest.Wait, time.Millisecond)
	require.Zero(t, w.TaskEvents(watchpost.TaskKeywordScan, "failed"))
	s.Connect()
	s.Result(frame, map[string]any{})
	for open := map[string]bool{string(first): true, string(second): true}; len(open) > 0; {
		switch f := s.Next(); {
		case f.Type == protocol.TypeAck:
			delete(open, f.Task)
		case f.Type == protocol.TypeTask && f.Task == string(second): // the first may be handed out again
			s.Result(f, map[string]any{})
		}
	}
	s.Drop()
	team.Create(t, watchpost.TaskProfileFetch) // no session begins it, so it expires
	w.Advance(8 * 24 * time.Hour)
	for _, reason := range []string{"running", "queued", "extension_offline"} {
		// A moment is answered when its ends are durable, not when they are counted.
		require.Eventually(t, func() bool { return w.Pending(reason) == 0 }, actorstest.Wait, time.Millisecond, reason)
	}
	require.Zero(t, w.Gauge("watchpost_oldest_due_scan_seconds"))
}

// TestDueScansOfRestingTeams: scans wait also of teams that are not in memory, of
// keywords and of lists, and after a restart. A team whose browsers have been away for
// two days has given them up.
func TestDueScansOfRestingTeams(t *testing.T) {
	t.Parallel()
	for _, list := range []bool{false, true} {
		t.Run(fmt.Sprint("list ", list), func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			if list {
				done(t, team, followers(1, "", "jane"))
			} else {
				keywordWatchlist(t, team, "go")
			}
			endScan(s, s.Expect(protocol.TypeTask), true)
			due := w.Now().Add(time.Hour)
			s.Drop()
			rest := func() { // the end of a connection may come after a look for unused teams
				t.Helper()
				require.Eventually(t, func() bool {
					w.Advance(actors.DefaultIdleAfter)
					return w.Registry.Active() == 0
				}, actorstest.Wait, 10*time.Millisecond)
			}
			rest()
			waits := func(age time.Duration) {
				t.Helper()
				require.InDelta(t, age.Seconds(), w.Gauge("watchpost_oldest_due_scan_seconds"), 60)
			}
			require.NoError(t, w.Registry.LookForDueScans(w.Context()))
			waits(max(0, w.Now().Sub(due)))
			w.SetClock(due.Add(7 * time.Hour))
			waits(7 * time.Hour)
			w.Restart()
			require.NoError(t, w.Registry.LookForDueScans(w.Context()))
			waits(7 * time.Hour)
			require.Zero(t, w.Registry.Active(), "nothing was activated")

			actorstest.Must[actors.TeamView](t, team, actors.GetTeam{})
			rest()
			waits(w.Now().Sub(due)) // as the team said when it left
			w.Advance(watchpost.LivenessWindow)
			waits(0)
			require.NoError(t, w.Registry.LookForDueScans(w.Context()))
			waits(0)
		})
	}
}
