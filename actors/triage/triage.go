// Package triage is the component of a team that keeps what its members have decided about
// posts: done, unread and later of each member, when a member last read the feed, and what
// the team shares: who takes care of a post, a note, and who is replying to it.
//
// It shares the mailbox and the commits of its team, which tells it of members that go
// (Forget) and of posts that go (PostsGone). Whether a post exists is not its question: the
// mark of a post that is gone selects nothing.
package triage

import (
	"slices"
	"time"

	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Get returns what a member sees of triage. Visit says that the member reads the feed now,
// which is stored. Answered by View.
type Get struct {
	Member watchpost.MemberID
	Visit  bool
}

// Mark gives a post a state, for a member (Conflict when there are too many); answered by
// Marked.
type Mark struct {
	Member watchpost.MemberID
	Post   watchpost.MarkedPost
	State  watchpost.TriageState
}

// MarkSeveral gives posts a state each, for a member, in one commit; answered by Outcomes.
type MarkSeveral struct {
	Member watchpost.MemberID
	Marks  []PostState
}

// PostState is a post with the state that it gets.
type PostState struct {
	Post  watchpost.MarkedPost
	State watchpost.TriageState
}

// Outcomes are those of MarkSeveral, in the order of its marks.
type Outcomes []Outcome

// Outcome says which state a post had before, and why it does not have the new one (as
// Mark).
type Outcome struct {
	Before watchpost.TriageState
	Err    error
}

// MarkAll marks all posts as done, for a member, that were stored before a moment and are
// not kept for later. It can be taken back until the member's next decision. Answered by
// root.Done.
type MarkAll struct {
	Member watchpost.MemberID
	Before time.Time
}

// TakeBackAll takes back what MarkAll did at a moment (Conflict when the member has decided
// something since); answered by root.Done.
type TakeBackAll struct {
	Member watchpost.MemberID
	At     time.Time
}

// Assign replaces the assignment and the note of a post (Invalid, NotFound for a member that
// is none, Conflict when there are too many); answered by root.Done.
type Assign struct{ Assignment watchpost.PostAssignment }

// Reply says that a member types a reply to a post, or has ended that; answered by
// root.Done.
type Reply struct {
	Member watchpost.MemberID
	Post   watchpost.PostID
	Ended  bool
}

// Marked says which state a post had before.
type Marked struct{ Before watchpost.TriageState }

// View is what a member sees. Its lists do not change.
type View struct {
	watchpost.Triage
	// Before is the end of the member's visit before this one; zero: there was none.
	Before time.Time
	// AllDoneAt is when the member's last decision marked all posts as done; zero: the last
	// one was another.
	AllDoneAt time.Time
	// Assignments are those of the team, in the order of the ids of their posts.
	Assignments []watchpost.PostAssignment
	Replying    []Replying
}

// Replying says that a member writes a reply to a post.
type Replying struct {
	Member watchpost.MemberID
	Post   watchpost.PostID
	Since  time.Time

	until time.Time
}

// repliesEnd is the timer of the component.
type repliesEnd struct{}

// AnsweredWith implements root.Request.
func (Get) AnsweredWith(View) {}

// AnsweredWith implements root.Request.
func (Mark) AnsweredWith(Marked) {}

// AnsweredWith implements root.Request.
func (MarkSeveral) AnsweredWith(Outcomes) {}

// AnsweredWith implements root.Request.
func (MarkAll) AnsweredWith(root.Done) {}

// AnsweredWith implements root.Request.
func (TakeBackAll) AnsweredWith(root.Done) {}

// AnsweredWith implements root.Request.
func (Assign) AnsweredWith(root.Done) {}

// AnsweredWith implements root.Request.
func (Reply) AnsweredWith(root.Done) {}

// AssignedTo returns the posts that a member takes care of.
func (v *View) AssignedTo(member watchpost.MemberID) *watchpost.PostSet {
	var posts []watchpost.MarkedPost
	for _, a := range v.Assignments {
		if a.Member == member {
			posts = append(posts, a.Post)
		}
	}
	return watchpost.NewPostSet(watchpost.PostSet{OnlyWith: true, With: watchpost.NewPostList(posts)})
}

// Assignment returns the assignment of a post; nil: there is none.
func (v *View) Assignment(id watchpost.PostID) *watchpost.PostAssignment {
	at, found := place(v.Assignments, id)
	if !found {
		return nil
	}
	return &v.Assignments[at]
}

func place(list []watchpost.PostAssignment, id watchpost.PostID) (at int, found bool) {
	return slices.BinarySearchFunc(list, id, func(a watchpost.PostAssignment, id watchpost.PostID) int {
		return compareIDs(a.Post.ID, id)
	})
}

func compareIDs(a, b watchpost.PostID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Inbox is the component.
type Inbox struct {
	*root.Actor
	isMember func(watchpost.MemberID) bool

	triage      map[watchpost.MemberID]watchpost.Triage
	allDone     map[watchpost.MemberID]allDone // of members whose last decision it was
	visits      map[watchpost.MemberID]watchpost.Visits
	assignments []watchpost.PostAssignment // in the order of posts; replaced, not changed
	replying    map[watchpost.MemberID]Replying
	timer       watchpost.Timer
}

// New returns the component of an actor.
func New(a *root.Actor, isMember func(watchpost.MemberID) bool) *Inbox {
	return &Inbox{
		Actor: a, isMember: isMember,
		triage: map[watchpost.MemberID]watchpost.Triage{}, allDone: map[watchpost.MemberID]allDone{}, visits: map[watchpost.MemberID]watchpost.Visits{},
		replying: map[watchpost.MemberID]Replying{},
	}
}

// Load reads the records, after the members. It deletes those of members who are gone, and
// the marks that say nothing any more: the rest of decisions with several batches.
func (x *Inbox) Load(view persistence.View) error {
	stray := &root.Steps{}
	gone := func(prefix, id string) bool {
		member := watchpost.MemberID(id[:min(len(id), teamspace.IDLength)])
		if x.isMember(member) {
			return false
		}
		stray.Room(1).Delete([]byte(prefix + id))
		return true
	}
	err := teamspace.LoadAll(view, x.Space, teamspace.KeyTriage, func(id string, r teamspace.TriageRecord) {
		if member := watchpost.MemberID(id); !gone(teamspace.KeyTriage, id) {
			x.triage[member] = watchpost.Triage{DoneBefore: r.DoneBefore}
			if a := r.AllDone; a != nil {
				x.triage[member] = watchpost.Triage{DoneBefore: a.WasDoneBefore}
				x.allDone[member] = allDone{before: a.Before, at: a.At}
			}
		}
	})
	if err != nil {
		return err
	}
	err = teamspace.LoadAll(view, x.Space, teamspace.KeyVisits, func(id string, v watchpost.Visits) {
		if !gone(teamspace.KeyVisits, id) {
			x.visits[watchpost.MemberID(id)] = v
		}
	})
	if err != nil {
		return err
	}
	if err = x.loadMarks(view, stray, gone); err != nil {
		return err
	}
	err = teamspace.LoadAll(view, x.Space, teamspace.KeyAssignment, func(_ string, a watchpost.PostAssignment) {
		x.assignments = append(x.assignments, a)
	})
	slices.SortFunc(x.assignments, func(a, b watchpost.PostAssignment) int { return compareIDs(a.Post.ID, b.Post.ID) })
	x.SubmitSteps(stray, nil)
	return err
}

func (x *Inbox) loadMarks(view persistence.View, stray *root.Steps, gone func(prefix, id string) bool) error {
	marks := map[watchpost.MemberID]map[watchpost.MarkedPost]watchpost.TriageState{}
	err := teamspace.LoadAll(view, x.Space, teamspace.KeyTriageMark, func(id string, m teamspace.TriageMark) {
		if gone(teamspace.KeyTriageMark, id) {
			return
		}
		member, p := watchpost.MemberID(id[:teamspace.IDLength]), watchpost.MarkedPost{ID: watchpost.PostID(id[teamspace.IDLength:]), StoredAt: m.StoredAt}
		if t := x.triage[member]; m.State == t.Unmarked(p) {
			stray.Room(1).Delete(teamspace.TriageMarkKey(member, p.ID))
			return
		}
		if marks[member] == nil {
			marks[member] = map[watchpost.MarkedPost]watchpost.TriageState{}
		}
		marks[member][p] = m.State
	})
	for member, of := range ordered.ByKey(marks) {
		x.triage[member] = watchpost.NewTriage(x.triage[member].DoneBefore, of)
	}
	for member, a := range ordered.ByKey(x.allDone) {
		a.was = x.triage[member]
		x.allDone[member], x.triage[member] = a, a.was.AllDone(a.before)
	}
	return err
}

// Receive is the table of what the component understands; false: it does not.
func (x *Inbox) Receive(message any) bool {
	switch m := message.(type) {
	case Get:
		x.onGet(m)
	case Mark:
		x.onMark(m)
	case MarkSeveral:
		x.onMarkSeveral(m)
	case MarkAll:
		x.onMarkAll(m)
	case TakeBackAll:
		x.onTakeBackAll(m)
	case Assign:
		x.onAssign(m)
	case Reply:
		x.onReply(m)
	case repliesEnd:
		x.endReplies()
		x.Answer(root.Done{}, nil)
	default:
		return false
	}
	return true
}

// of returns the triage of a member. It begins when it is asked for, and is stored with the
// first change or visit.
func (x *Inbox) of(st *root.Steps, member watchpost.MemberID) watchpost.Triage {
	t, known := x.triage[member]
	if !known {
		t.DoneBefore = x.Env.Clock.Now().Add(-watchpost.TriageStart)
		x.triage[member] = t
		x.putTriage(st, member)
	}
	return t
}

func (x *Inbox) putTriage(st *root.Steps, member watchpost.MemberID) {
	record := teamspace.TriageRecord{DoneBefore: x.triage[member].DoneBefore}
	if a, can := x.allDone[member]; can {
		record.AllDone = &teamspace.AllDone{WasDoneBefore: a.was.DoneBefore, Before: a.before, At: a.at}
	}
	st.Room(1).Put(teamspace.Key(teamspace.KeyTriage, member), teamspace.Encode(record))
}

func errMember() error { return watchpost.Errorf(watchpost.NotFound, "User not found") }

func (x *Inbox) onGet(m Get) {
	if !x.isMember(m.Member) {
		x.Answer(nil, errMember())
		return
	}
	st := &root.Steps{}
	visits := x.visits[m.Member]
	view := View{Assignments: x.assignments, Replying: x.replies()}
	if m.Visit {
		view.Triage = x.of(st, m.Member)
		var changed bool
		if visits, changed = visits.Visit(x.Env.Clock.Now()); changed {
			x.visits[m.Member] = visits
			st.Room(1).Put(teamspace.Key(teamspace.KeyVisits, m.Member), teamspace.Encode(visits))
		}
	} else {
		t, known := x.triage[m.Member]
		if !known {
			t.DoneBefore = x.Env.Clock.Now().Add(-watchpost.TriageStart)
		}
		view.Triage = t
	}
	view.Before, view.AllDoneAt = visits.Before, x.allDone[m.Member].at
	x.SubmitSteps(st, x.Env.ReplyTo(x.Context.Sender(), view))
}

// Forget deletes what the component knows of a member who leaves. What the member takes care
// of is no one's then; notes stay.
func (x *Inbox) Forget(st *root.Steps, member watchpost.MemberID) {
	x.settle(st, member)
	t := x.triage[member]
	for p := range t.Marks() {
		st.Room(1).Delete(teamspace.TriageMarkKey(member, p.ID))
	}
	st.Room(1).Delete(teamspace.Key(teamspace.KeyTriage, member))
	st.Room(1).Delete(teamspace.Key(teamspace.KeyVisits, member))
	delete(x.triage, member)
	delete(x.visits, member)
	delete(x.replying, member)
	for _, a := range x.assignments {
		if a.Member == member {
			a.Member = ""
			x.keep(st, a, a.Note == "")
		}
	}
}

// PostsGone deletes the marks and assignments of posts that were deleted.
func (x *Inbox) PostsGone(posts []watchpost.PostID) {
	st := &root.Steps{}
	for _, id := range posts {
		p := watchpost.MarkedPost{ID: id}
		for member, t := range ordered.ByKey(x.triage) {
			a, can := x.allDone[member]
			_, was := a.was.StateOf(p)
			if _, marked := t.StateOf(p); marked || was {
				x.triage[member] = t.Without(p)
				st.Room(1).Delete(teamspace.TriageMarkKey(member, id))
			}
			if can && was {
				a.was = a.was.Without(p)
				x.allDone[member] = a
			}
		}
		if _, found := place(x.assignments, id); found {
			x.keep(st, watchpost.PostAssignment{Post: p}, true)
		}
	}
	if len(st.Batches) > 0 {
		x.SubmitSteps(st, nil)
	}
}
