package model

func ask(s *State, i int, r Rules) bool {
	n, of := &s.Node[i], other(i)
	if !n.Up || !n.Lease || n.Asked == n.Current().Version || s.Node[of].Handing != 0 || n.Current().Owner() != i || n.Serves(i, r) || n.origin(i) != of {
		return false
	}
	n.Asked = n.Current().Version
	return true
}

func handOver(s *State, i int, _ Rules) bool {
	n, to := &s.Node[i], other(i)
	asked := s.Node[to].Asked
	if !n.Up || asked == 0 || n.Handing != 0 || n.Current().Version < asked {
		return false
	}
	s.Node[to].Asked = 0
	if !n.MayHandOver(i, to, asked) {
		return true // it refuses
	}
	n.Handing = asked
	if n.Memory != Absent {
		n.Leaving = true
	}
	return true
}

func handedOver(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Handing == 0 || !n.released() {
		return false
	}
	s.Node[other(i)].Granted, n.Handing = n.Handing, 0
	return true
}

func takeOver(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Granted == 0 {
		return false
	}
	if n.AcceptHandover(i, n.Granted) {
		n.HandedOver = true
	}
	n.Granted = 0
	return true
}

func find(s *State, i int, r Rules) bool {
	n := &s.Node[i]
	if n.Memory != Absent || !n.Here(i, r) {
		return false
	}
	n.Memory = Found
	return true
}

func activate(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Memory != Found {
		return false
	}
	s.epoch()
	n.Memory, n.Newest = Taken, true
	return true
}

// epoch takes the next epoch of the team.
func (s *State) epoch() {
	for i := range s.Node {
		s.Node[i].Newest, s.Node[i].LateEpoch = false, false
	}
}

func load(s *State, i int, r Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Memory != Taken {
		return false
	}
	if n.Memory = Active; !r.ActivateUnchecked && !n.Here(i, r) {
		n.Memory = Absent
	}
	return true
}

// write changes the team. An actor whose epoch is not the newest finds that out, and ends.
// It needs no request: the actor has timers, and a request may have waited.
func write(s *State, i int, r Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Memory != Active {
		return false
	}
	if !n.Newest && !r.EpochUnchecked {
		n.Memory = Absent
		return true
	}
	return s.stored(i)
}

// submit is a write whose batch is on its way.
func submit(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	return n.Up && n.Memory == Active && n.Newest
}

// stored notes a change by a node. It is as good as acknowledged, and what the other has in
// memory lacks it.
func (s *State) stored(i int) (changed bool) {
	o := &s.Node[other(i)]
	changed = o.Memory == Active && !o.Stale
	o.Stale = true
	return changed
}

func end(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Memory != Active {
		return false
	}
	n.Memory = Absent
	return true
}

func regain(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Lock {
		return false
	}
	n.Lock = true
	return true
}

func boot(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if n.Up || n.Lock {
		return false
	}
	n.Up, n.Lock = true, true
	return true
}

func lapse(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if !n.Lease || s.Lapses == 0 {
		return false
	}
	s.Lapses--
	n.Lease = false
	return true
}

func answerOver(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if !n.Reply.On || n.Reply.Over || n.Lease {
		return false // the lease of an earlier answer ends first
	}
	n.Reply.Over = true
	return true
}

func sessionEnds(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if n.Up || !n.Lock {
		return false
	}
	n.Lock = false
	return true
}

// sessionsBack needs the time of a lease: a lease from before the restart has ended, and a
// later one needs a session.
func sessionsBack(s *State, i int, _ Rules) bool {
	if i > 0 || !s.Restarted {
		return false
	}
	for i := range s.Node {
		if n := &s.Node[i]; n.Lease && !n.Lock {
			return false
		}
	}
	s.Restarted = false
	return true
}

