package cluster

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func viewOf(ids ...string) View {
	v := View{Version: 1}
	for _, id := range ids {
		v.Members = append(v.Members, Member{ID: id, Seen: 1})
	}
	return v
}

func TestPlacementMovesOnlyTheShareOfOneNode(t *testing.T) {
	const names = 3000
	three, four := viewOf("a:1", "b:1", "c:1"), viewOf("a:1", "b:1", "c:1", "d:1")
	moved, share := 0, map[string]int{}
	for i := range names {
		name := fmt.Sprintf("team-%d", i)
		before, after := three.Owner(name), four.Owner(name)
		share[before]++
		if before != after {
			require.Equal(t, "d:1", after, "a join moves names to the new node only")
			moved++
		}
	}
	for id, n := range share {
		require.InDelta(t, names/3, n, names/15, id)
	}
	require.InDelta(t, names/4, moved, names/15)
	require.Empty(t, View{}.Owner("team"))
}

func TestDrainingNodesOwnNothing(t *testing.T) {
	v := viewOf("a:1", "b:1")
	v.Members[0].Draining = true
	for i := range 50 {
		require.Equal(t, "b:1", v.Owner(fmt.Sprint(i)))
	}
	v.Members[1].Draining = true
	require.NotEmpty(t, v.Owner("team"), "when all drain, they go on")
}

// simulated is the database's part of the protocol, and what each node knows.
type simulated struct {
	view  View
	nodes map[string]*simulatedNode
}

type simulatedNode struct {
	own    ownership
	member bool // its lease has not ended
}

// handed is a name on its way from the node that has handed it over.
type handed struct {
	to, name string
	asked    int64
}

func (s *simulated) index(id string) int {
	return slices.IndexFunc(s.view.Members, func(m Member) bool { return m.ID == id })
}

// TestNoNameIsServedTwice plays joins, ends of leases, drains, readings of the view,
// confirmations and handovers, which may arrive late, in any order. A node whose lease
// ended serves nothing; it ends before the others can see that.
func TestNoNameIsServedTwice(t *testing.T) {
	ids := []string{"a", "b", "c"}
	served, early := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := simulated{nodes: map[string]*simulatedNode{}}
		for _, id := range ids {
			s.nodes[id] = &simulatedNode{own: ownership{id: id}}
		}
		var underWay []handed
		steps := []string{"join", "expire", "drain"}
		for len(steps) < 60 { // most views are settled before the next
			steps = append(steps, "read", "confirm", "ask", "take")
		}
		for range 600 {
			id := ids[rapid.IntRange(0, len(ids)-1).Draw(t, "node")]
			n, at := s.nodes[id], s.index(id)
			switch step := steps[rapid.IntRange(0, len(steps)-1).Draw(t, "step")]; {
			case step == "join" && at < 0:
				s.view.Members = append(slices.Clone(s.view.Members), Member{ID: id})
				s.view.Version++
				n.own.reset()
				n.member = true
			case step == "expire" && at >= 0:
				s.view.Members = slices.Delete(slices.Clone(s.view.Members), at, at+1)
				s.view.Version++
				n.member = false
			case step == "drain" && at >= 0:
				s.view.Members = slices.Clone(s.view.Members)
				s.view.Members[at].Draining = true
				s.view.Version++
			case step == "read" && at >= 0:
				n.own.move(s.view)
			case step == "confirm" && at >= 0:
				s.view.Members = slices.Clone(s.view.Members)
				s.view.Members[at].Seen = max(s.view.Members[at].Seen, n.own.views.current().Version)
			case step == "ask" && len(n.own.views) > 0:
				from := s.nodes[ids[rapid.IntRange(0, len(ids)-1).Draw(t, "from")]]
				for i := range 8 {
					if asked := n.own.views.current().Version; from.own.mayHandOver(fmt.Sprint(i), id, asked) {
						underWay = append(underWay, handed{id, fmt.Sprint(i), asked})
					}
				}
			case step == "take":
				underWay = slices.DeleteFunc(underWay, func(h handed) bool {
					if h.to == id && n.own.acceptHandover(h.name, h.asked) && n.member && !n.own.views.serves(id, h.name) {
						early++
					}
					return h.to == id
				})
			}
			for i := range 8 {
				name, by := fmt.Sprint(i), []string{}
				for _, id := range ids {
					if n := s.nodes[id]; n.member && n.own.serves(name) {
						by = append(by, id)
					}
				}
				if served += len(by); len(by) > 1 {
					t.Fatalf("%q is served by %v", name, by)
				}
			}
		}
	})
	require.NotZero(t, served)
	require.NotZero(t, early, "a name is served before the view is settled")
}
