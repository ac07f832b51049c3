package watchpost_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// triageDay is when the posts of these tests were stored, one a minute.
var triageDay = time.Date(2030, 1, 7, 9, 0, 0, 0, time.UTC)

func storedPost(minute int) *watchpost.Post {
	return &watchpost.Post{ID: watchpost.PostID(fmt.Sprintf("post-%06d", minute)), CreatedAt: triageDay.Add(time.Duration(minute) * time.Minute)}
}

// states returns the states of some posts, and checks that the sets of posts agree.
func states(t *testing.T, triage watchpost.Triage, minutes ...int) (all []watchpost.TriageState) {
	t.Helper()
	sets := triage.Sets()
	for _, minute := range minutes {
		p := storedPost(minute)
		state, _ := triage.StateOf(p.Marked())
		all = append(all, state)
		for _, other := range []watchpost.TriageState{watchpost.TriageDone, watchpost.TriageUnread, watchpost.TriageLater} {
			require.Equal(t, other == state, sets[other].Has(p), "post %d among %s", minute, other)
		}
	}
	return all
}

// TestTriage: posts stored before a moment are done, unless a mark says otherwise.
func TestTriage(t *testing.T) {
	t.Parallel()
	const done, unread, later = watchpost.TriageDone, watchpost.TriageUnread, watchpost.TriageLater
	triage := watchpost.Triage{DoneBefore: storedPost(2).CreatedAt}
	mark := func(minute int, state watchpost.TriageState) {
		t.Helper()
		var err error
		triage, err = triage.Mark(storedPost(minute).Marked(), state)
		require.NoError(t, err)
	}
	require.Equal(t, []watchpost.TriageState{done, done, unread, unread}, states(t, triage, 0, 1, 2, 3))
	before := triage
	mark(0, later)
	mark(1, unread)
	mark(2, done)
	mark(3, later)
	require.Equal(t, []watchpost.TriageState{later, unread, done, later, unread}, states(t, triage, 0, 1, 2, 3, 4))
	require.Equal(t, []watchpost.TriageState{done, done, unread}, states(t, before, 0, 1, 2), "the triage before is as it was")
	mark(0, done)
	mark(3, unread)
	require.Empty(t, triage.Later, "a state that needs no mark has none")
	mark(3, later)
	moved := triage.DoneUpTo(storedPost(4).CreatedAt)
	require.Equal(t, []watchpost.TriageState{done, unread, done, later, unread}, states(t, moved, 0, 1, 2, 3, 4))
	require.Empty(t, moved.Done)
	require.Equal(t, moved, moved.DoneUpTo(storedPost(1).CreatedAt), "it never goes back")
	require.Equal(t, []watchpost.TriageState{done, done, done, later, unread}, states(t, triage.AllDone(storedPost(4).CreatedAt), 0, 1, 2, 3, 4))
	marks := map[watchpost.MarkedPost]watchpost.TriageState{storedPost(0).Marked(): done}
	for p, state := range triage.Marks() {
		marks[p] = state
	}
	require.Equal(t, states(t, triage, 0, 1, 2, 3, 4), states(t, watchpost.NewTriage(triage.DoneBefore, marks), 0, 1, 2, 3, 4))
}

// TestTriageBounds: at its bound, the posts marked as done move the moment on, and the other
// marks are refused.
func TestTriageBounds(t *testing.T) {
	t.Parallel()
	triage := watchpost.Triage{DoneBefore: triageDay}
	var err error
	for minute := range watchpost.MaxDoneMarks + 1 {
		triage, err = triage.Mark(storedPost(2*minute).Marked(), watchpost.TriageDone)
		require.NoError(t, err)
	}
	require.LessOrEqual(t, len(triage.Done), watchpost.MaxDoneMarks/2)
	half := storedPost(watchpost.MaxDoneMarks)
	require.True(t, triage.DoneBefore.After(half.CreatedAt) && triage.DoneBefore.Before(half.CreatedAt.Add(time.Minute)))
	last := 2 * watchpost.MaxDoneMarks
	require.Equal(t, []watchpost.TriageState{"done", "done", "done", "unread"}, states(t, triage, 0, 1, last, last-1))
	for minute := range watchpost.MaxOtherMarks {
		triage, err = triage.Mark(storedPost(minute).Marked(), watchpost.TriageLater)
		require.NoError(t, err)
	}
	_, err = triage.Mark(storedPost(last-1).Marked(), watchpost.TriageLater)
	require.Equal(t, watchpost.Conflict, watchpost.KindOf(err))
}

// TestPostSets: sets of the same posts have one name, and others have other names.
func TestPostSets(t *testing.T) {
	t.Parallel()
	list := func(minutes ...int) watchpost.PostList {
		var posts []watchpost.MarkedPost
		for _, minute := range minutes {
			posts = append(posts, storedPost(minute).Marked())
		}
		return watchpost.NewPostList(posts)
	}
	without := func(lists ...watchpost.PostList) []watchpost.PostList { return lists }
	sets := []watchpost.PostSet{
		{}, {From: triageDay}, {To: triageDay}, {OnlyWith: true}, {With: list(1, 2)}, {Without: without(list(1, 2))}, {OnlyWith: true, With: list(1, 2)}, {With: list(1)}, {With: list(2)},
		{Without: without(list(1)), With: list(2)}, {Without: without(list(1), list(2))}, {From: triageDay.Add(1)},
	}
	names := map[uint64]int{}
	for i, s := range sets {
		s.With = watchpost.NewPostList(slices.Clone(s.With.Posts))
		for j, l := range s.Without {
			s.Without[j] = watchpost.NewPostList(slices.Clone(l.Posts))
		}
		name := watchpost.NewPostSet(s).Name()
		require.NotContains(t, names, name, "%d", i)
		names[name] = i
		require.Equal(t, name, watchpost.NewPostSet(s).Name())
	}
}

// TestVisits: a visit ends when nothing is read for half an hour, and is written now and
// then only.
func TestVisits(t *testing.T) {
	t.Parallel()
	var v watchpost.Visits
	at := func(minutes int) time.Time { return triageDay.Add(time.Duration(minutes) * time.Minute) }
	for _, c := range []struct {
		minutes      int
		changed      bool
		seen, before int // -1: none
	}{
		{0, true, 0, -1}, {4, false, 0, -1}, {5, true, 5, -1}, {34, true, 34, -1}, {36, false, 34, -1},
		{64, true, 64, 34}, {70, true, 70, 34}, {200, true, 200, 70},
	} {
		var changed bool
		v, changed = v.Visit(at(c.minutes))
		want := watchpost.Visits{Seen: at(c.seen)}
		if c.before >= 0 {
			want.Before = at(c.before)
		}
		require.Equal(t, c.changed, changed, "%d", c.minutes)
		require.Equal(t, want, v, "%d", c.minutes)
	}
}

// TestPostAssignments: an assignment without member and note is none.
func TestPostAssignments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		note   string
		member watchpost.MemberID
		empty  bool
		bad    bool
	}{
		{"", "", true, false}, {" \n ", "", true, false}, {" call ", "", false, false}, {"", "m", false, false},
		{string(slices.Repeat([]byte("é"), watchpost.MaxPostNote)), "", false, false},
		{string(slices.Repeat([]byte("x"), watchpost.MaxPostNote+1)), "m", false, true},
	} {
		clean, empty, err := watchpost.PostAssignment{Note: c.note, Member: c.member}.Clean()
		require.Equal(t, c.bad, err != nil, c.note)
		require.Equal(t, c.empty, empty, c.note)
		if c.note == " call " {
			require.Equal(t, "call", clean.Note)
		}
	}
}
