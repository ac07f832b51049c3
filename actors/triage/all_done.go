package triage

import (
	"time"

	"watchpost/actors/root"
	"watchpost/watchpost"
)

// allDone is what MarkAll did. The marks of was stay stored until it can be taken back no
// more.
type allDone struct {
	was        watchpost.Triage
	before, at time.Time
}

func (x *Inbox) onMarkAll(m MarkAll) {
	if !x.isMember(m.Member) {
		x.Answer(nil, errMember())
		return
	}
	st := &root.Steps{}
	x.settle(st, m.Member)
	was := x.of(st, m.Member)
	x.allDone[m.Member] = allDone{was: was, before: m.Before, at: x.Env.Clock.Now()}
	x.triage[m.Member] = was.AllDone(m.Before)
	x.putTriage(st, m.Member)
	x.SubmitSteps(st, x.Env.ReplyTo(x.Context.Sender(), root.Done{}))
}

func (x *Inbox) onTakeBackAll(m TakeBackAll) {
	a, can := x.allDone[m.Member]
	if !can || !a.at.Equal(m.At) {
		x.Answer(nil, watchpost.Errorf(watchpost.Conflict, "This cannot be taken back any more: you have decided about other posts since."))
		return
	}
	st := &root.Steps{}
	delete(x.allDone, m.Member)
	x.triage[m.Member] = a.was
	x.putTriage(st, m.Member)
	x.SubmitSteps(st, x.Env.ReplyTo(x.Context.Sender(), root.Done{}))
}

// settle ends that a member can take MarkAll back.
func (x *Inbox) settle(st *root.Steps, member watchpost.MemberID) {
	a, can := x.allDone[member]
	if !can {
		return
	}
	delete(x.allDone, member)
	x.putTriage(st, member)
	x.dropMarks(st, member, &a.was)
}
