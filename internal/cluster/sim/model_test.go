package sim

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/cluster"
	"watchpost/internal/cluster/model"
)

// followed is a life of two nodes beside the model of their protocol.
type followed struct {
	follower *model.Follower
	team     *team
	locked   map[*process]bool // those that have held their lock
	changes  int
}

// modelled returns the name of a team that belongs to the second node when both are members.
func modelled(seed uint64) string {
	both := cluster.View{Members: []cluster.Member{{ID: address(0)}, {ID: address(1)}}}
	for i := 0; ; i++ {
		if name := fmt.Sprintf("team-%d-%d", seed, i); both.Owner(name) == address(1) {
			return name
		}
	}
}

// see returns what the model shows, of the life.
func (f *followed) see(w *world) (seen model.Seen) {
	seen.View.Version = uint8(w.db.version)
	for i := range model.Nodes {
		at, p := &seen.Node[i], w.slots[i]
		if m := w.db.members[address(i)]; m != nil {
			seen.View = seen.View.With(i, m.draining, m.seen == w.db.version)
		}
		holder := w.db.holder(address(i))
		at.Lock = holder != nil
		if p == nil || p.dead.Load() || p.stopped {
			continue
		}
		if f.locked[p] = f.locked[p] || holder == p; !f.locked[p] {
			continue
		}
		place, _ := p.node.Place(f.team.name)
		at.Up, at.Here, at.View = true, p.joined && place.Here, uint8(place.View)
	}
	return seen
}

// tell tells the model of a step that cannot be seen.
func (p *process) tell(step string) {
	if f := p.w.followed; f != nil && f.locked[p] {
		f.follower.Told(step, p.slot)
	}
}

// check fails a life that does what the model does not.
func (f *followed) check(w *world) {
	before, now := f.follower.Seen(), f.see(w)
	if now == before {
		return
	}
	if !f.follower.Lost {
		f.changes++
	}
	if !f.follower.See(now) {
		w.fail("the model has no step from %+v to %+v", before, now)
	}
}

// TestModel follows lives of two nodes with the model of package model: what happens to the
// members, the locks and the team has to be a step of it.
func TestModel(t *testing.T) {
	seeds := uint64(4)
	if os.Getenv("WATCHPOST_LONG") != "" {
		seeds = 100
	}
	changes := 0
	for seed := range seeds {
		f := &followed{follower: model.NewFollower(), locked: map[*process]bool{}}
		r := playFollowed(t, seed+1, nil, f)
		changes += f.changes
		t.Logf("seed %d: %d changes, at most %d states, lost %v", seed+1, f.changes, f.follower.Most, f.follower.Lost)
		if r.fault != "" {
			t.Error(r)
		}
	}
	require.Greater(t, changes, 10*int(seeds))
}
