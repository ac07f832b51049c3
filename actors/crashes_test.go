package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/persistence"
)

// TestFailuresAreNotRememberedForEver: a team that is always connected and
// loses one commit a week is refused no longer after the twelfth than after the
// first. Failures that follow one another are.
func TestFailuresAreNotRememberedForEver(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	lose := func(fault actorstest.Fault) {
		w.Store.Fail(persistence.Space(team.ID), 1, fault)
		actorstest.Fails(t, team, watchpost.Unavailable, actorstest.NewTask(watchpost.TaskSendMessage))
		s.ExpectClosed()
		w.AwaitPassivated()
	}
	for range 12 {
		lose(actorstest.Before)
		w.Advance(50 * time.Millisecond)
		s.Connect()
		w.Advance(7 * 24 * time.Hour)
	}
	for range 8 {
		lose(actorstest.Before)
		w.Advance(21 * time.Second)
		s.Connect()
	}
	lose(actorstest.Before)
	w.Advance(2 * time.Second)
	actorstest.Fails(t, team, watchpost.Unavailable, actors.GetTeam{})
	w.Advance(20 * time.Second)
	s.Connect()
}

// TestLostRaceIsNoFailure: a commit that met a change of the directory costs an
// activation, and no time.
func TestLostRaceIsNoFailure(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	for range 20 {
		w.Store.Fail(persistence.Space(team.ID), 1, actorstest.Conflict)
		actorstest.Fails(t, team, watchpost.Unavailable, actorstest.NewTask(watchpost.TaskSendMessage))
		s.ExpectClosed()
		w.AwaitPassivated()
		require.NoError(t, s.Hello())
	}
}

// TestFailureBeforeTheClockWentBack: the pause after a failure does not last until
// the clock is again where it was.
func TestFailureBeforeTheClockWentBack(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	w.Store.Fail(persistence.Space(team.ID), 1, actorstest.Before)
	actorstest.Fails(t, team, watchpost.Unavailable, actorstest.NewTask(watchpost.TaskSendMessage))
	s.ExpectClosed()
	w.AwaitPassivated()
	w.Clock.Jump(-3 * time.Hour)
	w.Advance(50 * time.Millisecond)
	s.Connect()
}
