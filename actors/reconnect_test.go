package actors_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestConnectionsLeaveNoActor: neither connections that end, nor those that are
// replaced, nor those that give up before the welcome.
func TestConnectionsLeaveNoActor(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	s := team.Session(t, "ada").Connect()
	s.Drop()
	before := 0
	require.Eventually(t, func() bool { // the session's actor ends behind its last connection
		last := before
		before = w.Registry.Processes()
		return last == before
	}, actorstest.Wait, 50*time.Millisecond)
	for range 20 {
		s.Connect()
		older := s.Line()
		s.Connect()
		require.Equal(t, protocol.CloseReplaced, older.ExpectClosed().Code)
		older.Drop()
		s.Drop()
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if s.HelloContext(ended) == nil {
			s.Drop()
		}
		// Behind the hello, which the team has taken although no caller waits.
		actorstest.Must[[]actors.SessionView](t, team, actors.ListSessions{})
		require.Eventually(t, func() bool { return w.Registry.Processes() == before }, actorstest.Wait, time.Millisecond)
	}
}
