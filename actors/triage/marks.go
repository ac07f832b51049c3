package triage

import (
	"watchpost/actors/root"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

func (x *Inbox) onMark(m Mark) {
	if !x.isMember(m.Member) {
		x.Answer(nil, errMember())
		return
	}
	st := &root.Steps{}
	x.settle(st, m.Member)
	done := x.mark(st, m.Member, PostState{m.Post, m.State})
	if done.Err != nil {
		x.SubmitSteps(st, x.Env.ReplyTo(x.Context.Sender(), done.Err))
		return
	}
	x.SubmitSteps(st, x.Env.ReplyTo(x.Context.Sender(), Marked{done.Before}))
}

func (x *Inbox) onMarkSeveral(m MarkSeveral) {
	if !x.isMember(m.Member) {
		x.Answer(nil, errMember())
		return
	}
	st := &root.Steps{}
	x.settle(st, m.Member)
	outcomes := make(Outcomes, len(m.Marks))
	for i, p := range m.Marks {
		outcomes[i] = x.mark(st, m.Member, p)
	}
	x.SubmitSteps(st, x.Env.ReplyTo(x.Context.Sender(), outcomes))
}

// mark gives a post a state, for a member.
func (x *Inbox) mark(st *root.Steps, member watchpost.MemberID, p PostState) (done Outcome) {
	before := x.of(st, member)
	done.Before, _ = before.StateOf(p.Post)
	after, err := before.Mark(p.Post, p.State)
	if err != nil {
		done.Err = err
		return done
	}
	x.triage[member] = after
	if state, marked := after.StateOf(p.Post); marked {
		st.Room(1).Put(teamspace.TriageMarkKey(member, p.Post.ID), teamspace.Encode(teamspace.TriageMark{State: state, StoredAt: p.Post.StoredAt}))
	} else {
		st.Room(1).Delete(teamspace.TriageMarkKey(member, p.Post.ID))
	}
	x.moveOn(st, member, &before)
	return done
}

// moveOn stores a new DoneBefore, and deletes the marks that say nothing after it.
func (x *Inbox) moveOn(st *root.Steps, member watchpost.MemberID, before *watchpost.Triage) {
	after := x.triage[member]
	if after.DoneBefore.Equal(before.DoneBefore) {
		return
	}
	x.putTriage(st, member)
	x.dropMarks(st, member, before)
}

// dropMarks deletes the marks from before that are none any more.
func (x *Inbox) dropMarks(st *root.Steps, member watchpost.MemberID, before *watchpost.Triage) {
	after := x.triage[member]
	for p := range before.Marks() {
		if _, marked := after.StateOf(p); !marked {
			st.Room(1).Delete(teamspace.TriageMarkKey(member, p.ID))
		}
	}
}
