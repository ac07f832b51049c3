package actors

import (
	"errors"
	"strings"
	"time"
	"unicode"

	"watchpost"
	"watchpost/internal/protocol"
	"watchpost/persistence"
)

// A member works as one account of the network. The first account that one of
// the member's sessions reports, signed in, is bound to the member. A session
// that reports another one gets no tasks until the member confirms that account
// with bind, so that nothing asked for in the member's name is done as somebody
// else who uses the same browser.

// bindingRecord is the account that a member works as; without an account it
// says that the operator has taken it away.
type bindingRecord struct {
	Account watchpost.AccountURN `json:"account"`
	Slug    string               `json:"slug,omitempty"`
	Name    string               `json:"name,omitempty"`
	At      time.Time            `json:"at"`
}

// loadBindings reads the bindings, and derives those that an earlier build did
// not store: a member works as the account that the session which has reported
// its account for the longest time works with.
func (t *team) loadBindings(view persistence.View) error {
	released := map[watchpost.MemberID]bool{}
	err := loadAll(view, t.space, keyBinding, func(member string, r bindingRecord) {
		if r.Account == "" {
			released[watchpost.MemberID(member)] = true
			return
		}
		t.bindings[watchpost.MemberID(member)] = r
	})
	if err != nil {
		return err
	}
	st := &steps{}
	for _, m := range t.members {
		if _, bound := t.bindings[m.ID]; bound || released[m.ID] {
			continue
		}
		var first *sessionRecord
		for _, s := range t.sessionsOf(m.ID) {
			if r := &s.record; r.Account != "" && (first == nil || r.reportedBefore(first)) {
				first = r
			}
		}
		if first != nil {
			t.bind(st.room(1), m.ID, bindingRecord{
				Account: first.Account, Slug: first.Slug, Name: t.accounts[first.Account].Name, At: t.env.clock.Now(),
			}, first.ID)
		}
	}
	t.submitSteps(st, nil)
	return nil
}

// reportedBefore reports whether a session has worked with its account for
// longer than another one with that session's.
func (r *sessionRecord) reportedBefore(o *sessionRecord) bool {
	if !r.AccountAt.Equal(o.AccountAt) {
		return r.AccountAt.Before(o.AccountAt)
	}
	return r.ID < o.ID
}

// bind makes an account the member's, and says so in the log.
func (t *team) bind(batch *persistence.Batch, member watchpost.MemberID, r bindingRecord, by watchpost.SessionID) {
	before := t.bindings[member]
	t.bindings[member] = r
	batch.Put(key(keyBinding, member), encode(r))
	if before.Account != r.Account {
		t.env.log.Info("audit: account bound", "team", t.id, "member", member, "session", by,
			"account", r.Account, "before", before.Account)
	}
}

// onBind makes the account that a session is signed in to its member's. What
// the session is not signed in to, or somebody else works with, is not bound;
// the status that follows says what holds.
func (t *team) onBind(s *sessionState, f protocol.Frame) {
	t.statusChanged(s)
	if f.Account == nil {
		return
	}
	a, w, member := cleanAccount(*f.Account), s.worker, s.record.Member
	urn := watchpost.AccountURN(a.URN)
	if urn == "" || urn != w.account || !w.signedIn || urn == t.bindings[member].Account {
		return
	}
	now := t.env.clock.Now()
	batch := &persistence.Batch{}
	_, ours, err := t.claim(batch, urn, member, now)
	if err != nil {
		t.fail(err)
		return
	}
	if !ours {
		w.inUse = true
		t.showBlocked(w)
		return
	}
	others := &steps{}
	if err := t.endClaims(others, member, urn); err != nil {
		t.fail(err)
		return
	}
	t.submitSteps(others, nil)
	t.bind(batch, member, bindingRecord{Account: urn, Slug: s.account.Slug, Name: s.account.Name, At: now}, s.record.ID)
	for _, one := range t.sessionsOf(member) {
		if one.worker == nil {
			continue
		}
		if one.worker.account == urn {
			t.reportAccount(batch, one, one.account)
		} else {
			one.worker.other = one.worker.account != ""
		}
		t.showBlocked(one.worker)
		t.statusChanged(one)
	}
	t.moveWrites(member, urn)
	t.commits.submit(batch, nil)
	t.handOut()
}

// ReleaseAccount takes the account away that a member works as (NotFound `User
// not found`); answered by Done. The account that a session of the member reports
// next is the member's.
type ReleaseAccount struct{ Member watchpost.MemberID }

func (t *team) onReleaseAccount(m ReleaseAccount) {
	if _, known := t.member(m.Member); !known {
		t.answer(nil, errMember())
		return
	}
	before := t.bindings[m.Member]
	st := &steps{}
	// No binding: not even one derived from the accounts that sessions reported.
	st.room(1).Put(key(keyBinding, m.Member), encode(bindingRecord{At: t.env.clock.Now()}))
	delete(t.bindings, m.Member)
	if err := t.endClaims(st, m.Member, ""); err != nil {
		t.fail(err)
		t.refuse(m)
		return
	}
	t.env.log.Info("audit: account released", "team", t.id, "member", m.Member, "before", before.Account)
	for _, s := range t.sessionsOf(m.Member) {
		if s.worker != nil { // gets nothing until it has said again which account it has
			s.worker.other = true
			t.showBlocked(s.worker)
			t.statusChanged(s)
		}
	}
	t.submitSteps(st, replyTo(t.env, t.ctx.Sender(), Done{}))
}

// moveWrites lets the member's writes that no session was handed yet run on the
// account that the member works as now. A write that was handed out stays with
// its account.
func (t *team) moveWrites(member watchpost.MemberID, to watchpost.AccountURN) {
	for _, open := range t.tasks {
		if open.member == member && open.pinned != "" && open.pinned != to {
			t.ctx.Send(open.pid, moveWrite{})
		}
	}
}

// moveWrite asks a write to run on the account that its member works as now.
type moveWrite struct{}

func (t *task) onMove() {
	if next, ok := t.state.Move(); ok {
		t.decide(next, taskChange{event: taskMoved}, nil)
	}
}

// onMoved gives a write its turn, and its effect the name, of one whose account
// is not known yet.
func (t *team) onMoved(batch *persistence.Batch, open *openTask, task *watchpost.Task) {
	was := *task
	was.Account = open.pinned
	if after, counted := task.Effect(); counted {
		before, _ := was.Effect()
		holder, err := t.inForce(before)
		first, err2 := t.inForce(after)
		if err := errors.Join(err, err2); err != nil {
			t.fail(err)
			return
		}
		if holder == task.ID {
			batch.Delete(effectKey(before))
			t.effects.set(before.Key(), task.ID, "")
		}
		if first == "" {
			putEffect(batch, after, task.ID)
			t.effects.set(after.Key(), task.ID, task.ID)
		}
	}
	open.pinned = ""
	if open.holder == "" { // else it was offered meanwhile, and is not waiting
		t.dispatch.remove(task.ID)
		t.dispatch.add(task, t.env.clock.Now())
	}
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

// accountOf returns the account that a member works as; "" before there is one.
func (t *team) accountOf(member watchpost.MemberID) watchpost.AccountURN {
	return t.bindings[member].Account
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
