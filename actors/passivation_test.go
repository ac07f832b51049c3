package actors_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

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
