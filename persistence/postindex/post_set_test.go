package postindex_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// somePostSet draws what a member has marked among the first posts.
var somePostSet = rapid.Custom(func(t *rapid.T) *watchpost.PostSet {
	hour := func(name string) time.Time {
		if h := rapid.IntRange(-1, 40).Draw(t, name); h >= 0 {
			return day0.Add(time.Duration(h) * time.Hour)
		}
		return time.Time{}
	}
	set := watchpost.PostSet{OnlyWith: rapid.IntRange(0, 3).Draw(t, "only") == 0, From: hour("set from"), To: hour("set to")}
	var without, more, with []watchpost.MarkedPost
	for number := range 20 {
		p := watchpost.MarkedPost{StoredAt: day0.Add(time.Duration(number+1) * time.Hour)}
		for first := range 4 { // one of these is the post's id
			p.ID = watchpost.PostID(fmt.Sprintf("%08x-0000-7000-8000-%012x", first, number+1))
			switch rapid.IntRange(0, 5).Draw(t, "mark") {
			case 0:
				without = append(without, p)
			case 1:
				with = append(with, p)
			case 2:
				more = append(more, p)
			}
		}
	}
	byID := func(a, b watchpost.MarkedPost) int { return strings.Compare(string(a.ID), string(b.ID)) }
	for _, list := range [][]watchpost.MarkedPost{without, more, with} {
		slices.SortFunc(list, byID)
	}
	set.Without = []watchpost.PostList{watchpost.NewPostList(without), watchpost.NewPostList(more)}
	set.With = watchpost.NewPostList(with)
	return watchpost.NewPostSet(set)
})

// sets are queries about sets of posts that differ a little.
func sets() (group []*watchpost.PostQuery) {
	marked := func(from, to int) watchpost.PostList {
		var some []watchpost.MarkedPost
		for i := from; i < to; i++ {
			some = append(some, countedPosts()[i].Marked())
		}
		return watchpost.NewPostList(some)
	}
	without := func(from, to int) []watchpost.PostList { return []watchpost.PostList{marked(from, to)} }
	hour := func(n int) time.Time { return day0.Add(time.Duration(n) * time.Hour) }
	for _, s := range []watchpost.PostSet{
		{From: hour(50)}, {From: hour(51), With: marked(0, 4)}, {To: hour(30), Without: without(10, 12)}, {OnlyWith: true, With: marked(20, 23)}, {Without: without(3, 8)},
	} {
		group = append(group, &watchpost.PostQuery{Only: watchpost.NewPostSet(s)})
	}
	return group
}

// TestLeadsOfSets: the authors that are kept for a set of posts are not those of another.
func TestLeadsOfSets(t *testing.T) {
	m, posts := newTeam(t, memory(t), postindex.Options{}), countedPosts()
	for _, p := range posts {
		p.AuthorURL = "https://host/in/jane"
	}
	m.put(posts...)
	m.view(func(view persistence.View) {
		for range 2 {
			for _, q := range sets() {
				leads := &watchpost.LeadQuery{PostQuery: *q, By: watchpost.LeadsMostPosts}
				leads.Page, leads.PageSize = 1, 10
				want, _ := leads.Select(posts)
				got, _, err := m.index.Leads(view, space, leads)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		}
	})
}

// TestDeletedIn names the posts that a batch deletes, and none that it writes again.
func TestDeletedIn(t *testing.T) {
	m, posts := newTeam(t, memory(t), tiny), countedPosts()
	m.put(posts[:3]...)
	batch := &persistence.Batch{}
	m.view(func(view persistence.View) {
		w, err := m.index.Writer(view, space, batch)
		require.NoError(t, err)
		require.NoError(t, w.Delete(posts[1]))
		require.NoError(t, w.Put(posts[2]))
		_, err = w.Finish()
		require.NoError(t, err)
	})
	require.Equal(t, []watchpost.PostID{posts[1].ID}, postindex.DeletedIn(batch))
}
