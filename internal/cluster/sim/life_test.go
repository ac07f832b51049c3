package sim

import (
	"fmt"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"watchpost/internal/cluster/model"
)

// met counts what lives have met.
type met struct {
	answered, refused, lost, doubled, late, faults, views int
	healed                                                time.Duration // the longest
}

func (m *met) add(o met) {
	m.answered += o.answered
	m.refused += o.refused
	m.lost += o.lost
	m.doubled += o.doubled
	m.late += o.late
	m.faults += o.faults
	m.views += o.views
	m.healed = max(m.healed, o.healed)
}

// result is how a life went.
type result struct {
	seed  uint64
	fault string // the broken promise; empty: none
	hash  uint64
	steps int
	span  time.Duration
	story []string
	met   met
}

// play plays the life of a seed. It replaces the sources of chance of the process: no
// other test may run at the same time. trace gets a line for each step; nil: none.
func play(t *testing.T, seed uint64, trace func(line string)) (r result) {
	return playFollowed(t, seed, trace, nil)
}

// playFollowed is play, with two nodes and one team that the model follows.
func playFollowed(t *testing.T, seed uint64, trace func(line string), f *followed) (r result) {
	t.Run(fmt.Sprint("life ", seed), func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, seed)
		synctest.Test(t, func(*testing.T) {
			w := newWorld(seed, trace)
			w.followed = f
			w.live()
			w.metrics.views = int(w.db.version)
			r = result{seed, w.fault, w.hash, w.steps, w.now(), w.story, w.metrics}
			w.end()
		})
	})
	return r
}

// String tells a failure, and how to play it again.
func (r result) String() string {
	return fmt.Sprintf("%s\n\nseed %d, trace %016x, %d steps:\n\n\t%s\n\nto play it again:\n\n\tmake sim-nodes SEED=%d\n",
		r.fault, r.seed, r.hash, r.steps, strings.Join(r.story, "\n\t"), r.seed)
}

// Parts of a life.
const (
	calmFor  = 4 * time.Second  // before the first fault
	faultFor = 25 * time.Second // in which faults begin
	healsIn  = 10 * time.Second // from the end of the faults until everything serves
)

// live plays the life.
func (w *world) live() {
	nodes := 3 + w.random.IntN(3)
	if w.followed != nil {
		nodes = model.Nodes
		w.followed.team = &team{name: modelled(w.seed), keys: map[string]int{}}
		w.teams = append(w.teams, w.followed.team)
	} else {
		for i := range 3 {
			w.teams = append(w.teams, &team{name: fmt.Sprintf("team-%d-%d", w.seed, i), keys: map[string]int{}})
		}
	}
	for i := range nodes {
		w.after(w.between(0, time.Second), fmt.Sprint("boot ", i), func() { w.boot(i) })
	}
	for i := range 6 {
		c := &client{w: w, id: i, team: w.teams[i%len(w.teams)]}
		w.clients = append(w.clients, c)
		c.next()
	}
	w.plan()
	w.runUntil(calmFor+faultFor, nil)
	if !w.failed() {
		w.heal()
	}
}

// heal ends all faults, and checks that every node serves every team in time.
func (w *world) heal() {
	w.tell("all faults end")
	w.healing = true
	w.network.noise = 0
	w.network.cut = [parties][parties]bool{}
	w.network.release(w)
	w.db.down = false
	w.db.endDead()
	for slot, p := range w.slots {
		switch {
		case p == nil:
		case p.dead.Load() || p.stopping: // no one else starts it again
			w.restart(slot)
		default:
			p.frozen = min(p.frozen, w.now())
		}
	}
	begun, missing := w.now(), 0
	for slot, p := range w.slots {
		if p == nil {
			continue
		}
		for i, t := range w.teams {
			missing++
			c := &client{w: w, id: 100 + 10*slot + i, team: t}
			w.probe(c, slot, func() { missing-- })
		}
	}
	w.runUntil(begun+healsIn, func() bool { return missing == 0 })
	if missing > 0 {
		w.fail("%d of the teams are not served at all nodes %s after the faults: %s", missing, healsIn, w.places())
	}
	w.metrics.healed = max(w.metrics.healed, w.now()-begun)
}

// probe asks a node for a team until it answers.
func (w *world) probe(c *client, slot int, answered func()) {
	if !w.slots[slot].joined {
		w.after(100*time.Millisecond, fmt.Sprint("probe ", c.id), func() { w.probe(c, slot, answered) })
		return
	}
	c.request(slot, func(ok bool) {
		if ok {
			answered()
			return
		}
		w.after(50*time.Millisecond, fmt.Sprint("probe ", c.id), func() { w.probe(c, slot, answered) })
	})
}

// places says what each node knows about the teams.
func (w *world) places() string {
	var said []string
	for _, p := range w.slots {
		if p == nil {
			continue
		}
		for _, t := range w.teams {
			place, _ := p.node.Place(t.name)
			said = append(said, fmt.Sprintf("%s %s %+v", p.name, t.name, place))
		}
	}
	return strings.Join(said, "; ")
}

// end ends all processes, and the goroutines that wait in them.
func (w *world) end() {
	w.trace = nil
	for _, p := range w.slots {
		if p != nil && !p.dead.Load() {
			p.kill()
		}
	}
	time.Sleep(2 * time.Minute)
	synctest.Wait()
}
