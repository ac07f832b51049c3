package actors

import (
	"bytes"
	"errors"
	"time"

	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// onCreatePairingCode makes a code. It stands in the directory, where it is
// looked up, and by its end in the team's space, from where it is removed when
// it is not used in time.
func (ms *members) onCreatePairingCode(m CreatePairingCode) {
	member, err := ms.byEmail(m.Email)
	if err != nil {
		ms.Answer(nil, err)
		return
	}
	now := ms.env.Clock.Now()
	code := PairingCode{Code: watchpost.NewPairingCode(), ExpiresAt: now.Add(pairingTime)}
	hash := ms.env.Keyring.Hash(teamspace.DirPairing, code.Code)
	batch := &persistence.Batch{}
	if _, err := ms.forgetPairings(batch, now); err != nil {
		ms.Fail(err)
		ms.Answer(nil, ms.Broken)
		return
	}
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirPairing, Name: hash}, teamspace.Encode(teamspace.OwnerEntry{Team: ms.team.id, Member: member.ID, Ends: code.ExpiresAt}))
	batch.Put(teamspace.PairingKey(code.ExpiresAt, hash), nil)
	ms.team.audit.note(batch, watchpost.AuditPairingCode, "", member.Email)
	ms.Commit(batch, code)
}

// redeemPairing takes a pairing code, by its keyed hash; answered by
// SessionOpened.
type redeemPairing struct{ hash string }

// onRedeemPairing uses a code up and opens a session for its member: both in
// one batch, so that a code never opens two.
func (ms *members) onRedeemPairing(m redeemPairing) {
	ctx, cancel := root.Reading()
	defer cancel()
	entry, stored, err := teamspace.ReadStored[teamspace.OwnerEntry](ctx, ms.env.Store, teamspace.DirPairing, m.hash)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		ms.Fail(err)
		ms.Answer(nil, ms.Broken)
		return
	}
	member, known := ms.byID(entry.Member)
	if err != nil || entry.Team != ms.team.id || !known || !ms.env.Clock.Now().Before(entry.Ends) || ms.redeemed[m.hash] {
		ms.Answer(nil, errPairing())
		return
	}
	ms.redeemed[m.hash] = true // the directory shows it only after the commit
	batch := &persistence.Batch{}
	batch.CompareAndSet(persistence.DirectoryKey{Kind: teamspace.DirPairing, Name: m.hash}, stored, nil)
	batch.Delete(teamspace.PairingKey(entry.Ends, m.hash))
	ms.team.personSeen(batch)
	ms.team.audit.note(batch, watchpost.AuditSessionOpened, member.ID, "pairing code")
	ms.Commit(batch, ms.team.sessions.open(batch, member))
}

func errPairing() error {
	return watchpost.Errorf(watchpost.Unauthenticated, "Invalid or expired pairing code")
}

// pairingsAtOnce bounds the expired codes that one batch forgets.
const pairingsAtOnce = 100

// forgetPairings removes codes that were not used in time, and reports whether
// there are others.
func (ms *members) forgetPairings(batch *persistence.Batch, now time.Time) (more bool, err error) {
	view, err := ms.env.View()
	if err != nil {
		return false, err
	}
	defer view.Close()
	expired, left := teamspace.PairingKey(now, ""), pairingsAtOnce
	err = view.Scan(ms.Space, []byte(teamspace.KeyPairing), persistence.PrefixEnd([]byte(teamspace.KeyPairing)), func(k, _ []byte) bool {
		if more = left == 0 || bytes.Compare(k, expired) >= 0; more {
			return false
		}
		batch.Delete(bytes.Clone(k))
		batch.Set(persistence.DirectoryKey{Kind: teamspace.DirPairing, Name: string(k[len(expired):])}, nil)
		left--
		return true
	})
	return more, err
}

