package actors_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost"
	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/persistence"
)

// trips counts the reads of keys, each of which is a round trip to another machine.
type trips struct {
	persistence.Store
	n atomic.Int64
}

type tripsView struct {
	persistence.View
	n *atomic.Int64
}

func (s *trips) View(ctx context.Context) (persistence.View, error) {
	v, err := s.Store.View(ctx)
	return tripsView{v, &s.n}, err
}

func (v tripsView) Get(space persistence.Space, key []byte) ([]byte, error) {
	v.n.Add(1)
	return v.View.Get(space, key)
}

func (v tripsView) GetAll(space persistence.Space, keys [][]byte) ([][]byte, error) {
	v.n.Add(1)
	return v.View.GetAll(space, keys)
}

// TestActivationReadsTogether: how many tasks wait does not change which keys an
// activation reads. Those that were leased are read together.
func TestActivationReadsTogether(t *testing.T) {
	t.Parallel()
	s := &trips{Store: actorstest.Engine(t)}
	w := actorstest.New(t, actorstest.On(s))
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	activate := func(waiting int) int64 {
		w.Restart()
		before := s.n.Load()
		require.Equal(t, waiting, actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).WaitingTasks)
		return s.n.Load() - before
	}
	few := activate(0)
	for range 400 {
		team.Create(t, watchpost.TaskSendMessage)
	}
	require.Equal(t, few, activate(400))
}
