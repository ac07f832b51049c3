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

// TestFailedToday: a team knows how many tasks of the day have failed, as the journal counts
// them, also after a restart. Cancelled ones, scans and tasks of the day before do not count.
func TestFailedToday(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	w.SetClock(time.Date(2030, 1, 11, 22, 0, 0, 0, time.UTC))
	check := func(want int) {
		t.Helper()
		totals, err := w.Registry.JournalTotals(w.Context(), team.ID, watchpost.Daily.Start(w.Now()))
		require.NoError(t, err)
		require.Equal(t, want, totals.Failed)
		require.Equal(t, want, actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).FailedTasks)
	}
	fail := func(f protocol.Frame) {
		t.Helper()
		s.Accept(f)
		s.Error(f, "not_found", new(bool))
		s.ExpectAck(f)
	}
	check(0)
	ids := fetches(t, team, 3)
	fail(s.ExpectTask(ids[0]))
	check(1)
	fail(s.ExpectTask(ids[1]))
	s.Finish(s.ExpectTask(ids[2]))
	s.Drop()
	done(t, team, actors.CancelTask{ID: fetches(t, team, 1)[0]})
	check(2)
	w.Restart()
	check(2)
	s.Connect()
	f := s.ExpectTask(fetches(t, team, 1)[0])
	s.Accept(f)
	w.SetClock(time.Date(2030, 1, 12, 0, 1, 0, 0, time.UTC))
	check(0)
	s.Error(f, "not_found", new(bool))
	s.ExpectAck(f)
	check(0)
	fail(s.ExpectTask(fetches(t, team, 1)[0]))
	check(1)

	keywordWatchlist(t, team, "go")
	fail(s.Expect(protocol.TypeTask)) // the scan
	check(1)
}
