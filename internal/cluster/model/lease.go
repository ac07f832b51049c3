package model

// TTL is the time of a lease in ticks.
const TTL = 3

// Lease is a node with a lease, its row, and another node that looks at the row. What the
// protocol needs of time is checked here, so State knows only whether a lease has ended.
type Lease struct {
	Left uint8 // until the lease ends, by the clock of its node
	// Sent is one more than the age of the renewal on its way; 0: there is none. Stored
	// means that the database has it.
	Sent   uint8
	Stored bool
	// Since is how long the other has seen the row as it is. Changed means that the row has
	// changed since the other has looked.
	Since   uint8
	Changed bool
	// Row is what the clock of the database says of the lease, Step whether that clock has
	// been set forward.
	Row     uint8
	Step    bool
	Removed bool
}

// LeaseRules are planted faults.
type LeaseRules struct {
	// FromAnswer: the node counts its lease from the answer, not from sending.
	FromAnswer bool
	// FromFirstLook: the other counts from its first look at the row, not from the last
	// change that it saw.
	FromFirstLook bool
	// LastLook: the other does not compare the row with the one it saw.
	LastLook bool
	// DatabaseClock: the lease of a row has ended when the clock of the database says so.
	DatabaseClock bool
}

// leaseSteps are the possible steps; each reports whether it can in a state.
var leaseSteps = []func(l *Lease, r LeaseRules) bool{
	func(l *Lease, _ LeaseRules) bool { // a tick
		l.Left, l.Row, l.Since = l.Left-min(l.Left, 1), l.Row-min(l.Row, 1), min(l.Since+1, TTL)
		if l.Sent > 0 {
			l.Sent = min(l.Sent+1, TTL+1)
		}
		return true
	},
	func(l *Lease, _ LeaseRules) bool { // Node.renew begins
		ok := l.Sent == 0
		l.Sent = 1
		return ok
	},
	func(l *Lease, _ LeaseRules) bool { // renewSQL
		ok := l.Sent > 0 && !l.Stored && !l.Removed
		l.Stored, l.Changed, l.Row = true, true, TTL
		return ok
	},
	func(l *Lease, r LeaseRules) bool { // Node.update
		ok := l.Stored
		age := l.Sent - min(l.Sent, 1)
		if r.FromAnswer {
			age = 0
		}
		l.Left, l.Sent, l.Stored = max(l.Left, TTL-age), 0, false
		return ok
	},
	func(l *Lease, _ LeaseRules) bool { // the answer is lost
		ok := l.Sent > 0
		l.Sent, l.Stored = 0, false
		return ok
	},
	func(l *Lease, r LeaseRules) bool { // pulses.see
		if l.Changed && !r.FromFirstLook {
			l.Since = 0
		}
		l.Changed = false
		return true
	},
	func(l *Lease, r LeaseRules) bool { // pulses.overdue, expireSQL
		ok := !l.Removed && l.Since == TTL && (!l.Changed || r.LastLook)
		if r.DatabaseClock {
			ok = !l.Removed && l.Row == 0
		}
		l.Removed = true
		return ok
	},
	func(l *Lease, _ LeaseRules) bool { // the clock of the database is set forward
		ok := !l.Step
		l.Step, l.Row = true, 0
		return ok
	},
}

// ExploreLease tries all steps in all states, and reports whether a node was removed in
// one while it had its lease.
func ExploreLease(r LeaseRules) (states int, wrong bool) {
	begin := Lease{Left: TTL, Row: TTL}
	known := map[Lease]bool{begin: true}
	for next := []Lease{begin}; len(next) > 0; {
		l := next[len(next)-1]
		next = next[:len(next)-1]
		if l.Removed && (l.Left > 0 || l.Stored && l.Sent <= TTL) {
			return len(known), true
		}
		for _, step := range leaseSteps {
			if after := l; step(&after, r) && !known[after] {
				known[after] = true
				next = append(next, after)
			}
		}
	}
	return len(known), false
}
