package actors

import (
	"slices"

	"watchpost"
	"watchpost/internal/protocol"
	"watchpost/persistence"
)

// UpdateMember changes a member's role (NotFound `User not found`); answered by
// watchpost.Member.
type UpdateMember struct {
	Member watchpost.MemberID
	Role   watchpost.Role
}

// RemoveMember takes a member out of the team (NotFound `User not found`);
// answered by Done. The member's sessions are closed, claims on accounts end,
// writes that wait in the member's name fail member_removed; those in acting
// keep waiting for their journal's truth. What was done stays, and the email
// is free again.
type RemoveMember struct{ Member watchpost.MemberID }

func errMember() error { return watchpost.Errorf(watchpost.NotFound, "User not found") }

func (t *team) onUpdateMember(m UpdateMember) {
	i := slices.IndexFunc(t.members, func(one watchpost.Member) bool { return one.ID == m.Member })
	if i < 0 {
		t.answer(nil, errMember())
		return
	}
	batch := &persistence.Batch{}
	if t.members[i].Role != m.Role {
		t.members[i].Role = m.Role
		batch.Put(key(keyMember, m.Member), encode(t.members[i]))
	}
	t.commit(batch, t.members[i])
}

// onRemoveMember decides the removal with its first batch. The sessions, claims
// and writes that it ends may be more than fit one: should the service end before
// they have, loadRemovals goes on.
func (t *team) onRemoveMember(m RemoveMember) {
	member, known := t.member(m.Member)
	if !known {
		t.answer(nil, errMember())
		return
	}
	st := &steps{}
	batch := st.room(5)
	batch.Delete(key(keyMember, m.Member))
	batch.Delete(key(keyLiveness, m.Member))
	batch.Delete(key(keyBinding, m.Member))
	batch.Set(persistence.DirectoryKey{Kind: dirEmail, Name: member.Email}, nil)
	batch.Put(key(keyRemoval, m.Member), encode(struct{}{}))
	if err := t.endClaims(st, m.Member, ""); err != nil {
		t.fail(err)
		t.refuse(m)
		return
	}
	var ends []func()
	for _, s := range t.sessionsOf(m.Member) {
		ends = append(ends, t.closeSession(st.room(2), s))
	}
	t.members = slices.DeleteFunc(t.members, func(one watchpost.Member) bool { return one.ID == m.Member })
	delete(t.liveness, m.Member)
	delete(t.bindings, m.Member)
	t.showPresence()
	answer := replyTo(t.env, t.ctx.Sender(), Done{})
	t.submitSteps(st, func(err error) {
		if err == nil {
			for _, end := range ends {
				end()
			}
		}
		if answer != nil {
			answer(err)
		}
	})
	t.endWrites(m.Member)
	t.handOut()
}

// sessionsOf returns the sessions of a member, connected or not.
func (t *team) sessionsOf(member watchpost.MemberID) (sessions []*sessionState) {
	for _, s := range t.sessions {
		if s.record.Member == member {
			sessions = append(sessions, s)
		}
	}
	return sessions
}

// closeSession takes a session and its token away. What it returns tells the
// session, and is called when that is durable.
func (t *team) closeSession(batch *persistence.Batch, s *sessionState) (tell func()) {
	batch.Delete(key(keySession, s.record.ID))
	batch.Set(persistence.DirectoryKey{Kind: dirToken, Name: s.record.TokenHash}, nil)
	pid, root := s.pid, t.env.system.Root
	t.retire(s)
	delete(t.sessions, s.record.ID)
	return func() {
		if pid != nil {
			root.Send(pid, deliver{protocol.Frame{Type: protocol.TypeRevoked}})
			root.Send(pid, endLink{protocol.CloseUnauthorised, "revoked"})
			root.Poison(pid)
		}
	}
}

// endWrites fails the waiting writes of a removed member and reports whether
// there were any.
func (t *team) endWrites(member watchpost.MemberID) (some bool) {
	for _, open := range t.tasks {
		if open.member == member && !open.acting {
			some = true
			t.ctx.Send(open.pid, memberRemoved)
		}
	}
	return some
}

// loadRemovals goes on with what a removal had left to do, and forgets it when
// nothing is.
func (t *team) loadRemovals(view persistence.View) error {
	var members []watchpost.MemberID
	err := loadAll(view, t.space, keyRemoval, func(member string, _ struct{}) {
		members = append(members, watchpost.MemberID(member))
	})
	if err != nil {
		return err
	}
	st := &steps{}
	for _, member := range members {
		for _, s := range t.sessionsOf(member) {
			t.closeSession(st.room(2), s)
		}
		if err := t.endClaims(st, member, ""); err != nil {
			return err
		}
		if !t.endWrites(member) {
			st.room(1).Delete(key(keyRemoval, member))
		}
	}
	t.submitSteps(st, nil)
	return nil
}

// memberRemoved ends a write in whose name nobody is there any more.
var memberRemoved = failTask{watchpost.TaskFailure{
	Code: watchpost.FailMemberRemoved, Message: "the member in whose name it was to act is no longer in the team", RetrySafe: true,
}}

// failTask ends a task that is not acting with a failure.
type failTask struct{ failure watchpost.TaskFailure }

// onFail ends the task unless it acts: only its journal knows how that ends.
func (t *task) onFail(m failTask) {
	freed := t.holder()
	next, ok := t.state.Fail(m.failure, t.env.clock.Now())
	if !ok || t.state.State == watchpost.TaskActing {
		return
	}
	session, root := t.session, t.env.system.Root
	cancel := protocol.Frame{Type: protocol.TypeCancel, Task: string(t.state.ID)}
	t.decide(next, taskChange{event: taskEnded, freed: freed}, func(err error) {
		if err == nil && session != nil {
			root.Send(session, deliver{cancel})
		}
	})
}
