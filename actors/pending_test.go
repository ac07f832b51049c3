package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
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
	team.Create(t, watchpost.TaskProfileFetch)
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
	s.Connect()
	s.Result(frame, map[string]any{})
	for s.Next().Type != protocol.TypeAck {
	}
	done(t, team, actors.DeleteWatchlist{Type: list.Type, ID: list.ID})
	// The deletion is answered before the scan's task has heard of it.
	require.Eventually(t, func() bool { return w.TaskEvents(watchpost.TaskKeywordScan, "cancelled") == 1 }, actorstest.Wait, time.Millisecond)
	require.Zero(t, w.TaskEvents(watchpost.TaskKeywordScan, "failed"))
	s.Drop()
	w.Advance(8 * 24 * time.Hour)
	for _, reason := range []string{"running", "queued", "extension_offline"} {
		// A moment is answered when its ends are durable, not when they are counted.
		require.Eventually(t, func() bool { return w.Pending(reason) == 0 }, actorstest.Wait, time.Millisecond, reason)
	}
	require.Zero(t, w.Gauge("watchpost_oldest_due_scan_seconds"))
}
