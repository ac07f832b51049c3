package model

// Actor is what takes a step: a node by its number, or one of these.
const (
	Time  = Nodes     // time passes
	Fault = Nodes + 1 // a fault, or an operator: the state says how many more there may be
)

// Step is one thing that can happen to a node.
type Step struct {
	Name string
	// Actor returns what takes the step for a node.
	Actor func(i int) int
	// Do changes a state; false: it cannot happen there.
	Do func(s *State, i int, r Rules) bool
	// Told: a Follower takes it when it is told, and never by itself.
	Told bool
}

func self(i int) int  { return i }
func other(i int) int { return Nodes - 1 - i }
func passing(int) int { return Time }
func fault(int) int   { return Fault }

// Steps is everything that can happen. A name begins with the function of package cluster
// for which the step stands, or with what happens outside of it.
var Steps = []Step{
	{"renewSQL answers", self, answer, false},
	{"Node.renew takes the answer", self, takeReply, false},
	{"joinSQL", self, join, false},
	{"leaveSQL", self, leave, false},
	{"Node.releaseUntil begins", self, release, false},
	{"confirmSQL", self, confirm, false},
	{"expireSQL removes the other", self, expire, false},
	{"Node.ReportDead: a connection is refused", self, refused, true},
	{"reportDeadSQL", self, reportDead, false},
	{"Node.ReportDead: no connection, and two renewals missed", self, vanished, false},
	{"Place.From: the other is asked for the team", self, ask, true},
	{"Node.HandOver begins", self, handOver, false},
	{"Node.HandOver ends", self, handedOver, false},
	{"Node.TakeOver", self, takeOver, false},
	{"Registry.find", self, find, false},
	{"Store.Activate", self, activate, false},
	{"rootActor.activate loads", self, load, false},
	{"Store.Submit", self, write, false},
	{"the actor ends", self, end, false},
	{"guard.regain", self, regain, false},
	{"the process starts", self, boot, false},
	{"the lease ends", passing, lapse, false},
	{"the lease of an answer ends", passing, answerOver, false},
	{"the database ends the session of a process that is gone", passing, sessionEnds, false},
	{"a lease has passed since the database restarted", passing, sessionsBack, false},
	{"a late statement arrives", passing, arrive, false},
	{"the process ends", fault, crash, false},
	{"the database restarts", fault, restart, false},
	{"guard.check gives the session up", fault, giveSessionUp, false},
	{"Node.join fails", fault, joinFails, false},
	{"Node.StepOut", fault, stepOut, true},
	{"Node.Close", fault, closeNode, true},
	{"drainSQL", fault, drain, false},
	{"nextViewSQL", fault, nextView, false},
	{"the request for the team is doubled", fault, double, true},
	{"confirmSQL is given up", fault, giveUp(LateConfirm, confirm), true},
	{"joinSQL is given up", fault, giveUp(LateJoin, join), true},
	{"leaveSQL is given up", fault, giveUp(LateLeave, leave), true},
	{"Store.Activate is given up", fault, giveUp(LateActivate, activate), true},
	{"Store.Submit is given up", fault, giveUp(LateCommit, submit), true},
}

// bump begins the next version.
func (s *State) bump() {
	s.View.Version++
	for i := range s.Node {
		s.View.Members &^= confirmed << i
		n := &s.Node[i]
		n.Outdated = true
		if n.Late == LateConfirm {
			n.Late = NoneLate // nothing asks for this confirmation
		}
	}
}

func (s *State) remove(i int) {
	s.View = s.View.Without(i)
	s.Row[i] = false
	s.bump()
}

func answer(s *State, i int, r Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Phase != Renewing || n.Reply.On {
		return false
	}
	if s.Row[i] && n.Joined && n.Lease && n.Current() == s.View && (s.View.Confirmed(i) || n.Release != Idle) {
		return false // it makes the lease longer, which may end at any time
	}
	n.Reply = Reply{On: true, Renewed: s.View.Member(i) && s.Row[i], Held: n.Lock || r.LeaseWithoutLock, View: s.View}
	return true
}

