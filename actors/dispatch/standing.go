package dispatch

import (
	"maps"
	"slices"
	"time"

	"watchpost/watchpost"
)

// Standing is what an account may do. Its session actor owns it and announces
// copies to the team, which chooses by them whom it offers a task.
type Standing struct {
	Ledger Ledger
	// breakers are those of the types that failed last.
	breakers map[watchpost.TaskType]watchpost.Breaker
	// From and fromWeekly are when allowances begin to count for the account's
	// claim.
	From, FromWeekly time.Time
	// Pace is how the member wants writes to be done; nil: as they come. last is the
	// account's last write, kept while there is a pace. writing: one is handed out and
	// has not begun. asking: the member is being asked about one.
	Pace            *Paces
	Last            watchpost.LastWrite
	Writing, Asking bool
}

// NewStanding returns the standing of an account that has not used anything.
func NewStanding(account watchpost.AccountURN) *Standing {
	return &Standing{Ledger: Ledger{account: account}}
}

// StandingOf returns the standing of an account by a copy of its ledger.
func StandingOf(l *Ledger) *Standing { return &Standing{Ledger: l.clone(), Last: l.LastWrite()} }

// Fail notes in the breaker of a type that the site failed a task; opened reports whether
// it has opened now.
func (st *Standing) Fail(kind watchpost.TaskType, v watchpost.Outcome, task watchpost.TaskID, now time.Time) (opened bool) {
	if st.breakers == nil {
		st.breakers = map[watchpost.TaskType]watchpost.Breaker{}
	}
	before := st.breakers[kind]
	after := before.Fail(v, task, now)
	st.breakers[kind] = after
	return after.Open(now) && !before.Open(now)
}

// Probe lets what the network's answers have stopped be tried again.
func (st *Standing) Probe(now time.Time) {
	for kind, b := range st.breakers {
		st.breakers[kind] = b.Probe(now)
	}
}

// Succeed ends the failures of a type: the site answered as expected. It returns the
// breaker, if there was one.
func (st *Standing) Succeed(kind watchpost.TaskType) (b watchpost.Breaker, failed bool) {
	b, failed = st.breakers[kind]
	delete(st.breakers, kind)
	return b, failed
}

// OpenBreakers returns the breakers that are open, in the order of their types.
func (st *Standing) OpenBreakers(now time.Time) (open []OpenBreaker) {
	for _, kind := range slices.Sorted(maps.Keys(st.breakers)) {
		if b := st.breakers[kind]; b.Open(now) {
			open = append(open, OpenBreaker{kind, b})
		}
	}
	return open
}

// OpenBreaker is a breaker, and the type of tasks that it keeps from an account.
type OpenBreaker struct {
	Kind watchpost.TaskType
	watchpost.Breaker
}

// Present returns a copy that holds what counts at now.
func (st *Standing) Present(now time.Time) *Standing {
	copied := *st
	copied.Ledger, copied.breakers = st.Ledger.present(now), maps.Clone(st.breakers)
	return &copied
}

// equal reports whether both let the account do the same, and show the same.
func (st *Standing) equal(o *Standing) bool {
	return slices.Equal(st.Ledger.entries, o.Ledger.entries) && maps.Equal(st.breakers, o.breakers) &&
		st.From.Equal(o.From) && st.FromWeekly.Equal(o.FromWeekly) &&
		st.Pace == o.Pace && st.Last == o.Last && st.Writing == o.Writing && st.Asking == o.Asking
}

// relief returns the first moment after now at which time alone lets the account
// do more, in addition to the resets of allowances; zero when there is none.
func (st *Standing) relief(now time.Time) (first time.Time) {
	after := func(t time.Time) {
		if t.After(now) {
			first = watchpost.Earlier(first, t)
		}
	}
	after(st.From)
	after(st.FromWeekly)
	for _, b := range st.breakers {
		after(b.Until)
	}
	if at, ok := st.Pace.nextWrite(st.Last, now); ok {
		after(at)
	}
	return first
}

// need is what a task of a kind needs of an account at a moment. It is the same for
// all accounts, so it is computed once for a search among them.
type need struct {
	kind      watchpost.TaskType
	now       time.Time
	counted   bool
	allowance watchpost.Allowance
	period    string
}

func needOf(kind watchpost.TaskType, now time.Time) need {
	n := needOfAction(kind.Action(), now)
	n.kind = kind
	return n
}

func needOfAction(action watchpost.Action, now time.Time) need {
	n := need{now: now}
	if n.allowance, n.counted = watchpost.AllowanceOf(action); n.counted {
		n.period = PeriodOf(n.allowance.Period, now)
	}
	return n
}

// Room returns how many units of a type the account may be handed at now.
func (st *Standing) Room(kind watchpost.TaskType, now time.Time) int {
	return st.RoomOf(kind.Action(), now)
}

// RoomOf is Room for the types that debit an action.
func (st *Standing) RoomOf(action watchpost.Action, now time.Time) int {
	n := needOfAction(action, now)
	return st.roomFor(&n)
}

func (st *Standing) roomFor(n *need) int {
	if !n.counted {
		return 1
	}
	from := st.From
	if n.allowance.Period == watchpost.Weekly {
		from = st.FromWeekly
	}
	if n.now.Before(from) {
		return 0
	}
	return st.Ledger.roomIn(n.allowance, n.period)
}

// limits says why the account may not be handed the needed units; empty when it may.
func (st *Standing) limits(n *need) watchpost.PendingReason {
	switch {
	case st.breakers[n.kind].Open(n.now):
		return watchpost.PendingPaused
	case st.roomFor(n) > 0:
		if n.kind.Writes() {
			return st.mayWrite(n.now)
		}
		return ""
	case n.allowance.Period == watchpost.Weekly:
		return watchpost.PendingWeeklyCap
	}
	return watchpost.PendingDailyCap
}

// Readiness is what a connection may be handed. Its report says whether it is
// signed in; the session actor of its account decides the rest.
type Readiness struct {
	SignedIn bool
	Stopped  bool // signed out or challenged since its last sign of life
	// StoppedBy is the code of the error for which it was stopped, or of the
	// state that its session reported with its account.
	StoppedBy string
	Task      watchpost.TaskID // its task; "" when free
	// Offers counts the offers to the connection: those that the team made, or
	// those that the session actor has answered.
	Offers int
}

// Blocks says why a connection of the account may not be handed a task of that
// type now, busy or not; empty when it may.
func (st *Standing) Blocks(r *Readiness, kind watchpost.TaskType, now time.Time) watchpost.PendingReason {
	if !r.SignedIn || r.Stopped {
		return watchpost.PendingPaused
	}
	n := needOf(kind, now)
	return st.limits(&n)
}