// forgetAllPairings makes sure that a team is not passivated before its codes
// are used or forgotten: no other actor looks for them. It reports whether the
// team can be passivated.
func (ms *members) forgetAllPairings() bool {
	batch := &persistence.Batch{}
	more, err := ms.forgetPairings(batch, ms.env.Clock.Now())
	if err != nil {
		ms.Fail(err)
		return false
	}
	ms.Commits.Submit(batch, nil)
	return !more
}

// A member works as one account of the network. The first account that one of
// the member's sessions reports, signed in, is bound to the member. A session
// that reports another one gets no tasks until the member confirms that account
// with bind, so that no task in the member's name runs as another person
// who uses the same browser.

func (ms *members) loadBindings(view persistence.View) error {
	return teamspace.LoadAll(view, ms.Space, teamspace.KeyBinding, func(member string, r teamspace.BindingRecord) {
		if r.Account != "" { // otherwise the operator has released it
			ms.bindings[watchpost.MemberID(member)] = r
		}
	})
}

// maxBinds is how often a day a member may confirm another account. Each leaves a record
// and an actor, and an ended claim that costs the account's next owner a day's allowances.
const maxBinds = 10

// changesOn returns how often a member has changed the account on the day of now.
func changesOn(r teamspace.BindingRecord, now time.Time) int {
	if r.ChangedOn.Equal(watchpost.Daily.Start(now)) {
		return r.Changes
	}
	return 0
}

// bind makes an account the member's, and says so in the log.
func (ms *members) bind(batch *persistence.Batch, member watchpost.MemberID, r teamspace.BindingRecord, by watchpost.SessionID) {
	before := ms.bindings[member]
	ms.bindings[member] = r
	ms.team.dispatch.NoteMember(member) // its sessions show the name
	batch.Put(teamspace.Key(teamspace.KeyBinding, member), teamspace.Encode(r))
	if before.Account != r.Account {
		ms.env.Log.Info("audit: account bound", "team", ms.team.id, "member", member, "session", by,
			"account", r.Account, "before", before.Account)
	}
}

// ReleaseAccount takes the account away that a member works as (NotFound `User
// not found`); answered by Done. The account that a session of the member reports
// next is the member's.
type ReleaseAccount struct{ Member watchpost.MemberID }

func (ms *members) onReleaseAccount(m ReleaseAccount) {
	member, known := ms.byID(m.Member)
	if !known {
		ms.Answer(nil, errMember())
		return
	}
	before := ms.bindings[m.Member]
	st := &root.Steps{}
	batch := st.Room(1 + auditOps)
	ms.team.audit.note(batch, watchpost.AuditAccountReleased, "", member.Email)
	batch.Put(teamspace.Key(teamspace.KeyBinding, m.Member), teamspace.Encode(teamspace.BindingRecord{At: ms.env.Clock.Now()}))
	delete(ms.bindings, m.Member)
	if err := ms.endClaims(st, "", m.Member); err != nil {
		ms.Fail(err)
		ms.Refuse(m)
		return
	}
	ms.env.Log.Info("audit: account released", "team", ms.team.id, "member", m.Member, "before", before.Account)
	for _, s := range ms.team.sessions.of(m.Member) {
		if s.worker != nil { // gets nothing until it has said again which account it has
			s.worker.Other = true
			ms.team.sessions.moveTo(s, nil, attach{})
			ms.team.statuses.changed(s)
		}
	}
	ms.SubmitSteps(st, ms.env.ReplyTo(ms.Context.Sender(), root.Done{}))
}

// moveWrite asks a write to run on the account that its member works as now.
type moveWrite struct{}

func (t *task) onMove() {
	if next, ok := t.state.Move(); ok {
		t.decide(next, taskChange{event: taskMoved}, nil)
	}
}

// accountOf returns the account that a member works as; "" before there is one.
func (ms *members) accountOf(member watchpost.MemberID) watchpost.AccountURN {
	return ms.bindings[member].Account
}
