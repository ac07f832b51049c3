package model

// Nodes is the number of nodes, Views the most views of a run.
const (
	Nodes = 2
	Views = 6
)

// View is the members under a version: a bit for each that is one, drains, and has
// confirmed the version.
type View struct{ Version, Members uint8 }

const (
	member    uint8 = 1
	draining  uint8 = 1 << Nodes
	confirmed uint8 = 1 << (2 * Nodes)
)

// Member reports whether a node is a member.
func (v View) Member(i int) bool { return v.Members&(member<<i) != 0 }

// Draining reports whether a node drains.
func (v View) Draining(i int) bool { return v.Members&(draining<<i) != 0 }

// Confirmed reports whether a node has confirmed the version.
func (v View) Confirmed(i int) bool { return v.Members&(confirmed<<i) != 0 }

// none is the owner when there are no members.
const none = -1

// Owner returns the node that the team belongs to: of two, the second.
func (v View) Owner() int {
	for _, drains := range []bool{false, true} {
		for i := Nodes - 1; i >= 0; i-- {
			if v.Member(i) && v.Draining(i) == drains {
				return i
			}
		}
	}
	return none
}

// Settled reports whether every member has confirmed.
func (v View) Settled() bool {
	for i := range Nodes {
		if v.Member(i) && !v.Confirmed(i) {
			return false
		}
	}
	return true
}

// With returns the view with a member.
func (v View) With(i int, drains, confirms bool) View {
	v.Members |= member << i
	if drains {
		v.Members |= draining << i
	}
	if confirms {
		v.Members |= confirmed << i
	}
	return v
}

// Without returns the view without a member.
func (v View) Without(i int) View {
	v.Members &^= (member | draining | confirmed) << i
	return v
}

// Phase is what the goroutine that renews does.
type Phase uint8

// Phases of a node.
const (
	Renewing   Phase = iota
	Joining          // it is no member, gives its names up, then joins
	SteppedOut       // it gives its names up, then leaves
)

// Release is what the goroutine that confirms views does.
type Release uint8

// Steps of a release.
const (
	Idle   Release = iota
	Wanted         // a view is not confirmed
	Ending         // it knows the version that it will confirm, and has told the actors to end whose names the node does not keep
)

// Memory is the actor of the team on a node.
type Memory uint8

// Lives of an actor.
const (
	Absent Memory = iota
	Found         // a request has found that the node serves the team; the epoch is not taken
	Taken         // the epoch is taken
	Active        // the state is loaded
)

// Late is a statement that its sender has given up, and that may reach the database yet.
type Late uint8

// Statements that do harm when they come late, or could.
const (
	NoneLate Late = iota
	LateConfirm
	LateJoin
	LateLeave
	LateActivate
	LateCommit
)

// Reply is the answer to a renewal on its way.
type Reply struct {
	On, Renewed bool
	// Held: the node's session held its lock when the renewal was sent.
	Held bool
	// Over: the lease that the renewal gives has ended already.
	Over bool
	View View
}

// Node is one node: its knowledge, and its statements on their way.
type Node struct {
	Up      bool
	Lease   bool // it has one by its own clock
	Lock    bool // its session holds its lock in the database
	Drained bool // an operator has asked for it
	Joined  bool // it was a member since it was started, or has left

	Phase      Phase
	Known      [Views]View // since the last settled; the current one is the last with members or a version
	Count      uint8       // of Known
	HandedOver bool        // the team, before the view is settled
	Reply      Reply

	Release  Release
	Outdated bool // the captured version is not the newest
	Memory   Memory
	Leaving  bool // the actor has to end
	Newest   bool // the actor's epoch is the newest
	Stale    bool // the actor lacks a change that the store has

	Asked   uint8 // the version under which it asks the other for the team; 0: it does not
	Granted uint8 // the same, of the reply on its way
	Handing uint8 // the version under which it is giving the team to the other
	Report  bool  // a report that the other refuses connections is on its way

	Late       Late
	LateEpoch  bool // the epoch of the late commit is the newest
	LateMember bool // the late statement is of the present membership
}

// State is the database and the nodes.
type State struct {
	View View
	// Row: the row of a node in the database is of its present membership.
	Row [Nodes]bool
	// Restarted: the database ended all sessions less than the time of a lease ago.
	Restarted bool
	Node      [Nodes]Node
	// Faults and Lapses are how many more there may be.
	Faults, Lapses uint8
}

// Current returns the last view that a node knows.
func (n *Node) Current() View {
	if n.Count == 0 {
		return View{}
	}
	return n.Known[n.Count-1]
}

// move stands for ownership.move.
func (n *Node) move(i int, v View, r Rules) {
	switch {
	case v.Settled() || r.OwnConfirmation && v.Confirmed(i):
		n.Known, n.Count = [Views]View{v}, 1
	case n.Count > 0 && n.Current().Version == v.Version:
		n.Known[n.Count-1] = v
	default:
		n.Known[n.Count] = v
		n.Count++
	}
	if v.Settled() || v.Owner() != i {
		n.HandedOver = false
	}
}

// Serves stands for ownership.serves.
func (n *Node) Serves(i int, r Rules) bool {
	if n.HandedOver {
		return true
	}
	if n.Count == 0 || !r.OwnConfirmation && !n.Known[0].Settled() {
		return false
	}
	for _, v := range n.Known[:n.Count] {
		if v.Owner() != i && (!r.CurrentViewServes || v == n.Current()) {
			return false
		}
	}
	return true
}

// Here stands for Place.Here.
func (n *Node) Here(i int, r Rules) bool {
	return n.Up && (n.Lease || r.NoLease) && n.Current().Owner() == i && n.Serves(i, r)
}

// MayHandOver stands for ownership.mayHandOver.
func (n *Node) MayHandOver(i, to int, asked uint8) bool {
	if n.Count < 2 || !n.Known[0].Settled() || n.Current().Version < asked || to == i {
		return false
	}
	moved := false
	for k, v := range n.Known[:n.Count] {
		switch owner := v.Owner(); {
		case owner == to && k > 0:
			moved = true
		case owner != i || moved:
			return false
		}
	}
	return moved
}

// AcceptHandover stands for ownership.acceptHandover.
func (n *Node) AcceptHandover(i int, asked uint8) bool {
	known := false
	for _, v := range n.Known[:n.Count] {
		known = known || v.Version == asked
		if known && v.Owner() != i {
			return false
		}
	}
	return known
}

// origin stands for ownership.origin.
func (n *Node) origin(i int) int {
	before, now := n.Known[0], n.Current()
	if !before.Settled() {
		before = now.Without(i)
	}
	if from := before.Owner(); from != i && from != none && now.Member(from) {
		return from
	}
	return none
}

// canonical gives equal states equal forms: what cannot matter any more is left out.
func (s State) canonical() State {
	for i := range s.Node {
		n := &s.Node[i]
		known := false
		for _, v := range n.Known[:n.Count] {
			known = known || v.Version == n.Granted
		}
		if !known {
			n.Granted = 0
		}
		if n.Memory != Active {
			n.Stale = false
		}
		if n.Memory == Absent {
			n.Leaving, n.Newest = false, false
		}
		if n.Late == NoneLate {
			n.LateEpoch, n.LateMember = false, false
		}
		if n.Release != Ending {
			n.Outdated = false
		}
	}
	return s
}
