package actors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/actors/triage"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// triageOf returns what a member of a team sees.
func triageOf(t *testing.T, team *actorstest.Team, member watchpost.MemberID) triage.View {
	t.Helper()
	return actorstest.Must[triage.View](t, team, triage.Get{Member: member})
}

// secondMember adds a member to a team.
func secondMember(t *testing.T, team *actorstest.Team) watchpost.MemberID {
	t.Helper()
	email := team.Member(t, "second")
	for _, m := range actorstest.Must[actors.TeamView](t, team, actors.GetTeam{}).Team.Members {
		if m.Email == email {
			return m.ID
		}
	}
	require.Fail(t, "no such member")
	return ""
}

// TestTriageStays: what members decide is theirs, stays after a crash, goes with the member
// and with the post, and is in the team's export.
func TestTriageStays(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t, actorstest.With(func(o *actors.Options) { o.KeepPosts = 30 }))
	team, posts := stocked(t, w, 7, 60, 20)
	one, other := founder(t, team), secondMember(t, team)
	first := triageOf(t, team, one)
	require.WithinDuration(t, w.Now().Add(-watchpost.TriageStart), first.DoneBefore, time.Second)
	first = actorstest.Must[triage.View](t, team, triage.Get{Member: one, Visit: true})
	var fresh []watchpost.MarkedPost // unread without a mark
	for _, p := range posts {
		if !p.CreatedAt.Before(first.DoneBefore) && !p.Bookmark && !p.Liked && !p.Commented {
			fresh = append(fresh, p.Marked())
		}
	}
	require.Greater(t, len(fresh), 3)
	mark := func(member watchpost.MemberID, p watchpost.MarkedPost, state, before watchpost.TriageState) {
		t.Helper()
		require.Equal(t, triage.Marked{Before: before}, actorstest.Must[triage.Marked](t, team, triage.Mark{Member: member, Post: p, State: state}))
	}
	mark(one, fresh[0], watchpost.TriageDone, watchpost.TriageUnread)
	mark(one, fresh[1], watchpost.TriageLater, watchpost.TriageUnread)
	mark(one, fresh[2], watchpost.TriageDone, watchpost.TriageUnread)
	mark(one, fresh[2], watchpost.TriageUnread, watchpost.TriageDone)
	mark(other, fresh[0], watchpost.TriageLater, watchpost.TriageUnread)
	check := func() {
		t.Helper()
		v := triageOf(t, team, one)
		require.Equal(t, [][]watchpost.MarkedPost{{fresh[0]}, {fresh[1]}}, [][]watchpost.MarkedPost{v.Done, v.Later})
		require.Empty(t, v.Unread)
		v = triageOf(t, team, other)
		require.Equal(t, []watchpost.MarkedPost{fresh[0]}, v.Later)
		require.Empty(t, v.Done)
	}
	check()
	w.Crash()
	check()
	w.Advance(time.Minute)
	require.Equal(t, first.DoneBefore, triageOf(t, team, one).DoneBefore, "it began with the first visit")

	kept := map[watchpost.MemberID]int{}
	require.NoError(t, w.Registry.ExportTeam(w.Context(), team.ID, func(record any) error {
		if k, ok := record.(triage.Kept); ok {
			kept[k.Member]++
		}
		return nil
	}))
	require.Equal(t, map[watchpost.MemberID]int{one: 3, other: 2}, kept)

	now := w.Now()
	actorstest.Must[root.Done](t, team, triage.MarkAll{Member: one, Before: now})
	v := triageOf(t, team, one)
	require.Equal(t, []any{now, 0, 1}, []any{v.DoneBefore, len(v.Done), len(v.Later)})
	require.Len(t, storedKeys(t, w, team, teamspace.KeyTriageMark), 3, "that of the done post stays, as it can be taken back")

	actorstest.Must[root.Done](t, team, actors.RemoveMember{Member: other})
	require.Len(t, storedKeys(t, w, team, teamspace.KeyTriageMark), 2)
	require.Len(t, storedKeys(t, w, team, teamspace.KeyTriage), 1)
	actorstest.Fails(t, team, watchpost.NotFound, triage.Get{Member: other, Visit: true})
	actorstest.Fails(t, team, watchpost.NotFound, triage.Mark{Member: other, Post: fresh[0], State: watchpost.TriageDone})

	w.Advance(60 * 24 * time.Hour)
	_, err := w.Registry.ExpirePosts(w.Context())
	require.NoError(t, err)
	require.Empty(t, triageOf(t, team, one).Later, "the post is gone")
	require.Empty(t, storedKeys(t, w, team, teamspace.KeyTriageMark))
}

