package actors

import (
	"strings"
	"time"
	"unicode"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost/actors/intake"
	"watchpost/actors/root"
	"watchpost/internal/protocol"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// onBind makes the account that a session is signed in to its member's. What
// the session is not signed in to, or another member works with, is not bound, nor is an
// account after maxBinds on one day; the status that follows says what holds.
func (ss *sessions) onBind(s *sessionState, f protocol.Frame) {
	ss.team.statuses.changed(s)
	if f.Account == nil {
		return
	}
	a, w, member := cleanAccount(*f.Account), s.worker, s.record.Member
	urn := watchpost.AccountURN(a.URN)
	now := ss.env.Clock.Now()
	bound, _ := ss.team.members.binding(member)
	changes := changesOn(bound, now)
	if urn == "" || urn != w.Account || !w.SignedIn || urn == bound.Account || changes >= maxBinds {
		return
	}
	batch := &persistence.Batch{}
	_, ours, err := ss.team.members.claim(batch, urn, member, now)
	if err != nil {
		ss.Fail(err)
		return
	}
	if !ours {
		w.InUse = true
		ss.workerChanged(s)
		return
	}
	others := &root.Steps{}
	if err := ss.team.members.endClaims(others, urn, member); err != nil {
		ss.Fail(err)
		return
	}
	ss.SubmitSteps(others, nil)
	ss.team.members.bind(batch, member, teamspace.BindingRecord{
		Account: urn, Slug: s.account.Slug, Name: s.account.Name, At: now, Changes: changes + 1, ChangedOn: watchpost.Daily.Start(now),
	}, s.record.ID)
	for _, one := range ss.of(member) {
		if one.worker == nil {
			continue
		}
		if one.worker.Account == urn {
			ss.reportAccount(batch, one, one.account)
		} else {
			one.worker.Other = one.worker.Account != ""
			ss.moveTo(one, nil, attach{})
		}
		ss.team.statuses.changed(one)
	}
	ss.team.tasks.moveWrites(member)
	ss.Commits.Submit(batch, nil)
	ss.team.handouts.run()
}

// mayAct reports whether a session may begin to act on the task that it holds:
// only as the account that the task was handed to.
func (s *sessionState) mayAct(open *openTask) bool {
	w := s.worker
	return !w.Other && !w.InUse && (w.Account == "" || open.holder != s.record.ID || w.Account == open.account)
}

// maxAccountURN bounds the name of an account, in bytes.
const maxAccountURN = 256

// cleanAccount bounds what a session says of an account; its URN is empty when
// it names no account of the network.
func cleanAccount(a protocol.Account) protocol.Account {
	a.URN, a.Slug, a.Name = strings.ToLower(strings.TrimSpace(a.URN)), text.ClipBytes(a.Slug, intake.MaxText), text.ClipBytes(a.Name, intake.MaxText)
	if len(a.URN) > maxAccountURN || strings.ContainsFunc(a.URN, unicode.IsControl) {
		a.URN = ""
	}
	return a
}

// reportedStop is the error code that stops a session according to its report
// of its account; "" for none.
func reportedStop(a protocol.Account) string {
	if a.Challenge && !a.SignedIn {
		return protocol.CodeChallenge
	}
	return ""
}

// reportAccount takes up what a session says of its account, and hands the
// connection to the session actor of the account, or takes it away.
func (ss *sessions) reportAccount(batch *persistence.Batch, s *sessionState, reported protocol.Account) {
	ss.moveTo(s, ss.takeReport(batch, s, reported), attach{})
}

// takeReport takes up what a session says of its account: who it is, and
// whether it is signed in. Only a connection of the account that its member works
// as, and has claimed, belongs to a session actor, which is returned.
func (ss *sessions) takeReport(batch *persistence.Batch, s *sessionState, reported protocol.Account) (home *actor.PID) {
	now, member := ss.env.Clock.Now(), s.record.Member
	a := cleanAccount(reported)
	if a == s.account {
		a = s.account // the kept values share its text
	}
	urn := watchpost.AccountURN(a.URN)
	w := s.worker
	s.account = a
	refused := w.Other && w.InUse && w.Account == urn // as the answer to bind was
	w.Account, w.SignedIn, w.Stopped, w.StoppedBy = urn, a.SignedIn && urn != "", false, reportedStop(a)
	w.InUse, w.Other = false, false
	if urn == "" {
		return nil
	}
	bound, known := ss.team.members.binding(member)
	if known && bound.Account != urn {
		w.Other, w.InUse = true, refused
		return nil
	}
	claim, ours, others, err := ss.claimReported(batch, urn, member, a.SignedIn, now)
	if err != nil {
		ss.Fail(err)
		return nil
	}
	w.InUse = others
	ss.rememberAccount(batch, s, urn, ours)
	if !ours {
		return nil
	}
	ss.team.members.keepAccount(batch, urn, member, a, now)
	if a.SignedIn && (!known || bound.Slug != a.Slug || bound.Name != a.Name) {
		bound.Account, bound.Slug, bound.Name, bound.At = urn, a.Slug, a.Name, now
		ss.team.members.bind(batch, member, bound, s.record.ID)
	}
	home = ss.team.accounts.actorOf(urn, member)
	from, fromWeekly := ss.env.allowancesFrom(claim)
	ss.team.dispatch.Limit(urn, from, fromWeekly)
	return home
}

// claimReported claims the account that a session is signed in to. The report of an
// account that it is not signed in to claims nothing.
func (ss *sessions) claimReported(batch *persistence.Batch, urn watchpost.AccountURN, member watchpost.MemberID, signedIn bool, now time.Time) (claim teamspace.ClaimEntry, ours, others bool, err error) {
	if !signedIn {
		return ss.team.members.holds(urn, member, now)
	}
	claim, ours, err = ss.team.members.claim(batch, urn, member, now)
	return claim, ours, !ours, err
}

// workerChanged takes up a change of a session's worker.
func (ss *sessions) workerChanged(s *sessionState) {
	ss.team.dispatch.Changed(s.worker)
	ss.team.accounts.showBlocked(s)
}

// moveTo hands a connection to a session actor, or reports to it, or,
// without one, takes the connection back.
func (ss *sessions) moveTo(s *sessionState, home *actor.PID, a attach) {
	ss.workerChanged(s)
	if s.home != home {
		if s.home != nil {
			ss.Context.Send(s.home, detach{s.record.ID, s.link})
		}
		s.home, s.worker.Offers = home, 0
		to := home
		if home == nil {
			to = ss.Context.Self()
		}
		ss.Context.Send(s.link, attached{team: ss.Context.Self(), to: to, id: s.record.ID})
	}
	if home == nil {
		return
	}
	st := ss.team.dispatch.Standing(s.worker.Account)
	a.session, a.link, a.journal, a.account, a.member = s.record.ID, s.link, s.journal, s.account, s.record.Member
	a.from, a.fromWeekly, a.pace = st.From, st.FromWeekly, ss.team.paces.of(s.record.Member)
	ss.Context.Send(home, a)
}

// rememberAccount stores which account a session works with when that changes,
// so that it is known while the session is away.
func (ss *sessions) rememberAccount(batch *persistence.Batch, s *sessionState, urn watchpost.AccountURN, ours bool) {
	r := s.record
	switch {
	case ours && (r.Account != urn || r.Slug != s.account.Slug):
		r.Account, r.Slug = urn, s.account.Slug
	case !ours && r.Account == urn:
		r.Account, r.Slug = "", ""
	default:
		return
	}
	s.record = r
	batch.Put(teamspace.Key(teamspace.KeySession, r.ID), teamspace.Encode(r))
}
