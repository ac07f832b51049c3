package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

func TestGate(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanFree)
	err := actorstest.Fails(t, team, watchpost.ExtensionRequired, actors.RequireExtension{})
	require.ErrorContains(t, err, "Plugin installation required")
	s := team.Session(t, "ada")
	s.Account.SignedIn = false
	s.Connect()
	actorstest.Fails(t, team, watchpost.ExtensionRequired, actors.RequireExtension{})
	s.Account.SignedIn = true
	s.Heartbeat()
	s.ExpectNone()
	at := w.Now()
	done(t, team, actors.RequireExtension{})
	s.Drop()
	w.SetClock(at.Add(48*time.Hour - 2*time.Second)) // the clock runs on while the test does
	done(t, team, actors.RequireExtension{})
	w.SetClock(at.Add(48*time.Hour + time.Second))
	actorstest.Fails(t, team, watchpost.ExtensionRequired, actors.RequireExtension{})

	t.Run("an advance is no sign of life, even while connected", func(t *testing.T) {
		s.Connect()
		done(t, team, actors.RequireExtension{})
		w.Advance(48*time.Hour + time.Second)
		actorstest.Fails(t, team, watchpost.ExtensionRequired, actors.RequireExtension{})
		s.Heartbeat()
		s.ExpectNone()
		done(t, team, actors.RequireExtension{})
	})
	t.Run("the sign of life survives a crash, to ten minutes", func(t *testing.T) {
		w.Crash()
		done(t, team, actors.RequireExtension{})
		w.Advance(47*time.Hour + 49*time.Minute)
		done(t, team, actors.RequireExtension{})
		w.Advance(12 * time.Minute)
		actorstest.Fails(t, team, watchpost.ExtensionRequired, actors.RequireExtension{})
	})
	t.Run("heartbeats of ten minutes are one commit", func(t *testing.T) {
		s.Connect()
		before := w.Store.Submitted()
		for range 30 {
			w.Advance(protocol.HeartbeatEvery)
			s.Heartbeat()
			s.Settle()
		}
		require.LessOrEqual(t, w.Store.Submitted()-before, 2)
	})
	t.Run("the end of a connection stores the last one", func(t *testing.T) {
		w.Advance(9 * time.Minute)
		at := w.Now()
		s.Heartbeat()
		s.Settle()
		s.Drop()
		// The session's actor reports to the team after the connection has ended.
		require.Eventually(t, func() bool { return !storedLiveness(t, w, team).Before(at) }, actorstest.Wait, time.Millisecond)
		w.Crash()
		w.SetClock(at.Add(48*time.Hour - time.Minute))
		done(t, team, actors.RequireExtension{})
		w.SetClock(at.Add(48*time.Hour + time.Minute))
		actorstest.Fails(t, team, watchpost.ExtensionRequired, actors.RequireExtension{})
	})
	t.Run("a team that was never founded", func(t *testing.T) {
		nobody := &actorstest.Team{W: w, ID: watchpost.TeamID(watchpost.NewID(w.Now()))}
		actorstest.Fails(t, nobody, watchpost.NotFound, actors.RequireExtension{})
	})
}

// storedLiveness returns the only member's last sign of life that the store holds.
func storedLiveness(t *testing.T, w *actorstest.World, team *actorstest.Team) (last time.Time) {
	t.Helper()
	view, err := w.Store.View(w.Context())
	require.NoError(t, err)
	defer view.Close()
	require.NoError(t, teamspace.LoadAll(view, persistence.Space(team.ID), teamspace.KeyLiveness, func(_ string, at time.Time) { last = at }))
	return last
}
