package dispatch

import (
	"maps"
	"slices"
	"time"

	"watchpost/watchpost"
)

// Paces is how a member wants writes to be done, browser by browser: all of them
// are respected, those that are not connected too. It is never changed.
type Paces struct {
	of    map[watchpost.SessionID]watchpost.MemberPace
	paces []watchpost.MemberPace // the same
}

// NewPaces returns the pace of a member by those of its browsers; nil: there is none.
func NewPaces(of map[watchpost.SessionID]watchpost.MemberPace) *Paces {
	if len(of) == 0 {
		return nil
	}
	p := &Paces{of: of}
	for _, session := range slices.Sorted(maps.Keys(of)) {
		p.paces = append(p.paces, of[session])
	}
	return p
}

// asked reports whether the member is asked before each write, so that only a browser
// that asks may be handed one.
func (m *Paces) asked() bool { return m != nil && watchpost.AskBefore(m.paces) }

// asks reports whether a browser asks before each write.
func (m *Paces) asks(session watchpost.SessionID) bool { return m.Own(session).Ask }

// Own is what a browser wants.
func (m *Paces) Own(session watchpost.SessionID) watchpost.MemberPace {
	if m == nil {
		return watchpost.MemberPace{}
	}
	return m.of[session]
}

// nextWrite is watchpost.NextWrite.
func (m *Paces) nextWrite(last watchpost.LastWrite, now time.Time) (at time.Time, ok bool) {
	if m == nil {
		return now, true
	}
	return watchpost.NextWrite(m.paces, last, now)
}

// WriteCloses is watchpost.WriteCloses.
func (m *Paces) WriteCloses(now time.Time) (at time.Time) {
	if m == nil {
		return at
	}
	return watchpost.WriteCloses(m.paces, now)
}

// mayWrite says why no write may begin on the account at a moment, as its member wants
// it; empty when one may.
func (st *Standing) mayWrite(now time.Time) watchpost.PendingReason {
	if st.Asking {
		return watchpost.PendingMemberAsked
	}
	if st.Pace == nil {
		return ""
	}
	if at, ok := st.Pace.nextWrite(st.Last, now); st.Writing || !ok || at.After(now) {
		return watchpost.PendingMemberPace
	}
	return ""
}

// PacedUntil reports whether writes of an account of a member wait as the member wants
// it, and until when; nil: that is not known.
func (d *Dispatcher) PacedUntil(member watchpost.MemberID, account watchpost.AccountURN, now time.Time) (until *time.Time, waits bool) {
	st := d.Standing(account)
	at, ok := st.Pace.nextWrite(st.Last, now)
	if ok && !at.After(now) || !d.writesWait(member, account) {
		return nil, false
	}
	if ok {
		until = &at
	}
	return until, true
}

// writesWait reports whether writes wait for an account of a member.
func (qs *queues) writesWait(member watchpost.MemberID, account watchpost.AccountURN) bool {
	for q := range qs.byMember[member] {
		if q.key.Kind.Writes() && (q.key.Account == "" || q.key.Account == account) {
			return true
		}
	}
	return false
}

// MayBeHanded reports whether a session may be handed a task of a type, as far as the
// member's consent is concerned.
func (st *Standing) MayBeHanded(session watchpost.SessionID, kind watchpost.TaskType) bool {
	return !kind.Writes() || !st.Pace.asked() || st.Pace.asks(session)
}