func takeReply(s *State, i int, r Rules) bool {
	n := &s.Node[i]
	reply := n.Reply
	if !n.Up || !reply.On {
		return false
	}
	n.Reply = Reply{}
	switch {
	case reply.Renewed:
		n.Lease = n.Lease || reply.Held && !reply.Over
		n.move(i, reply.View, r)
		n.Joined, n.Drained = true, reply.View.Draining(i)
		if !reply.View.Confirmed(i) && n.Release == Idle {
			n.Release = Wanted
		}
	case reply.View.Member(i) && n.Joined:
		stop(s, i) // another process is this node
	default:
		n.giveUpNames(i, reply.View, Joining, r)
	}
	return true
}

// giveUpNames stands for Node.giveUp.
func (n *Node) giveUpNames(i int, v View, then Phase, r Rules) {
	n.Lease, n.Count, n.Known, n.HandedOver = false, 0, [Views]View{}, false
	n.move(i, v.Without(i), r)
	n.Phase = then
	if n.Memory != Absent && !r.RejoinKeeps {
		n.Leaving = true
	}
}

// released reports whether the actors have ended that a release has told to.
func (n *Node) released() bool { return n.Memory == Absent || !n.Leaving }

func join(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Phase != Joining || !n.released() {
		return false
	}
	n.Phase, n.LateMember = Renewing, n.LateMember && n.Late == LateJoin
	s.joined(i, n.Drained, true)
	return true
}

// joinFails comes when the others do not reach the node, or the database refuses. The next
// renewal tries again.
func joinFails(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Phase != Joining || !n.released() {
		return false
	}
	n.Phase = Renewing
	return true
}

func (s *State) joined(i int, drains, present bool) {
	s.View = s.View.Without(i)
	s.View.Members |= member << i
	if drains {
		s.View.Members |= draining << i
	}
	s.Row[i] = present
	s.bump()
}

func leave(s *State, i int, r Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Phase != SteppedOut || !n.released() {
		return false
	}
	n.Phase = Renewing
	if s.View.Member(i) && (s.Row[i] || !r.LeaveKeepsMembership) {
		s.remove(i)
	}
	return true
}

func release(s *State, i int, r Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Release != Wanted {
		return false
	}
	n.Release, n.Outdated = Ending, n.Current().Version != s.View.Version
	if n.Memory != Absent && !n.Serves(i, r) && !r.ConfirmFirst {
		n.Leaving = true
	}
	return true
}

func confirm(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Release != Ending || !n.released() {
		return false
	}
	if n.Release = Idle; !n.Outdated && s.Row[i] && s.View.Member(i) {
		s.View.Members |= confirmed << i
	}
	return true
}

// expire needs a row that has not changed for the time of a lease. The node counted its
// lease from before the renewal was sent, so that has ended: see Lease in this package.
func expire(s *State, i int, r Rules) bool {
	of := other(i)
	n, o := &s.Node[i], &s.Node[of]
	ended := !o.Lease && (!o.Reply.On || !o.Reply.Renewed || o.Reply.Over) || r.EarlyExpire
	if !n.Up || !s.Row[i] || !s.View.Member(of) || !ended {
		return false
	}
	s.remove(of)
	return true
}

func refused(s *State, i int, _ Rules) bool {
	n, of := &s.Node[i], other(i)
	if !n.Up || n.Report || s.Node[of].Up || !s.View.Member(of) {
		return false
	}
	n.Report = true
	return true
}

func reportDead(s *State, i int, r Rules) bool {
	n, of := &s.Node[i], other(i)
	if !n.Report {
		return false
	}
	n.Report = false
	if s.View.Member(of) && (!s.Node[of].Lock || r.OneSign) {
		s.remove(of)
	}
	return true
}

func vanished(s *State, i int, r Rules) bool {
	n, of := &s.Node[i], other(i)
	if !n.Up || !n.Lock || s.Restarted && !r.YoungSession || s.Node[of].Lock || !s.View.Member(of) {
		return false
	}
	s.remove(of)
	return true
}
