package actors

import (
	"maps"
	"slices"
	"time"

	"watchpost/watchpost"
)

// standing is what an account may do. Its session actor owns it and announces
// copies to the team, which chooses by them whom it offers a task.
type standing struct {
	ledger ledger
	// breakers are those of the types that failed last.
	breakers map[watchpost.TaskType]watchpost.Breaker
	// from and fromWeekly are when allowances begin to count for the account's
	// claim.
	from, fromWeekly time.Time
	// pace is how the member wants writes to be done; nil: as they come. last is the
	// account's last write, kept while there is a pace. writing: one is handed out and
	// has not begun. asking: the member is being asked about one.
	pace            *memberPace
	last            watchpost.LastWrite
	writing, asking bool
}

func newStanding(account watchpost.AccountURN) *standing {
	return &standing{ledger: ledger{account: account}}
}

// present returns a copy that holds what counts at now.
func (st *standing) present(now time.Time) *standing {
	copied := *st
	copied.ledger, copied.breakers = st.ledger.present(now), maps.Clone(st.breakers)
	return &copied
}

// equal reports whether both let the account do the same, and show the same.
func (st *standing) equal(o *standing) bool {
	return slices.Equal(st.ledger.entries, o.ledger.entries) && maps.Equal(st.breakers, o.breakers) &&
		st.from.Equal(o.from) && st.fromWeekly.Equal(o.fromWeekly) &&
		st.pace == o.pace && st.last == o.last && st.writing == o.writing && st.asking == o.asking
}

// relief returns the first moment after now at which time alone lets the account
// do more, in addition to the resets of allowances; zero when there is none.
func (st *standing) relief(now time.Time) (first time.Time) {
	after := func(t time.Time) {
		if t.After(now) {
			first = earlier(first, t)
		}
	}
	after(st.from)
	after(st.fromWeekly)
	for _, b := range st.breakers {
		after(b.Until)
	}
	if at, ok := st.pace.nextWrite(st.last, now); ok {
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
	n := need{kind: kind, now: now}
	if n.allowance, n.counted = watchpost.AllowanceOf(kind.Action()); n.counted {
		n.period = periodOf(n.allowance.Period, now)
	}
	return n
}

// room returns how many units of a type the account may be handed at now.
func (st *standing) room(kind watchpost.TaskType, now time.Time) int {
	n := needOf(kind, now)
	return st.roomFor(&n)
}

func (st *standing) roomFor(n *need) int {
	if !n.counted {
		return 1
	}
	from := st.from
	if n.allowance.Period == watchpost.Weekly {
		from = st.fromWeekly
	}
	if n.now.Before(from) {
		return 0
	}
	return st.ledger.roomIn(n.allowance, n.period)
}

// limits says why the account may not be handed what is needed; empty when it may.
func (st *standing) limits(n *need) watchpost.PendingReason {
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

// readiness is what a connection may be handed. Its report says whether it is
// signed in; the session actor of its account decides the rest.
type readiness struct {
	signedIn bool
	stopped  bool // signed out or challenged since its last sign of life
	// stoppedBy is the code of the error for which it was stopped, or of the
	// state that its session reported with its account.
	stoppedBy string
	task      watchpost.TaskID // its task; "" when free
	// offers counts the offers to the connection: those that the team made, or
	// those that the session actor has answered.
	offers int
}

// blocks says why a connection of the account may not be handed a task of that
// type now, busy or not; empty when it may.
func (st *standing) blocks(r *readiness, kind watchpost.TaskType, now time.Time) watchpost.PendingReason {
	if !r.signedIn || r.stopped {
		return watchpost.PendingPaused
	}
	n := needOf(kind, now)
	return st.limits(&n)
}
