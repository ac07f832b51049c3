package watchpost

import (
	"cmp"
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// TriageState is what a member has decided about a post.
type TriageState string

// The states.
const (
	TriageUnread TriageState = "unread"
	TriageDone   TriageState = "done"
	TriageLater  TriageState = "later"
)

var triageStates = []TriageState{TriageDone, TriageUnread, TriageLater}

// ParseTriageState reads a state (Invalid).
func ParseTriageState(s string) (TriageState, error) {
	if state := TriageState(s); slices.Contains(triageStates, state) {
		return state, nil
	}
	return "", Errorf(Invalid, "Invalid state of a post")
}

// MarkedPost is a post as marks name it.
type MarkedPost struct {
	ID       PostID
	StoredAt time.Time // Post.CreatedAt
}

func (p MarkedPost) compare(other MarkedPost) int { return cmp.Compare(p.ID, other.ID) }

// Marked returns the post as marks name it.
func (p *Post) Marked() MarkedPost { return MarkedPost{p.ID, p.CreatedAt} }

// Triage is what a member has decided about the posts of the team. A post without a mark is
// done if it was stored before DoneBefore, otherwise unread. The lists are in the order of
// ids, no post is in two of them, and they never change: Mark returns others.
type Triage struct {
	DoneBefore          time.Time
	Done, Unread, Later []MarkedPost
}

// Bounds of the marks of a member.
const (
	MaxDoneMarks  = 4000 // above it DoneBefore moves on
	MaxOtherMarks = 1000 // unread and later, each
)

// TriageStart is how long before a member's first visit posts were stored that are unread.
const TriageStart = 7 * 24 * time.Hour

// Unmarked returns the state of a post without a mark.
func (t *Triage) Unmarked(p MarkedPost) TriageState {
	if p.StoredAt.Before(t.DoneBefore) {
		return TriageDone
	}
	return TriageUnread
}

// StateOf returns the state of a post; marked: it has a mark.
func (t *Triage) StateOf(p MarkedPost) (state TriageState, marked bool) {
	for _, state := range triageStates {
		if _, marked := find(*t.list(state), p); marked {
			return state, true
		}
	}
	return t.Unmarked(p), false
}

// list returns the posts with a mark.
func (t *Triage) list(state TriageState) *[]MarkedPost {
	switch state {
	case TriageDone:
		return &t.Done
	case TriageLater:
		return &t.Later
	}
	return &t.Unread
}

func find(list []MarkedPost, p MarkedPost) (at int, found bool) {
	return slices.BinarySearchFunc(list, p, MarkedPost.compare)
}

// Mark returns the triage with another state of a post (Conflict when there are too many
// marks). A state that the post has without a mark needs none. When too many posts are
// marked as done, DoneBefore moves on over the older half of them: what is unread from
// before that is done then, unless it has a mark.
func (t Triage) Mark(p MarkedPost, state TriageState) (Triage, error) {
	t = t.Without(p)
	if state == t.Unmarked(p) {
		return t, nil
	}
	list := t.list(state)
	if state != TriageDone && len(*list) >= MaxOtherMarks {
		return t, Errorf(Conflict, "You have marked %d posts like this. Mark some of them as done first.", MaxOtherMarks)
	}
	at, _ := find(*list, p)
	*list = slices.Insert(slices.Clip(*list), at, p)
	if len(t.Done) > MaxDoneMarks {
		t = t.DoneUpTo(t.middle())
	}
	return t, nil
}

// Without returns the triage without a mark of the post.
func (t Triage) Without(p MarkedPost) Triage {
	for _, state := range triageStates {
		list := t.list(state)
		if at, marked := find(*list, p); marked {
			*list = slices.Delete(slices.Clone(*list), at, at+1)
		}
	}
	return t
}

// NewTriage returns the triage with these marks, in any order, but for those that say
// nothing.
func NewTriage(doneBefore time.Time, marks map[MarkedPost]TriageState) Triage {
	t := Triage{DoneBefore: doneBefore}
	for p, state := range marks {
		if list := t.list(state); state != t.Unmarked(p) {
			*list = append(*list, p)
		}
	}
	for _, state := range triageStates {
		slices.SortFunc(*t.list(state), MarkedPost.compare)
	}
	return t
}

// Marks yields the posts with a mark.
func (t *Triage) Marks() iter.Seq2[MarkedPost, TriageState] {
	return func(yield func(MarkedPost, TriageState) bool) {
		for _, state := range triageStates {
			for _, p := range *t.list(state) {
				if !yield(p, state) {
					return
				}
			}
		}
	}
}

// middle returns the moment before which the older half of the posts that are marked as
// done were stored.
func (t *Triage) middle() time.Time {
	stored := make([]time.Time, len(t.Done))
	for i, p := range t.Done {
		stored[i] = p.StoredAt
	}
	slices.SortFunc(stored, time.Time.Compare)
	return stored[len(stored)/2].Add(1)
}

// DoneUpTo returns the triage in which all posts are done that were stored before a moment
// and are neither kept for later nor marked as unread.
func (t Triage) DoneUpTo(before time.Time) Triage {
	if before.Before(t.DoneBefore) {
		return t
	}
	t.DoneBefore = before
	t.Done = slices.DeleteFunc(slices.Clone(t.Done), func(p MarkedPost) bool { return p.StoredAt.Before(before) })
	return t
}

// AllDone is DoneUpTo, also for the posts that are marked as unread.
func (t Triage) AllDone(before time.Time) Triage {
	t = t.DoneUpTo(before)
	t.Unread = slices.DeleteFunc(slices.Clone(t.Unread), func(p MarkedPost) bool { return p.StoredAt.Before(before) })
	return t
}

// Sets returns the posts in each state.
func (t *Triage) Sets() map[TriageState]*PostSet {
	done, unread, later := NewPostList(t.Done), NewPostList(t.Unread), NewPostList(t.Later)
	return map[TriageState]*PostSet{
		TriageDone:   NewPostSet(PostSet{To: t.DoneBefore, Without: []PostList{unread, later}, With: done}),
		TriageUnread: NewPostSet(PostSet{From: t.DoneBefore, Without: []PostList{done, later}, With: unread}),
		TriageLater:  NewPostSet(PostSet{OnlyWith: true, With: later}),
	}
}

// PostList is a list of posts in the order of their ids. NewPostList makes it.
type PostList struct {
	Posts []MarkedPost
	name  uint64
}

// NewPostList returns a list with a name.
func NewPostList(posts []MarkedPost) PostList {
	var h maphash.Hash
	h.SetSeed(postSetSeed)
	for _, p := range posts {
		_, _ = h.WriteString(string(p.ID))
		maphash.WriteComparable(&h, p.StoredAt.UnixNano())
	}
	return PostList{posts, h.Sum64()}
}

// Name tells the list from others in this process: equal lists have equal names.
func (l PostList) Name() uint64 { return l.name }

// PostSet is a set of posts: those that were stored in [From, To), without some, and with
// others. NewPostSet makes it.
type PostSet struct {
	From, To time.Time // a zero moment is no bound
	OnlyWith bool      // in place of From and To: there are only those of With
	Without  []PostList
	With     PostList

	name uint64
}

// NewPostSet returns a set with a name.
func NewPostSet(s PostSet) *PostSet {
	var h maphash.Hash
	h.SetSeed(postSetSeed)
	maphash.WriteComparable(&h, [3]bool{s.OnlyWith, s.From.IsZero(), s.To.IsZero()})
	maphash.WriteComparable(&h, [3]uint64{uint64(s.From.UnixNano()), uint64(s.To.UnixNano()), s.With.name})
	for _, list := range s.Without {
		maphash.WriteComparable(&h, list.name)
	}
	s.name = h.Sum64()
	return &s
}

var postSetSeed = maphash.MakeSeed()

// Name tells the set from others in this process: equal sets have equal names.
func (s *PostSet) Name() uint64 { return s.name }

// Has reports whether the post is in the set.
func (s *PostSet) Has(p *Post) bool {
	if _, with := find(s.With.Posts, p.Marked()); with {
		return true
	}
	for _, list := range s.Without {
		if _, without := find(list.Posts, p.Marked()); without {
			return false
		}
	}
	if s.OnlyWith {
		return false
	}
	return (s.From.IsZero() || !p.CreatedAt.Before(s.From)) && (s.To.IsZero() || p.CreatedAt.Before(s.To))
}

// Visits says when a member read the feed.
type Visits struct {
	Seen   time.Time // the last time, up to visitSteps ago
	Before time.Time // the end of the visit before this one; zero: there was none
}

const (
	// visitGap is how long a member reads nothing between two visits.
	visitGap = 30 * time.Minute
	// visitSteps bounds how often a visit is written.
	visitSteps = 5 * time.Minute
)

// Visit returns the visits after the member read the feed; changed: they are worth writing.
func (v Visits) Visit(now time.Time) (after Visits, changed bool) {
	since := now.Sub(v.Seen)
	switch {
	case v.Seen.IsZero():
		return Visits{Seen: now}, true
	case since >= visitGap:
		return Visits{Seen: now, Before: v.Seen}, true
	case since >= visitSteps:
		return Visits{Seen: now, Before: v.Before}, true
	}
	return v, false
}

// PostAssignment is what a team has agreed on about a post: who takes care of it, and a note.
type PostAssignment struct {
	Post   MarkedPost
	Member MemberID // "": no one is assigned
	Note   string
	By     MemberID // who changed it last
	At     time.Time
}

// Bounds of assignments.
const (
	MaxAssignments = 5000 // of a team
	MaxPostNote    = 1000 // characters
)

// Clean returns the assignment with its note trimmed (Invalid); empty: there is nothing to
// keep.
func (a PostAssignment) Clean() (clean PostAssignment, empty bool, err error) {
	if a.Note = strings.TrimSpace(a.Note); utf8.RuneCountInString(a.Note) > MaxPostNote {
		return a, false, Errorf(Invalid, "A note has at most %d characters.", MaxPostNote)
	}
	return a, a.Note == "" && a.Member == "", nil
}

// ReplyingFor is how long a member counts as replying after the last typing.
const ReplyingFor = 10 * time.Minute