// TestTriageMovesOn: too many marks of done posts move the moment on; what they need no
// more is deleted, in several batches.
func TestTriageMovesOn(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	member := founder(t, team)
	p := &planter{W: w, team: team, now: w.Now(), member: member}
	at := func(i int) watchpost.MarkedPost {
		return watchpost.MarkedPost{ID: watchpost.PostID(fmt.Sprintf("00000000-0000-7000-8000-%012d", i)), StoredAt: w.Now().Add(time.Duration(i) * time.Second)}
	}
	p.put(teamspace.Key(teamspace.KeyTriage, member), teamspace.TriageRecord{DoneBefore: w.Now()})
	for i := range watchpost.MaxDoneMarks {
		p.put(teamspace.TriageMarkKey(member, at(i).ID), teamspace.TriageMark{State: watchpost.TriageDone, StoredAt: at(i).StoredAt})
	}
	p.plant()
	w.Crash()
	require.Len(t, triageOf(t, team, member).Done, watchpost.MaxDoneMarks)
	actorstest.Must[triage.Marked](t, team, triage.Mark{Member: member, Post: at(watchpost.MaxDoneMarks), State: watchpost.TriageDone})
	after := triageOf(t, team, member)
	require.Len(t, after.Done, watchpost.MaxDoneMarks/2)
	require.Len(t, storedKeys(t, w, team, teamspace.KeyTriageMark), watchpost.MaxDoneMarks/2)
	w.Crash()
	require.Equal(t, after, triageOf(t, team, member))
}

// TestVisitsOfMembers: the end of the visit before counts, and a page that only asks is no visit.
func TestVisitsOfMembers(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	member := founder(t, team)
	visit := func() time.Time {
		return actorstest.Must[triage.View](t, team, triage.Get{Member: member, Visit: true}).Before
	}
	require.Zero(t, visit())
	first := w.Now()
	w.Advance(time.Hour)
	require.Zero(t, triageOf(t, team, member).Before)
	w.Crash()
	before := visit()
	require.WithinDuration(t, first, before, time.Second)
	w.Advance(time.Minute)
	require.Equal(t, before, visit())
}

// TestAssignments: the team's decisions about a post replace each other, and a member who
// leaves takes care of nothing.
func TestAssignments(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	one, other := founder(t, team), secondMember(t, team)
	posts := []watchpost.MarkedPost{{ID: watchpost.PostID(watchpost.NewID(w.Now())), StoredAt: w.Now()}, {ID: watchpost.PostID(watchpost.NewID(w.Now().Add(time.Second))), StoredAt: w.Now()}}
	assign := func(p watchpost.MarkedPost, to watchpost.MemberID, note string) {
		t.Helper()
		actorstest.Must[root.Done](t, team, triage.Assign{Assignment: watchpost.PostAssignment{Post: p, Member: to, Note: note, By: one}})
	}
	assign(posts[1], other, " Knows her. ")
	assign(posts[0], other, "")
	assign(posts[1], one, "Knows her.")
	assign(posts[1], other, "Knows her.")
	w.Crash()
	stored := func() (all []watchpost.PostAssignment) {
		for _, a := range triageOf(t, team, one).Assignments {
			require.WithinDuration(t, w.Now(), a.At, time.Minute)
			a.At = time.Time{}
			all = append(all, a)
		}
		return all
	}
	require.Equal(t, []watchpost.PostAssignment{{Post: posts[0], Member: other, By: one}, {Post: posts[1], Member: other, Note: "Knows her.", By: one}}, stored())
	v := triageOf(t, team, one)
	require.Equal(t, posts, v.AssignedTo(other).With.Posts)
	require.Empty(t, v.AssignedTo(one).With.Posts)
	require.Equal(t, other, v.Assignment(posts[0].ID).Member)
	require.Nil(t, v.Assignment("none"))
	actorstest.Fails(t, team, watchpost.NotFound, triage.Assign{Assignment: watchpost.PostAssignment{Post: posts[0], Member: "nobody"}})
	actorstest.Fails(t, team, watchpost.Invalid, triage.Assign{Assignment: watchpost.PostAssignment{Post: posts[0], Note: fmt.Sprintf("%01001d", 1)}})
	actorstest.Must[root.Done](t, team, actors.RemoveMember{Member: other})
	left := []watchpost.PostAssignment{{Post: posts[1], Note: "Knows her.", By: one}}
	require.Equal(t, left, stored())
	w.Crash()
	require.Equal(t, left, stored())
	assign(posts[1], "", "")
	require.Empty(t, triageOf(t, team, one).Assignments)
	require.Empty(t, storedKeys(t, w, team, teamspace.KeyAssignment))
}