func arrive(s *State, i int, r Rules) bool {
	n := &s.Node[i]
	late, epoch, present := n.Late, n.LateEpoch, n.LateMember
	n.Late, n.LateEpoch, n.LateMember = NoneLate, false, false
	match := s.View.Member(i) && s.Row[i] == present
	switch late {
	case NoneLate:
		return false
	case LateConfirm:
		if match {
			s.View.Members |= confirmed << i
		}
	case LateJoin:
		s.joined(i, n.Drained, present)
	case LateLeave:
		if match {
			s.remove(i)
		}
	case LateActivate:
		s.epoch()
	case LateCommit:
		if epoch || r.EpochUnchecked {
			s.stored(i)
		}
	}
	return true
}

// stop ends the process of a node; its statements stay on their way.
func stop(s *State, i int) {
	n := &s.Node[i]
	*n = Node{Lock: n.Lock, Asked: n.Asked, Report: n.Report, Late: n.Late, LateEpoch: n.LateEpoch}
	s.Row[i] = false
}

func crash(s *State, i int, _ Rules) bool {
	if !s.Node[i].Up {
		return false
	}
	stop(s, i)
	return true
}

func restart(s *State, i int, _ Rules) bool {
	if i > 0 {
		return false
	}
	s.Restarted = true
	for i := range s.Node {
		n := &s.Node[i]
		n.Lock, n.Reply, n.Report = false, Reply{}, false
		n.Late, n.LateEpoch, n.LateMember = NoneLate, false, false
	}
	return true
}

// giveSessionUp ends the lease first, and no renewal that is under way begins it again.
func giveSessionUp(s *State, i int, r Rules) bool {
	n := &s.Node[i]
	if !n.Up || !n.Lock {
		return false
	}
	n.Lock = false
	if !r.LeaseOutlivesSession {
		n.Lease, n.Reply.Held = false, false
	}
	return true
}

func stepOut(s *State, i int, r Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Phase != Renewing || n.Reply.On || !n.Current().Member(i) {
		return false
	}
	n.giveUpNames(i, n.Current(), SteppedOut, r)
	if !r.LeaveKeepsMembership {
		s.Row[i], n.Joined, n.LateMember = false, false, false
	}
	return true
}

// closeNode comes when the actors have ended. The node forgets the views, leaves, and ends.
func closeNode(s *State, i int, _ Rules) bool {
	n := &s.Node[i]
	if !n.Up || n.Phase == SteppedOut || n.Memory != Absent {
		return false
	}
	n.Lease, n.Count, n.Known, n.HandedOver = false, 0, [Views]View{}, false
	n.Reply, n.Release, n.Phase = Reply{}, Idle, SteppedOut
	s.Row[i], n.Joined, n.LateMember = false, false, false
	return true
}

func drain(s *State, i int, _ Rules) bool {
	if !s.View.Member(i) || s.View.Draining(i) {
		return false
	}
	s.View.Members |= draining << i
	s.bump()
	return true
}

func nextView(s *State, i int, _ Rules) bool {
	if !s.Node[i].Up || !s.Row[i] || !s.View.Member(i) {
		return false
	}
	s.bump()
	return true
}

func double(s *State, i int, r Rules) bool {
	n := &s.Node[i]
	asked := s.Node[other(i)].Asked
	if !handOver(s, i, r) || n.Handing == 0 {
		return false
	}
	s.Node[other(i)].Asked = asked
	return true
}

// giveUp makes the sender of a statement go on as after an error, while the statement is
// still on its way.
func giveUp(as Late, sent func(*State, int, Rules) bool) func(*State, int, Rules) bool {
	return func(s *State, i int, r Rules) bool {
		before := *s
		if before.Node[i].Late != NoneLate || !sent(s, i, r) {
			return false
		}
		now := &s.Node[i]
		if as == LateConfirm && before.Node[i].Outdated {
			return false // it would do nothing
		}
		s.View, s.Row = before.View, before.Row
		for k := range s.Node {
			if k != i {
				s.Node[k] = before.Node[k]
			}
		}
		now.Outdated = before.Node[i].Outdated
		now.Late, now.LateEpoch, now.LateMember = as, as == LateCommit, before.Row[i] || as == LateJoin
		if as == LateActivate || as == LateCommit {
			now.Memory, now.Newest = Absent, false // the actor ends
		}
		return true
	}
}
