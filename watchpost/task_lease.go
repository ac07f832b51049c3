package watchpost

import "time"

// Lease is one assignment of a task to a session.
type Lease struct {
	ID       string
	Session  SessionID
	Account  AccountURN
	Attempt  int
	Journal  string // the session's journal when it was leased
	Deadline time.Time
	ActingAt time.Time // zero until acting is recorded
	// Trace names the span of the lease; "" when the task is not traced.
	Trace string `json:",omitempty"`
	// First and Units are the range of references leased from a paged task.
	First, Units int
}

// Debit is the use of an allowance by a lease, in the period with the key
// Period (Period.Key). A task that is still leased when a period ends is also
// debited in the next one.
type Debit struct {
	Account AccountURN
	Action  Action
	Period  string
	Attempt int
	Units   int // 0 means 1
}

// Count returns the number of units of the debit.
func (d Debit) Count() int { return max(1, d.Units) }

// Holds reports whether lease is the task's current lease.
func (t Task) Holds(lease string) bool { return t.Lease != nil && t.Lease.ID == lease }

// FindLease returns the current or a past lease with this id that belongs to
// the session. ok is false if there is none; the frame is then ignored. A write
// that began to act belongs to the journal that recorded it, even if that
// journal now belongs to another session.
func (t Task) FindLease(session SessionID, journal, lease string) (l Lease, ok bool) {
	given := func(l *Lease) bool {
		acts := !l.ActingAt.IsZero() && journal != "" && l.Journal == journal
		return l.ID == lease && (l.Session == session || acts)
	}
	if t.Lease != nil && given(t.Lease) {
		return *t.Lease, true
	}
	for i := range t.Past {
		if given(&t.Past[i]) {
			return t.Past[i], true
		}
	}
	return Lease{}, false
}

// beginWithin is the longest time in which a session must have begun.
const beginWithin = 5 * time.Minute

// NotBegunBefore returns a moment before which no session can have begun under the lease.
func (l Lease) NotBegunBefore() time.Time { return l.Deadline.Add(-beginWithin) }

// MayActAgain reports whether the session of a write in acting may touch the network once
// more. Not shortly before ActingLimit: no allowance is debited for what is done after that.
func (l Lease) MayActAgain(now time.Time) bool {
	return now.Before(l.ActingAt.Add(ActingLimit - ActTime))
}

// Deadline returns the time after which a session with a lease from now must
// not begin to touch the network: five minutes later, but not past the day
// whose allowance was debited.
func Deadline(now time.Time) time.Time {
	deadline := now.Add(beginWithin)
	if reset := Daily.Reset(now); reset.Before(deadline) {
		return reset
	}
	return deadline
}

// RunMargin is how long after its deadline a lease can be renewed. A session
// that began in time needs up to five minutes for a scan, longer for a paged
// task, and then reports the result.
const RunMargin = 15 * time.Minute

// Renewable reports whether the lease can be renewed at now. A write in acting
// has ActingLimit instead.
func (t *Task) Renewable(now time.Time) bool {
	return t.Lease != nil && (t.State == TaskActing || now.Before(t.Lease.Deadline.Add(RunMargin)))
}
