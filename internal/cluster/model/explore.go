package model

import (
	"fmt"
	"slices"
	"strings"
)

// Bounds are of a run.
type Bounds struct {
	// Views is how many versions there may be, Faults how many faults, and Lapses how often
	// a lease may end.
	Views, Faults, Lapses uint8
	// Both: it begins with two members, not with one.
	Both bool
}

// begin is the state in which the members know that they are.
func begin(b Bounds) State {
	s := State{View: View{Version: 1}, Faults: b.Faults, Lapses: b.Lapses}
	for i := range Nodes {
		if i == 0 || b.Both {
			s.View.Members |= (member | confirmed) << i
		}
	}
	for i := range Nodes {
		if s.Row[i] = s.View.Member(i); s.Row[i] {
			s.Node[i] = Node{Up: true, Lease: true, Lock: true, Joined: true, Known: [Views]View{s.View}, Count: 1}
		}
	}
	return s
}

// Wrong returns the invariant that a state breaks; empty: none.
func Wrong(s State, r Rules) string {
	here, writers := 0, 0
	for i := range s.Node {
		n := &s.Node[i]
		if n.Here(i, r) {
			here++
			if n.Memory == Active && n.Stale {
				return fmt.Sprintf("node %d answers from a state that is older than a stored change", i)
			}
		}
		if n.Up && n.Memory == Active && (n.Newest || r.EpochUnchecked) {
			writers++
		}
	}
	switch {
	case here > 1:
		return "both nodes serve the team"
	case writers > 1:
		return "the store takes the changes of both nodes"
	}
	return ""
}

// Serving reports whether a node answers for the team.
func Serving(s State, i int) bool {
	return s.Node[i].Memory == Active && !s.Node[i].Leaving && s.Node[i].Here(i, Rules{})
}

// Explored is every state that can be reached.
type Explored struct {
	States []State
	// Transitions counts the steps that change a state; Beyond counts those with
	// more views than the bounds allow, which are not followed.
	Transitions, Beyond int
	// Taken counts the transitions of each of Steps.
	Taken []int

	rules   Rules
	parents []uint32
	by      []uint8 // the step from the parent, and the node
	edges   []edge
	cut     []bool
}

type edge struct {
	from, to uint32
	actor    uint8
}

// Visit is called with each transition, of a node by one of Steps.
type Visit func(from, to *State, step, node int)

// Explore tries all steps in all states, the nearest first, until a state is wrong. visit
// may be nil.
func Explore(b Bounds, r Rules, visit Visit) (e *Explored, wrong string) {
	e = &Explored{rules: r, Taken: make([]int, len(Steps))}
	index := map[State]uint32{}
	add := func(s State, parent uint32, by uint8) uint32 {
		at, known := index[s]
		if !known {
			at = uint32(len(e.States))
			index[s] = at
			e.States, e.parents, e.by, e.cut = append(e.States, s), append(e.parents, parent), append(e.by, by), append(e.cut, false)
		}
		return at
	}
	add(begin(b), 0, 0)
	for at := uint32(0); int(at) < len(e.States); at++ {
		if wrong = Wrong(e.States[at], r); wrong != "" {
			return e, wrong + "\n\t" + strings.Join(e.path(at), "\n\t")
		}
		for step := range Steps {
			for i := range Nodes {
				next, actor, ok := take(e.States[at], step, i, r)
				switch {
				case !ok:
					continue
				case next.View.Version > b.Views:
					e.Beyond++
					e.cut[at] = true
					continue
				}
				next = next.canonical()
				if next == e.States[at] {
					continue
				}
				to := add(next, at, uint8(step*Nodes+i))
				e.Transitions++
				e.Taken[step]++
				e.edges = append(e.edges, edge{at, to, uint8(actor)})
				if visit != nil {
					visit(&e.States[at], &e.States[to], step, i)
				}
			}
		}
	}
	return e, ""
}

// take returns the state after a step, before it is made canonical.
func take(s State, step, i int, r Rules) (next State, actor int, ok bool) {
	actor = Steps[step].Actor(i)
	if actor == Fault {
		if s.Faults == 0 {
			return s, actor, false
		}
		s.Faults--
	}
	return s, actor, Steps[step].Do(&s, i, r)
}

// path returns the steps to a state, in words.
func (e *Explored) path(at uint32) (steps []string) {
	for ; at != 0; at = e.parents[at] {
		steps = append(steps, fmt.Sprintf("node %d: %s", e.by[at]%Nodes, Steps[e.by[at]/Nodes].Name))
	}
	slices.Reverse(steps)
	return steps
}

// Stuck returns the way to a state from which a node that runs never serves the team, nor
// the other does, although no more faults happen. With alone, the other node does nothing
// more, but its lease can end. It returns nil when there is no such state.
func (e *Explored) Stuck(node int, alone bool) []string {
	reaches := make([]bool, len(e.States))
	var next []uint32
	note := func(at uint32) {
		if !reaches[at] {
			reaches[at] = true
			next = append(next, at)
		}
	}
	for at := range e.States {
		if e.cut[at] || Serving(e.States[at], node) || !alone && Serving(e.States[at], other(node)) {
			note(uint32(at))
		}
	}
	back := e.backward(node, alone)
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		for _, from := range back[at] {
			note(from)
		}
	}
	for at := range e.States {
		if s := &e.States[at]; !reaches[at] && s.Node[node].Up && (!alone || s.Lapses > 0) {
			return append(e.path(uint32(at)), fmt.Sprintf("%+v", e.States[at]))
		}
	}
	return nil
}

// backward lists the states before each, by the steps of a node and of time, or of both
// nodes.
func (e *Explored) backward(node int, alone bool) [][]uint32 {
	back := make([][]uint32, len(e.States))
	for _, of := range e.edges {
		if actor := int(of.actor); actor == node || actor == Time || actor == other(node) && !alone {
			back[of.to] = append(back[of.to], of.from)
		}
	}
	return back
}
