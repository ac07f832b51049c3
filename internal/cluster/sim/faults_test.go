package sim

import (
	"fmt"
	"slices"
	"time"
)

// plan draws the faults of a life.
func (w *world) plan() {
	for i := range 2 + w.random.IntN(7) {
		at := calmFor + w.between(0, faultFor-time.Second)
		w.after(at, fmt.Sprint("fault ", i), func() {
			w.metrics.faults++
			faults[w.random.IntN(len(faults))](w)
		})
	}
}

// faults are what may happen.
var faults = []func(*world){
	(*world).killOne, (*world).killOne, (*world).stopOne, (*world).drainOne, (*world).freezeOne, (*world).freezeOne,
	(*world).cutNodes, (*world).cutNode, (*world).cutDatabase, (*world).cutDatabase, (*world).cutClients,
	(*world).restartDatabase, (*world).stepClock, (*world).addNoise, (*world).addNode,
}

// one draws a process that runs; nil: there is none.
func (w *world) one() *process {
	var up []*process
	for _, p := range w.slots {
		if p != nil && !p.dead.Load() && !p.stopped && !p.stopping {
			up = append(up, p)
		}
	}
	if len(up) == 0 {
		return nil
	}
	return up[w.random.IntN(len(up))]
}

// restart starts a process in place of one that has ended.
func (w *world) restart(slot int) {
	if p := w.slots[slot]; !p.dead.Load() {
		p.kill()
	}
	w.boot(slot)
}

// restartLater starts the node of a process after a time, unless that was done.
func (w *world) restartLater(p *process, after time.Duration) {
	w.after(after, fmt.Sprint("restart ", p.id), func() {
		if w.slots[p.slot] == p && !w.healing {
			w.restart(p.slot)
		}
	})
}

func (w *world) killOne() {
	if p := w.one(); p != nil {
		away := w.between(50*time.Millisecond, 9*time.Second)
		w.tell("%s is killed, and starts after %s", p.name, away)
		p.kill()
		w.restartLater(p, away)
	}
}

func (w *world) stopOne() {
	if p := w.one(); p != nil && p.joined {
		away := w.between(time.Second, 12*time.Second)
		w.tell("%s is stopped, and starts after %s", p.name, away)
		p.stopping = true
		p.stop()
		w.restartLater(p, away)
	}
}

func (w *world) drainOne() {
	if p := w.one(); p != nil {
		w.tell("an operator drains %s", p.name)
		w.db.drain(p.name)
		w.restartLater(p, w.between(3*time.Second, 15*time.Second))
	}
}

func (w *world) freezeOne() {
	if p := w.one(); p != nil {
		d := w.between(200*time.Millisecond, 14*time.Second)
		w.tell("%s is frozen for %s", p.name, d)
		p.frozen = w.now() + d
		p.trouble(p.frozen)
	}
}

// cutFor cuts pairs of parties from each other for a time, sometimes in one way only.
func (w *world) cutFor(what string, pairs [][2]int) {
	d := w.between(500*time.Millisecond, 15*time.Second)
	oneWay := w.oneIn(4)
	w.tell("%s for %s (one way: %v)", what, d, oneWay)
	set := func(cut bool) {
		for _, pair := range pairs {
			w.network.cut[pair[0]][pair[1]] = cut
			if !oneWay || !cut {
				w.network.cut[pair[1]][pair[0]] = cut
			}
		}
		w.network.release(w)
	}
	set(true)
	w.after(d, what+" ends", func() {
		if !w.healing {
			set(false)
			w.db.endDead()
		}
	})
}

func (w *world) cutNodes() {
	a, b := w.one(), w.one()
	if a != nil && a != b {
		w.cutFor(fmt.Sprintf("%s and %s are cut from each other", a.name, b.name), [][2]int{{a.slot, b.slot}})
	}
}

func (w *world) cutNode() {
	if p := w.one(); p != nil {
		var pairs [][2]int
		for i := range maxNodes {
			if i != p.slot {
				pairs = append(pairs, [2]int{p.slot, i})
			}
		}
		w.cutFor(p.name+" is cut from the other nodes", pairs)
	}
}

func (w *world) cutDatabase() {
	if p := w.one(); p != nil {
		w.cutFor(p.name+" is cut from the database", [][2]int{{p.slot, database}})
	}
}

func (w *world) cutClients() {
	if p := w.one(); p != nil {
		p.trouble(w.now() + 16*time.Second)
		w.cutFor(p.name+" is cut from the clients", [][2]int{{clientParty, p.slot}})
	}
}

func (w *world) restartDatabase() {
	away := w.between(10*time.Millisecond, 5*time.Second)
	w.tell("the database fails over, or starts again, and is back after %s", away)
	w.db.restart(away)
}

func (w *world) stepClock() {
	step := w.between(-time.Hour, time.Hour)
	w.tell("the clock of the database steps by %s", step)
	w.db.clock += step
}

func (w *world) addNoise() {
	d := w.between(time.Second, 10*time.Second)
	noise := 4 + w.random.IntN(60)
	w.tell("one of %d messages is lost, doubled or late for %s", noise, d)
	w.network.noise = noise
	w.after(d, "noise ends", func() { w.network.noise = 0 })
}

func (w *world) addNode() {
	if slot := slices.Index(w.slots[:], nil); slot >= 0 && w.followed == nil {
		w.boot(slot)
	}
}

// trouble notes until when the process may not answer.
func (p *process) trouble(until time.Duration) { p.troubled = max(p.troubled, until) }

// excused reports whether a request needs no reply: its node could not give it.
func (w *world) excused(a *asked) bool { return a.p.troubled > a.sent || a.p.stopped }

// endDead ends the sessions of processes that have ended, whose nodes are reached again.
func (s *server) endDead() {
	s.sessions = slices.DeleteFunc(s.sessions, func(l *lockSession) bool {
		return l.of.p.dead.Load() && !s.w.network.cut[l.of.p.slot][database]
	})
}
