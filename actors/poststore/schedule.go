package poststore

// postStoreTurn is what a post store does next.
type postStoreTurn int

// The turns: an update of flags that a user waits for; a step of maintenance
// when the index has something to flush, merge or delete; and the first of the
// queue, which is posts to store or a watchlist to withdraw.
const (
	turnNone postStoreTurn = iota
	turnFlags
	turnMaintenance
	turnQueue
	turns
)

// schedule decides which turn is next. The post store tells it what waits and what
// is on its way to the store; next changes nothing but the counts of passed.
//
// Priority: flags, then maintenance, then the queue. While the next step of
// maintenance is apart (its output is not read yet) it goes last, because
// it may also begin while a write is on its way. A turn that waits and was
// passed over more often than patience allows goes first, the longest first, so
// that none starves whatever arrives. At the bound of the buffer nothing but
// maintenance begins.
type schedule struct {
	flags   bool // an update of flags waits
	queue   bool // the first of the queue can be done
	writing bool // a write is on its way, which all turns but apart steps must see

	due     bool // the index may have something to do
	folding bool // it is at work, ...
	apart   bool // its next step only adds what nothing reads yet
	merges  bool // the work leaves the buffer alone
	steps   int  // apart steps on their way

	buffered int // versions that wait to be flushed
	sealFrom int // the number from which they are flushed
	most     int // the bound

	passed [turns]int
}

// patience is how often each turn may be passed over.
var patience = [turns]int{turnFlags: 1, turnMaintenance: 1, turnQueue: 8}

// stepsAhead bounds the steps of a fold that are on their way to the store.
const stepsAhead = 3

// next returns the turn that begins now: turnNone when there is nothing to do,
// or when the first turn waits for a write on its way.
func (s *schedule) next() postStoreTurn {
	if s.writing {
		if s.apart && s.steps < stepsAhead {
			s.passed[turnMaintenance] = 0
			return turnMaintenance
		}
		return turnNone
	}
	chosen := s.choose()
	if chosen == turnNone || chosen == turnMaintenance && !s.apart && s.steps > 0 {
		return turnNone
	}
	for t := turnFlags; t < turns; t++ {
		if t != chosen && s.wants(t) {
			s.passed[t]++
		}
	}
	s.passed[chosen] = 0
	return chosen
}

// choose returns the turn that comes first of those that wait.
func (s *schedule) choose() postStoreTurn {
	order := [...]postStoreTurn{turnFlags, turnMaintenance, turnQueue}
	if s.apart {
		order = [...]postStoreTurn{turnFlags, turnQueue, turnMaintenance}
	}
	first, over := turnNone, -1
	for _, t := range order {
		if !s.waits(t) {
			continue
		}
		if first == turnNone {
			first = t
		}
		if late := s.passed[t] - patience[t]; late > over {
			first, over = t, late
		}
	}
	return first
}

// wants reports whether a turn has something to do.
func (s *schedule) wants(t postStoreTurn) bool {
	switch t {
	case turnFlags:
		return s.flags
	case turnMaintenance:
		return (s.due || s.folding) && (!s.apart || s.steps < stepsAhead)
	case turnQueue:
		return s.queue
	}
	return false
}

// waits reports whether a turn has work that it may begin once the writes on
// their way have arrived.
func (s *schedule) waits(t postStoreTurn) bool {
	switch {
	case !s.wants(t):
		return false
	case t != turnMaintenance && s.buffered >= s.most:
		return false
	}
	return t != turnQueue || s.mayQueue() || s.passed[t] >= patience[t]
}

// mayQueue reports whether the queue need not wait for maintenance: it runs
// during merges as long as the buffer is not to be sealed, so that the index
// does not fall behind.
func (s *schedule) mayQueue() bool {
	if s.folding {
		return s.merges && s.buffered < s.sealFrom
	}
	return !s.due
}
