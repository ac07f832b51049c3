package actors

import (
	"strings"
	"time"
	"unicode"

	"watchpost"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// onBind makes the account that a session is signed in to its member's. What
// the session is not signed in to, or another member works with, is not bound;
// the status that follows says what holds.
func (ss *sessions) onBind(s *sessionState, f protocol.Frame) {
	ss.statusChanged(s)
	if f.Account == nil {
		return
	}
	a, w, member := cleanAccount(*f.Account), s.worker, s.record.Member
	urn := watchpost.AccountURN(a.URN)
	if urn == "" || urn != w.account || !w.signedIn || urn == ss.team.members.bindings[member].Account {
		return
	}
	now := ss.env.clock.Now()
	batch := &persistence.Batch{}
	_, ours, err := ss.team.members.claim(batch, urn, member, now)
	if err != nil {
		ss.fail(err)
		return
	}
	if !ours {
		w.inUse = true
		ss.showBlocked(w)
		return
	}
	others := &steps{}
	if err := ss.team.members.endClaims(others, member, urn); err != nil {
		ss.fail(err)
		return
	}
	ss.submitSteps(others, nil)
	ss.team.members.bind(batch, member, teamspace.BindingRecord{Account: urn, Slug: s.account.Slug, Name: s.account.Name, At: now}, s.record.ID)
	for _, one := range ss.of(member) {
		if one.worker == nil {
			continue
		}
		if one.worker.account == urn {
			ss.reportAccount(batch, one, one.account)
		} else {
			one.worker.other = one.worker.account != ""
		}
		ss.showBlocked(one.worker)
		ss.statusChanged(one)
	}
	ss.team.tasks.moveWrites(member, urn)
	ss.commits.submit(batch, nil)
	ss.team.tasks.handOut()
}

// mayAct reports whether a session may begin to act on the task that it holds:
// only as the account that the task was handed to.
func (s *sessionState) mayAct(open *openTask) bool {
	w := s.worker
	return !w.other && !w.inUse && (w.account == "" || open.holder != s.record.ID || w.account == open.account)
}

// sameAccount reports whether the same holds for the accounts of two workers.
func (w *worker) sameAccount(o *worker) bool {
	return w.account == o.account && w.signedIn == o.signedIn && w.inUse == o.inUse && w.other == o.other &&
		w.stopped == o.stopped && w.from.Equal(o.from) && w.fromWeekly.Equal(o.fromWeekly)
}

// cleanAccount bounds what a session says of an account; its URN is empty when
// it names no account of the network.
func cleanAccount(a protocol.Account) protocol.Account {
	a.URN, a.Slug, a.Name = strings.ToLower(strings.TrimSpace(a.URN)), clip(a.Slug, maxText), clip(a.Name, maxText)
	if len(a.URN) > maxAccountURN || strings.ContainsFunc(a.URN, unicode.IsControl) {
		a.URN = ""
	}
	return a
}

// reportAccount takes up what a session says of its account: who it is, and
// whether it is signed in. Only a session that is signed in to the account that
// its member works as, and has claimed, is a sign of life and is handed tasks.
func (ss *sessions) reportAccount(batch *persistence.Batch, s *sessionState, reported protocol.Account) {
	now, member := ss.env.clock.Now(), s.record.Member
	a := cleanAccount(reported)
	if a == s.account {
		a = s.account // the kept values share its text
	}
	urn := watchpost.AccountURN(a.URN)
	w := s.worker
	s.account = a
	refused := w.other && w.inUse && w.account == urn // as the answer to bind was
	w.account, w.signedIn, w.stopped, w.stoppedBy = urn, a.SignedIn && urn != "", false, ""
	w.inUse, w.other, w.from, w.fromWeekly = false, false, time.Time{}, time.Time{}
	w.signs++
	if urn == "" {
		return
	}
	bound, known := ss.team.members.bindings[member]
	if known && bound.Account != urn {
		w.other, w.inUse = true, refused
		return
	}
	claim, ours, err := ss.team.members.claim(batch, urn, member, now)
	if err != nil {
		ss.fail(err)
		return
	}
	w.inUse = !ours
	ss.rememberAccount(batch, s, urn, ours, now)
	w.from, w.fromWeekly = claim.From, claim.FromWeekly
	if ours {
		ss.team.members.keepAccount(batch, urn, member, a, now)
	}
	if !ours || !a.SignedIn {
		return
	}
	if !known || bound.Slug != a.Slug || bound.Name != a.Name {
		ss.team.members.bind(batch, member, teamspace.BindingRecord{Account: urn, Slug: a.Slug, Name: a.Name, At: now}, s.record.ID)
	}
	ss.markAlive(batch, member, now)
}

// rememberAccount stores which account a session works with when that changes,
// so that it is known while the session is away.
func (ss *sessions) rememberAccount(batch *persistence.Batch, s *sessionState, urn watchpost.AccountURN, ours bool, now time.Time) {
	r := s.record
	switch {
	case ours && (r.Account != urn || r.Slug != s.account.Slug):
		r.Account, r.Slug, r.AccountAt = urn, s.account.Slug, now
	case !ours && r.Account == urn:
		r.Account, r.Slug, r.AccountAt = "", "", now
	default:
		return
	}
	s.record = r
	batch.Put(teamspace.Key(teamspace.KeySession, r.ID), teamspace.Encode(r))
}
