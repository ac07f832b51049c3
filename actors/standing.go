package actors

import (
	"maps"
	"time"

	"watchpost"
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

// room returns how many units of a type the account may be handed at now.
func (st *standing) room(kind watchpost.TaskType, now time.Time) int {
	a, counted := watchpost.AllowanceOf(kind.Action())
	if !counted {
		return 1
	}
	from := st.from
	if a.Period == watchpost.Weekly {
		from = st.fromWeekly
	}
	if now.Before(from) {
		return 0
	}
	return st.ledger.room(kind.Action(), now)
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
	switch {
	case !r.signedIn, r.stopped, st.breakers[kind].Open(now):
		return watchpost.PendingPaused
	case st.room(kind, now) > 0:
		return ""
	}
	if a, _ := watchpost.AllowanceOf(kind.Action()); a.Period == watchpost.Weekly {
		return watchpost.PendingWeeklyCap
	}
	return watchpost.PendingDailyCap
}
