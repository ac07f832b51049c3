package actors_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// labelled makes a watchlist for "go" with labels, and lets a session report the
// posts to it.
func labelled(t *testing.T, team *actorstest.Team, s *actorstest.Session, posts []protocol.Post, labels ...string) watchpost.Watchlist {
	t.Helper()
	list := watchpost.Watchlist{
		Type: watchpost.KeywordWatchlist, Frequency: watchpost.FetchFrequency(24 * time.Hour), Keywords: []watchpost.KeywordEntry{{Keyword: "go"}},
	}
	for _, name := range labels {
		list.Labels = append(list.Labels, watchpost.Label{Name: name})
	}
	view := actorstest.Must[actors.WatchlistView](t, team, actors.CreateWatchlist{Watchlist: list})
	scan := s.Expect(protocol.TypeTask)
	s.Accept(scan)
	s.Result(scan, map[string]any{"posts": posts, "exhausted": true})
	s.ExpectAck(scan)
	return view.Watchlist
}

// tagsOf returns the tags of the posts as the API shows them, by urn, and checks
// that every filter by label agrees. It asks again while the tags change.
func tagsOf(t *testing.T, w *actorstest.World, team *actorstest.Team, names ...string) map[string][]string {
	t.Helper()
	for {
		tags, counts := shownTags(t, w, team)
		found := map[string]int{}
		for _, name := range append(names, watchpost.NoLabels) {
			page, err := w.Registry.Posts(w.Context(), team.ID, nil, watchpost.PostQuery{
				Order: watchpost.RecentFirst, Page: 1, PageSize: 1, Labels: []string{name},
			})
			require.NoError(t, err)
			found[name] = page.Count
		}
		if after, _ := shownTags(t, w, team); !reflect.DeepEqual(tags, after) {
			continue
		}
		for name, n := range found {
			require.Equal(t, counts[name], n, name)
		}
		return tags
	}
}

// shownTags returns the tags of all posts by urn, and how many posts have each.
func shownTags(t *testing.T, w *actorstest.World, team *actorstest.Team) (tags map[string][]string, count map[string]int) {
	t.Helper()
	all := watchpost.PostQuery{Order: watchpost.RecentFirst, Page: 1, PageSize: watchpost.MaxPageSize}
	page, err := w.Registry.Posts(w.Context(), team.ID, nil, all)
	require.NoError(t, err)
	tags, count = map[string][]string{}, map[string]int{}
	for _, p := range actorstest.Decoded(t, page.Posts) {
		tags[p.URN] = []string{}
		for _, tag := range p.TagsGiven(page.Tagging) {
			tags[p.URN] = append(tags[p.URN], tag.Name)
			count[tag.Name]++
		}
		if len(tags[p.URN]) == 0 {
			count[watchpost.NoLabels]++
		}
	}
	return tags, count
}

var labelledPosts = []string{"go hiring event", "go hiring", "go alone"}

func somePosts(w *actorstest.World) (posts []protocol.Post) {
	for _, text := range labelledPosts {
		posts = append(posts, post(w, text, text))
	}
	return posts
}

// TestTagsOfDeletedWatchlist: at the reply the tags are gone that nothing else
// gives, before and after the posts were written again, and after a crash
// between.
func TestTagsOfDeletedWatchlist(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	posts := somePosts(w)
	labelled(t, team, s, posts, "hiring")
	doomed := labelled(t, team, s, posts, "hiring", "event")
	urn := func(i int) string { return posts[i].URN }
	names := []string{"hiring", "event"}
	require.Equal(t, map[string][]string{urn(0): {"hiring", "event"}, urn(1): {"hiring"}, urn(2): {}}, tagsOf(t, w, team, names...))

	// The purge does not come to its end.
	w.Store.Fail(persistence.Space(team.ID), 2, actorstest.Before)
	done(t, team, actors.DeleteWatchlist{Type: watchpost.KeywordWatchlist, ID: doomed.ID})
	want := map[string][]string{urn(0): {"hiring"}, urn(1): {"hiring"}, urn(2): {}}
	require.Equal(t, want, tagsOf(t, w, team, names...))
	w.Crash()
	require.Equal(t, want, tagsOf(t, w, team, names...))
	done(t, team, actors.RequireExtension{})
	w.Restart()
	require.Equal(t, want, tagsOf(t, w, team, names...))
}

