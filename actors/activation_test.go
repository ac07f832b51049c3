package actors_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// trips counts the reads of keys. Each read is a round trip to another machine.
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

func (v tripsView) Lookup(key persistence.DirectoryKey) ([]byte, error) {
	v.n.Add(1)
	return v.View.Lookup(key)
}

func (v tripsView) LookupAll(kind string, names []string) ([][]byte, error) {
	v.n.Add(1)
	return v.View.LookupAll(kind, names)
}

// TestClaimsEndTogether: an activation that ends the sessions of many members reads their
// claims together, and ends each.
func TestClaimsEndTogether(t *testing.T) {
	t.Parallel()
	s := &trips{Store: actorstest.Engine(t)}
	w := actorstest.New(t, actorstest.On(s))
	ended := func(members int) int64 {
		team := w.CreateTeam(t, watchpost.PlanUltimate)
		for i := range members {
			name := fmt.Sprintf("%s-%d-%d", "member", members, i)
			team.SessionOf(t, team.Member(t, name), name).Connect().Drop()
		}
		require.Len(t, storedKeys(t, w, team, teamspace.KeyAccount), members)
		w.Advance(watchpost.SessionKept + time.Hour)
		w.Restart()
		before := s.n.Load()
		require.Empty(t, actorstest.Must[[]actors.SessionView](t, team, actors.ListSessions{}))
		trips := s.n.Load() - before
		require.Empty(t, storedKeys(t, w, team, teamspace.KeyAccount))
		require.Len(t, storedKeys(t, w, team, teamspace.KeyEndedClaim), members)
		return trips
	}
	require.Equal(t, ended(1), ended(30))
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
