package actors

import (
	"cmp"
	"slices"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// UpdateMember changes what is not its zero value (NotFound `User not found`); answered by
// watchpost.Member. Language is the code of that of mails; "" is none.
type UpdateMember struct {
	Member   watchpost.MemberID
	Role     watchpost.Role
	Language *string
}

// RemoveMember takes a member out of the team (NotFound `User not found`);
// answered by Done. The member's sessions are closed, claims on accounts end,
// writes that wait in the member's name fail member_removed; those in acting
// keep waiting for their journal's truth. Finished actions stay, and the email
// is free again.
type RemoveMember struct{ Member watchpost.MemberID }

// LeaveTeam takes a member out of the team as RemoveMember does, on the member's own wish
// (NotFound; Conflict as watchpost.CheckLeave); answered by Done. Closing confirms that the
// team is left without members.
type LeaveTeam struct {
	Member  watchpost.MemberID
	Closing bool
}

func errMember() error { return watchpost.Errorf(watchpost.NotFound, "User not found") }

func (ms *members) onUpdateMember(m UpdateMember) {
	before, known := ms.byID(m.Member)
	if !known {
		ms.Answer(nil, errMember())
		return
	}
	batch := &persistence.Batch{}
	after := ms.amend(batch, m.Member, func(one *watchpost.Member) {
		one.Role = cmp.Or(m.Role, one.Role)
		if m.Language != nil {
			one.Language = *m.Language
		}
	})
	if after.Role != before.Role {
		ms.team.audit.note(batch, watchpost.AuditRoleChanged, "", after.Email+", "+string(after.Role))
	}
	ms.Commit(batch, after)
}

func (ms *members) onRemoveMember(m RemoveMember) {
	member, known := ms.byID(m.Member)
	if !known {
		ms.Answer(nil, errMember())
		return
	}
	ms.remove(m, member, func(batch *persistence.Batch) {
		ms.team.audit.note(batch, watchpost.AuditMemberRemoved, "", member.Email)
		ms.team.memberLeft(batch, member)
	})
}

func (ms *members) onLeaveTeam(m LeaveTeam) {
	member, known := ms.byID(m.Member)
	if !known {
		ms.Answer(nil, errMember())
		return
	}
	if err := watchpost.CheckLeave(ms.list, m.Member, m.Closing); err != nil {
		ms.Answer(nil, err)
		return
	}
	ms.remove(m, member, func(batch *persistence.Batch) {
		ms.team.audit.note(batch, watchpost.AuditMemberLeft, m.Member, member.Email)
		ms.team.memberLeft(batch, member)
	})
}

// remove decides, for the request, the removal of a member with its first batch; the
// function with writes a part of that batch. The sessions, claims and writes that it ends
// may be more than fit one: should the service end before they have, loadRemovals goes
// on.
func (ms *members) remove(request any, member watchpost.Member, with func(*persistence.Batch)) {
	st := &root.Steps{}
	batch := st.Room(6 + auditOps + 2)
	with(batch)
	ms.team.domains.Uninvite(batch, member.Email)
	batch.Delete(teamspace.Key(teamspace.KeyMember, member.ID))
	batch.Delete(teamspace.Key(teamspace.KeyLiveness, member.ID))
	batch.Delete(teamspace.Key(teamspace.KeyBinding, member.ID))
	ms.team.web.Forget(batch, member.ID)
	batch.Set(persistence.DirectoryKey{Kind: teamspace.DirEmail, Name: member.Email}, nil)
	batch.Put(teamspace.Key(teamspace.KeyRemoval, member.ID), teamspace.Encode(struct{}{}))
	if err := ms.endClaims(st, "", member.ID); err != nil {
		ms.Fail(err)
		ms.Refuse(request)
		return
	}
	var ends []func()
	for _, s := range ms.team.sessions.of(member.ID) {
		ends = append(ends, ms.team.sessions.close(st.Room(2), s))
	}
	ms.team.web.EndAll(st, member.ID)
	ms.team.passkeys.RemoveAll(st, member.ID)
	ms.team.inbox.Forget(st, member.ID)
	ms.list = slices.DeleteFunc(ms.list, func(one watchpost.Member) bool { return one.ID == member.ID })
	delete(ms.bindings, member.ID)
	ms.team.accounts.leaves(member.ID)
	answer := ms.env.ReplyTo(ms.Context.Sender(), root.Done{})
	ms.SubmitSteps(st, func(err error) {
		if err == nil {
			for _, end := range ends {
				end()
			}
		}
		if answer != nil {
			answer(err)
		}
	})
	ms.team.tasks.endWrites(member.ID)
	ms.team.rules.Run()
}

// loadRemovals goes on with what a removal had left to do, and forgets it when
// nothing is.
func (ms *members) loadRemovals(view persistence.View) error {
	removed := map[watchpost.MemberID]bool{}
	err := teamspace.LoadAll(view, ms.Space, teamspace.KeyRemoval, func(member string, _ struct{}) {
		removed[watchpost.MemberID(member)] = true
	})
	if err != nil {
		return err
	}
	st := &root.Steps{}
	for member := range ordered.ByKey(removed) {
		for _, s := range ms.team.sessions.of(member) {
			ms.team.sessions.close(st.Room(2), s)
		}
		if err := ms.endClaims(st, "", member); err != nil {
			return err
		}
		if !ms.team.tasks.endWrites(member) {
			st.Room(1).Delete(teamspace.Key(teamspace.KeyRemoval, member))
		}
	}
	ms.SubmitSteps(st, nil)
	return nil
}

// memberRemoved ends a write whose member is no longer in the team.
var memberRemoved = failTask{failure: watchpost.TaskFailure{
	Code: watchpost.FailMemberRemoved, Message: "the member in whose name it was to act is no longer in the team", RetrySafe: true,
}}

// failTask ends a task that is not acting with a failure. With cancel its caller wants
// that, and is answered by TaskView (Conflict).
type failTask struct {
	failure watchpost.TaskFailure
	cancel  bool
}