// TestTagsOfChangedWatchlist: at the reply a label that was taken away is gone
// from every answer, and posts get the new ones, whatever ends meanwhile.
func TestTagsOfChangedWatchlist(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"", "crash"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			w, team, s := house(t)
			posts := somePosts(w)
			labelled(t, team, s, posts, "event")
			list := labelled(t, team, s, posts, "hiring", "event")
			urn := func(i int) string { return posts[i].URN }
			names := []string{"hiring", "event", "alone"}
			if end != "" { // what follows the change is lost
				w.Store.Fail(persistence.Space(team.ID), 2, actorstest.Before)
			}
			labels := []watchpost.Label{{Name: "alone"}}
			actorstest.Must[actors.WatchlistView](t, team, actors.UpdateWatchlist{Type: watchpost.KeywordWatchlist, ID: list.ID, Patch: watchpost.WatchlistPatch{Labels: &labels}})
			got := tagsOf(t, w, team, names...)
			require.Equal(t, []string{"event"}, got[urn(0)])
			require.Empty(t, got[urn(1)])
			if end != "" {
				w.Crash()
				done(t, team, actors.RequireExtension{})
			}
			require.Eventually(t, func() bool { return len(tagsOf(t, w, team, names...)[urn(2)]) == 1 }, actorstest.Wait, time.Millisecond)
			require.Equal(t, map[string][]string{urn(0): {"event"}, urn(1): {}, urn(2): {"alone"}}, tagsOf(t, w, team, names...))
		})
	}
}

// TestRetagOfManyPosts: the posts of a changed watchlist are classified again in
// bounded steps, and a bookmark does not wait until all are done.
func TestRetagOfManyPosts(t *testing.T) {
	t.Parallel()
	w, team, s := house(t)
	const parts, each = 12, 200
	list := watchpost.Watchlist{
		Type: watchpost.KeywordWatchlist, Frequency: watchpost.FetchFrequency(24 * time.Hour), Keywords: []watchpost.KeywordEntry{{Keyword: "go"}},
		Labels: []watchpost.Label{{Name: "event"}},
	}
	list = actorstest.Must[actors.WatchlistView](t, team, actors.CreateWatchlist{Watchlist: list}).Watchlist
	scan := s.Expect(protocol.TypeTask)
	s.Accept(scan)
	for part := range parts {
		var posts []protocol.Post
		for i := range each {
			posts = append(posts, post(w, fmt.Sprintf("%d-%d", part, i), "go hiring"))
		}
		s.Part(scan, part, posts...)
		s.ExpectAck(scan)
	}
	endScan(s, scan, true)
	marked := team.Posts(t)[0]
	query := watchpost.PostQuery{Order: watchpost.RecentFirst, Page: 1, PageSize: 1}
	count := func(query watchpost.PostQuery) int {
		page, err := w.Registry.Posts(w.Context(), team.ID, nil, query)
		require.NoError(t, err)
		return page.Count
	}
	hiring, saved := query, query
	hiring.Labels, saved.Saved = []string{"hiring"}, true
	require.Equal(t, parts*each, count(query))
	require.Zero(t, count(hiring))

	w.Store.Block()
	replies := make(chan error, 1)
	ask := func(request any) {
		go func() {
			_, err := actorstest.Try[any](team, request)
			replies <- err
		}()
	}
	// untilReply lets one commit after the other through until the reply is there.
	untilReply := func() {
		for {
			select {
			case err := <-replies:
				require.NoError(t, err)
				return
			default:
				require.NoError(t, w.Store.AwaitHeld(w.Context(), 1))
				w.Store.ReleaseOne()
			}
		}
	}
	labels := []watchpost.Label{{Name: "hiring"}}
	ask(actors.UpdateWatchlist{Type: list.Type, ID: list.ID, Patch: watchpost.WatchlistPatch{Labels: &labels}})
	untilReply()
	before := w.Store.Submitted()
	ask(actors.BookmarkPost{Post: marked.ID, Bookmark: true})
	untilReply()
	require.Less(t, count(hiring), parts*each)
	require.Equal(t, 1, count(saved))
	require.NotEmpty(t, storedKeys(t, w, team, "g"))
	w.Store.Release()
	require.Eventually(t, func() bool { return len(storedKeys(t, w, team, "g")) == 0 }, actorstest.Wait, time.Millisecond)
	require.Equal(t, parts*each, count(hiring))
	require.GreaterOrEqual(t, w.Store.Submitted()-before, parts*each/200, "steps")
}
