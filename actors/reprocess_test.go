package actors_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/actors/stored"
	"watchpost/internal/enrich"
	"watchpost/internal/protocol"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// TestReprocess: what older rules said of stored posts becomes what today's
// say, and nothing else changes.
func TestReprocess(t *testing.T) {
	t.Parallel()
	engine := actorstest.Engine(t)
	w := actorstest.New(t, actorstest.On(engine))
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	s := team.Session(t, "ada").Connect()
	keywordWatchlist(t, team, "rust")
	shared := relevantPost(w, "rust", "shared", "eve")
	shared.Content += ", and golang"
	var posts []protocol.Post
	for i := range 150 { // more than one batch
		posts = append(posts, relevantPost(w, "golang", fmt.Sprintf("golang-%d", i), "bob"))
	}
	scanBrings(t, s, shared)
	list := keywordWatchlist(t, team, "golang")
	scanBrings(t, s, append(posts, shared)...)
	marked := team.Posts(t, list.ID)[0]
	actorstest.Must[root.Done](t, team, actors.BookmarkPost{Post: marked.ID, Bookmark: true})
	w.End()

	space := persistence.Space(team.ID)
	before := storedPosts(t, engine, space)
	require.Len(t, before, 151)
	rewrite(t, engine, space, func(p *watchpost.Post) {
		p.Language, p.Sentiment, p.Tags, p.Relevance, p.Influence = "xx", "", []watchpost.Tag{{Name: "wrong"}}, 9.9, 99
		p.Enrichment--
	})
	require.Equal(t, 151, reprocess(t, engine, false))
	require.Equal(t, before, storedPosts(t, engine, space))
	require.Zero(t, reprocess(t, engine, false), "they are understood by now")

	rewrite(t, engine, space, func(p *watchpost.Post) { p.Tags = nil })
	require.Zero(t, reprocess(t, engine, false))
	require.Equal(t, 151, reprocess(t, engine, true))
	require.Equal(t, before, storedPosts(t, engine, space))
}

// A post that waits to be purged with its watchlist keeps its tags.
func TestReprocessWithoutWatchlist(t *testing.T) {
	t.Parallel()
	engine := actorstest.Engine(t)
	w := actorstest.New(t, actorstest.On(engine))
	team := w.CreateTeam(t, watchpost.PlanGrowth)
	w.End()
	space := persistence.Space(team.ID)
	p := watchpost.Post{
		ID: watchpost.PostID(watchpost.NewID(w.Now())), URN: "urn:network:post:left", PostedAt: w.Now(), CreatedAt: w.Now(), Content: "Das ist leider schade",
		Tags: []watchpost.Tag{{Name: "kept"}}, Matches: []watchpost.Match{{Watchlist: "gone"}},
	}
	commitPosts(t, engine, space, p)
	require.Equal(t, 1, reprocess(t, engine, false))
	got := storedPosts(t, engine, space)[0]
	require.Equal(t, "de", got.Language)
	require.Equal(t, "kept", got.Tags[0].Name)
	require.Equal(t, enrich.Version, got.Enrichment)
}

func TestReprocessEnds(t *testing.T) {
	t.Parallel()
	engine := actorstest.Engine(t)
	w := actorstest.New(t, actorstest.On(engine))
	w.CreateTeam(t, watchpost.PlanFree)
	w.End()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := stored.Reprocess(ctx, engine, true, func(watchpost.TeamID, int) {})
	require.ErrorIs(t, err, context.Canceled)
}

func reprocess(t *testing.T, store persistence.Store, all bool) (posts int) {
	t.Helper()
	require.NoError(t, stored.Reprocess(t.Context(), store, all, func(_ watchpost.TeamID, n int) { posts += n }))
	return posts
}

func storedPosts(t *testing.T, store persistence.Store, space persistence.Space) (posts []watchpost.Post) {
	t.Helper()
	view, err := store.View(t.Context())
	require.NoError(t, err)
	defer view.Close()
	_, err = postindex.Each(view, space, nil, func(p *watchpost.Post) bool {
		posts = append(posts, *p)
		return true
	})
	require.NoError(t, err)
	return posts
}

// rewrite changes all stored posts.
func rewrite(t *testing.T, store persistence.Store, space persistence.Space, change func(*watchpost.Post)) {
	t.Helper()
	posts := storedPosts(t, store, space)
	for i := range posts {
		change(&posts[i])
	}
	commitPosts(t, store, space, posts...)
}

func commitPosts(t *testing.T, store persistence.Store, space persistence.Space, posts ...watchpost.Post) {
	t.Helper()
	epoch, err := store.Activate(t.Context(), space)
	require.NoError(t, err)
	view, err := store.View(t.Context())
	require.NoError(t, err)
	defer view.Close()
	batch := &persistence.Batch{}
	w, err := postindex.New(postindex.Options{}).Writer(view, space, batch)
	require.NoError(t, err)
	for i := range posts {
		require.NoError(t, w.Put(&posts[i]))
	}
	_, err = w.Finish()
	require.NoError(t, err)
	require.NoError(t, persistence.Commit(t.Context(), store, space, epoch, batch))
}