// TestReplying: the mark ends ten minutes after the last typing, with the reply, and when
// the member types to another post; others hear of each change.
func TestReplying(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	one, other := founder(t, team), secondMember(t, team)
	news, err := w.Registry.Subscribe(team.ID, other)
	require.NoError(t, err)
	defer news.Close()
	heard := func() (posts []string) {
		changes, more := news.Next(t.Context())
		require.True(t, more)
		for _, c := range changes {
			if c.Topic == root.TopicTriage {
				posts = append(posts, c.ID)
			}
		}
		return posts
	}
	heard() // everything
	reply := func(post watchpost.PostID, ended bool) {
		t.Helper()
		actorstest.Must[root.Done](t, team, triage.Reply{Member: one, Post: post, Ended: ended})
	}
	shown := func() (posts []watchpost.PostID) {
		for _, r := range triageOf(t, team, other).Replying {
			require.Equal(t, one, r.Member)
			posts = append(posts, r.Post)
		}
		return posts
	}
	began := w.Now()
	reply("a", false)
	require.Equal(t, []string{"a"}, heard())
	w.Advance(9 * time.Minute)
	reply("a", false)
	w.Advance(9 * time.Minute)
	require.Equal(t, []watchpost.PostID{"a"}, shown())
	require.WithinDuration(t, began, triageOf(t, team, other).Replying[0].Since, time.Second)
	w.Advance(time.Minute)
	require.Empty(t, shown())
	require.Equal(t, []string{"a"}, heard(), "that it has ended")
	reply("a", false)
	reply("b", false)
	require.Equal(t, []watchpost.PostID{"b"}, shown())
	require.Equal(t, []string{"a", "b"}, heard())
	reply("a", true)
	require.Equal(t, []watchpost.PostID{"b"}, shown())
	reply("b", true)
	require.Empty(t, shown())
	require.Equal(t, []string{"b"}, heard())
	reply("b", false)
	actorstest.Must[root.Done](t, team, actors.RemoveMember{Member: one})
	require.Empty(t, shown())
}

