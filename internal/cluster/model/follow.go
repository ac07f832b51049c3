package model

import (
	"maps"
	"slices"
)

// Seen is the part of a state that can be seen of two real nodes and their database.
type Seen struct {
	View View
	Node [Nodes]struct {
		Up   bool // it has held its lock since it was started
		Lock bool // a session holds its lock in the database
		Here bool // it serves the team
		// View is the version of the view that it knows last.
		View uint8
	}
}

// see returns the visible part of a state.
func (s *State) see() (seen Seen) {
	seen.View = s.View
	for i := range s.Node {
		at, n := &seen.Node[i], &s.Node[i]
		at.Up, at.Lock, at.Here, at.View = n.Up, n.Lock, n.Here(i, Rules{}), n.Current().Version
	}
	return seen
}

// Follower holds every state that fits all that was seen of two real nodes. It knows nothing
// of the actor of the team, which may have ended at any time.
type Follower struct {
	states map[State]struct{}
	seen   Seen
	full   bool // a state was left out that has no room for another view
	// Most is the largest number of states that there were.
	Most int
	// Lost: it accepts everything from now on. More states than bearable fit, or the state
	// that fits has no room for its views.
	Lost bool
}

// bearable is how many states a follower holds: a few seconds of a processor.
const bearable = 50_000

// NewFollower begins with two nodes that have not been started.
func NewFollower() *Follower {
	f := &Follower{states: map[State]struct{}{}}
	f.add(f.states, State{})
	return f
}

// Seen returns the last state that See was given.
func (f *Follower) Seen() Seen { return f.seen }

// add adds a state, and those that follow from it by steps that cannot be seen.
func (f *Follower) add(states map[State]struct{}, s State) {
	next := []State{s}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		if _, known := states[at]; known {
			continue
		}
		if len(states) == bearable {
			f.Lost = true
			return
		}
		states[at] = struct{}{}
		seen := at.see()
		f.after(at, func(after State) {
			if after.see() == seen {
				next = append(next, after)
			}
		})
	}
}

// after calls do with each state after a step.
func (f *Follower) after(s State, do func(State)) {
	for step := range Steps {
		for i := range Nodes {
			if next, ok := f.take(s, step, i); ok && !Steps[step].Told {
				do(next)
			}
		}
	}
}

// take returns the state after a step of a node.
func (f *Follower) take(s State, step, i int) (next State, ok bool) {
	if s.Node[i].Count == Views {
		f.full = true
		return s, false
	}
	s.Faults, s.Lapses = 1, 1
	next, _, ok = take(s, step, i, Rules{})
	next.Faults, next.Lapses = 0, 0
	return next.canonical(), ok && next.Node[i].Memory == Absent
}

// Told notes that a node may have taken one of Steps, which is named. It is invisible.
func (f *Follower) Told(name string, i int) {
	if f.Lost {
		return
	}
	step := slices.IndexFunc(Steps, func(s Step) bool { return s.Name == name })
	for s := range maps.Clone(f.states) {
		if next, ok := f.take(s, step, i); ok {
			f.add(f.states, next)
		}
	}
}

// See takes the visible state of now. It reports whether one step leads there from a state
// that fitted, or Lost.
func (f *Follower) See(now Seen) bool {
	if now == f.seen || f.Lost {
		return true
	}
	to := map[State]struct{}{}
	for s := range f.states {
		if s.see() == now { // by a step that was told
			f.add(to, s)
			continue
		}
		f.after(s, func(after State) {
			if after.see() == now {
				f.add(to, after)
			}
		})
	}
	f.states, f.seen, f.Most = to, now, max(f.Most, len(to))
	f.Lost = f.Lost || len(to) == 0 && f.full
	return len(to) > 0 || f.Lost
}
