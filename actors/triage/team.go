package triage

import (
	"slices"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

func (x *Inbox) onAssign(m Assign) {
	a, empty, err := m.Assignment.Clean()
	_, known := place(x.assignments, a.Post.ID)
	switch {
	case err != nil:
	case a.Member != "" && !x.isMember(a.Member):
		err = errMember()
	case !empty && !known && len(x.assignments) >= watchpost.MaxAssignments:
		err = watchpost.Errorf(watchpost.Conflict, "A team has at most %d assignments and notes. Take some away first.", watchpost.MaxAssignments)
	}
	if err != nil {
		x.Answer(nil, err)
		return
	}
	st := &root.Steps{}
	a.At = x.Env.Clock.Now()
	x.keep(st, a, empty)
	x.SubmitSteps(st, x.Env.ReplyTo(x.Context.Sender(), root.Done{}))
}

// keep stores the assignment of a post in place of the one that it has; empty: it has none.
func (x *Inbox) keep(st *root.Steps, a watchpost.PostAssignment, empty bool) {
	at, found := place(x.assignments, a.Post.ID)
	x.assignments = slices.Clone(x.assignments) // views have the list
	switch {
	case found && empty:
		x.assignments = slices.Delete(x.assignments, at, at+1)
	case found:
		x.assignments[at] = a
	case !empty:
		x.assignments = slices.Insert(x.assignments, at, a)
	}
	key := teamspace.Key(teamspace.KeyAssignment, a.Post.ID)
	if empty {
		st.Room(1).Delete(key)
	} else {
		st.Room(1).Put(key, teamspace.Encode(a))
	}
}

// onReply notes who is replying to a post. Nothing of it is stored: after a restart members
// type on. A member replies to one post at a time.
func (x *Inbox) onReply(m Reply) {
	now := x.Env.Clock.Now()
	was, known := x.replying[m.Member]
	same := known && was.Post == m.Post
	switch {
	case !x.isMember(m.Member):
		x.Answer(nil, errMember())
		return
	case m.Ended && same:
		delete(x.replying, m.Member)
		x.tell(m.Post)
	case m.Ended:
	case same:
		was.until = now.Add(watchpost.ReplyingFor)
		x.replying[m.Member] = was
	default:
		x.replying[m.Member] = Replying{Member: m.Member, Post: m.Post, Since: now, until: now.Add(watchpost.ReplyingFor)}
		if known {
			x.tell(was.Post)
		}
		x.tell(m.Post)
	}
	x.arm()
	x.Answer(root.Done{}, nil)
}

// tell tells readers outside the mailbox what has changed without a commit.
func (x *Inbox) tell(post watchpost.PostID) {
	x.Publish(root.Change{Topic: root.TopicTriage, ID: string(post)})
}

// replies returns who is replying now.
func (x *Inbox) replies() (all []Replying) {
	now := x.Env.Clock.Now()
	for _, r := range ordered.ByKey(x.replying) {
		if now.Before(r.until) {
			all = append(all, r)
		}
	}
	return all
}

// endReplies forgets members that have not typed for long.
func (x *Inbox) endReplies() {
	now := x.Env.Clock.Now()
	for member, r := range ordered.ByKey(x.replying) {
		if !now.Before(r.until) {
			delete(x.replying, member)
			x.tell(r.Post)
		}
	}
	x.arm()
}

// arm sets the timer for the next reply that ends.
func (x *Inbox) arm() {
	x.StopTimer()
	var next time.Time
	for _, r := range x.replying {
		if next.IsZero() || r.until.Before(next) {
			next = r.until
		}
	}
	if !next.IsZero() {
		x.timer = x.Env.TellAt(next, x.Context.Self(), repliesEnd{})
	}
}

// StopTimer ends the timer, when the actor ends.
func (x *Inbox) StopTimer() {
	if x.timer != nil {
		x.timer.Stop()
		x.timer = nil
	}
}

// Idle reports whether nothing is known that is not stored.
func (x *Inbox) Idle() bool { return len(x.replying) == 0 }