// TestAllDoneIsTakenBack: the last decision of a member can be taken back where it marked all
// posts as done, after a crash too, until the member's next one. The other member has
// nothing to take back.
func TestAllDoneIsTakenBack(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t, actorstest.With(func(o *actors.Options) { o.KeepPosts = 30 }))
	team, posts := stocked(t, w, 7, 60, 20)
	one, other := founder(t, team), secondMember(t, team)
	start := actorstest.Must[triage.View](t, team, triage.Get{Member: one, Visit: true}).DoneBefore
	mark := func(p *watchpost.Post, state watchpost.TriageState) {
		actorstest.Must[triage.Marked](t, team, triage.Mark{Member: one, Post: p.Marked(), State: state})
	}
	var old, fresh []*watchpost.Post
	for _, p := range posts {
		if p.CreatedAt.Before(start) {
			old = append(old, p)
		} else {
			fresh = append(fresh, p)
		}
	}
	require.Greater(t, len(fresh), 3)
	mark(fresh[0], watchpost.TriageDone)
	mark(fresh[1], watchpost.TriageLater)
	if len(old) > 0 {
		mark(old[0], watchpost.TriageUnread)
	}
	marks := func() int { return len(storedKeys(t, w, team, teamspace.KeyTriageMark)) }
	before, stored := triageOf(t, team, one), marks()
	w.Advance(time.Minute)
	actorstest.Must[root.Done](t, team, triage.MarkAll{Member: one, Before: w.Now()})
	done := triageOf(t, team, one)
	check := func() {
		t.Helper()
		require.Equal(t, done, triageOf(t, team, one))
		require.Empty(t, done.Done)
		require.Empty(t, done.Unread)
		require.Len(t, done.Later, 1)
	}
	check()
	require.WithinDuration(t, w.Now(), done.AllDoneAt, time.Second)
	w.Crash()
	check()
	kept := 0
	require.NoError(t, w.Registry.ExportTeam(w.Context(), team.ID, func(record any) error {
		if k, ok := record.(triage.Kept); ok && k.Member == one {
			kept++
		}
		return nil
	}))
	require.Equal(t, 2, kept, "an export has what counts: the moment, and what is kept for later")
	actorstest.Fails(t, team, watchpost.Conflict, triage.TakeBackAll{Member: other, At: done.AllDoneAt})
	actorstest.Fails(t, team, watchpost.Conflict, triage.TakeBackAll{Member: one, At: done.AllDoneAt.Add(-time.Second)})
	actorstest.Must[root.Done](t, team, triage.TakeBackAll{Member: one, At: done.AllDoneAt})
	require.Equal(t, before, triageOf(t, team, one))
	require.Equal(t, stored, marks())
	w.Crash()
	require.Equal(t, before, triageOf(t, team, one))
	actorstest.Fails(t, team, watchpost.Conflict, triage.TakeBackAll{Member: one, At: done.AllDoneAt})

	// The next decision ends it, and deletes the marks that were kept.
	actorstest.Must[root.Done](t, team, triage.MarkAll{Member: one, Before: w.Now()})
	again := triageOf(t, team, one).AllDoneAt
	require.Equal(t, stored, marks())
	mark(fresh[2], watchpost.TriageLater)
	require.Equal(t, 2, marks(), "only those for later")
	actorstest.Fails(t, team, watchpost.Conflict, triage.TakeBackAll{Member: one, At: again})
	settled := triageOf(t, team, one)
	require.Zero(t, settled.AllDoneAt)
	w.Crash()
	reloaded := triageOf(t, team, one)
	require.Equal(t, []any{settled.DoneBefore, settled.Later}, []any{reloaded.DoneBefore, reloaded.Later})
	require.Empty(t, reloaded.Done)

	// A member who leaves leaves none of them.
	actorstest.Must[triage.Marked](t, team, triage.Mark{Member: other, Post: fresh[0].Marked(), State: watchpost.TriageDone})
	actorstest.Must[root.Done](t, team, triage.MarkAll{Member: other, Before: w.Now()})
	require.Equal(t, 3, marks())
	actorstest.Must[root.Done](t, team, actors.RemoveMember{Member: other})
	require.Equal(t, 2, marks())
}

// TestSeveralMarks: several posts get their states in one commit, each with its outcome.
func TestSeveralMarks(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	member := founder(t, team)
	at := func(i int) watchpost.MarkedPost {
		return watchpost.MarkedPost{ID: watchpost.PostID(fmt.Sprintf("00000000-0000-7000-8000-%012d", i)), StoredAt: w.Now().Add(time.Second)}
	}
	p := &planter{W: w, team: team, now: w.Now(), member: member}
	p.put(teamspace.Key(teamspace.KeyTriage, member), teamspace.TriageRecord{DoneBefore: w.Now()})
	for i := range watchpost.MaxOtherMarks - 1 {
		p.put(teamspace.TriageMarkKey(member, at(i+10).ID), teamspace.TriageMark{State: watchpost.TriageLater, StoredAt: at(i).StoredAt})
	}
	p.plant()
	w.Crash()
	several := func(marks ...triage.PostState) triage.Outcomes {
		return actorstest.Must[triage.Outcomes](t, team, triage.MarkSeveral{Member: member, Marks: marks})
	}
	got := several(triage.PostState{Post: at(1), State: watchpost.TriageDone}, triage.PostState{Post: at(2), State: watchpost.TriageLater}, triage.PostState{Post: at(3), State: watchpost.TriageLater})
	require.Equal(t, watchpost.TriageUnread, got[0].Before)
	require.NoError(t, got[0].Err)
	require.NoError(t, got[1].Err)
	require.Equal(t, watchpost.Conflict, watchpost.KindOf(got[2].Err), "there is no room for another one")
	after := triageOf(t, team, member)
	require.Len(t, after.Later, watchpost.MaxOtherMarks)
	require.Len(t, after.Done, 1)
	w.Crash()
	require.Equal(t, after, triageOf(t, team, member))
	got = several(triage.PostState{Post: at(1), State: watchpost.TriageUnread}, triage.PostState{Post: at(2), State: watchpost.TriageUnread})
	require.Equal(t, []watchpost.TriageState{watchpost.TriageDone, watchpost.TriageLater}, []watchpost.TriageState{got[0].Before, got[1].Before})
	require.Len(t, triageOf(t, team, member).Later, watchpost.MaxOtherMarks-1)
	actorstest.Fails(t, team, watchpost.NotFound, triage.MarkSeveral{Member: "nobody"})
}
