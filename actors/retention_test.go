package actors_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/actors/root"
	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// stocked is a team with posts of the last days in its store, some of them saved, liked or commented on.
func stocked(t *testing.T, w *actorstest.World, seed uint64, n, days int) (*actorstest.Team, []*watchpost.Post) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 14))
	team := w.CreateTeam(t, watchpost.PlanUltimate)
	list := keywordWatchlist(t, team, "tea")
	index, space := postindex.New(postindex.Options{}), persistence.Space(team.ID)
	epoch, err := w.Store.Activate(w.Context(), space)
	require.NoError(t, err)
	posts := make([]*watchpost.Post, n)
	for i := range posts {
		stored := w.Now().Add(-time.Duration(random.IntN(days*24*60)) * time.Minute)
		posts[i] = &watchpost.Post{
			ID: watchpost.PostID(watchpost.NewID(stored)), URN: fmt.Sprint("urn:network:post:", i), CreatedAt: stored, PostedAt: stored.AddDate(0, 0, -random.IntN(30)),
			Content: fmt.Sprintf("tea %d", i%5), Language: []string{"en", "de"}[i%2], Bookmark: random.IntN(10) == 0, Liked: random.IntN(20) == 0, Commented: random.IntN(20) == 0, Source: watchpost.SourceNetwork,
			Matches: []watchpost.Match{{Watchlist: list.ID, Keyword: "tea", At: stored}},
		}
	}
	for rest := posts; len(rest) > 0; {
		var batch persistence.Batch
		view, err := w.Store.View(w.Context())
		require.NoError(t, err)
		writer, err := index.Writer(view, space, &batch)
		require.NoError(t, err)
		for len(rest) > 0 && !writer.Full(0, 0) {
			require.NoError(t, writer.Put(rest[0]))
			rest = rest[1:]
		}
		_, err = writer.Finish()
		require.NoError(t, err)
		view.Close()
		require.NoError(t, persistence.Commit(w.Context(), w.Store, space, epoch, &batch))
	}
	w.Restart()
	return team, posts
}

// remain requires that a team has the posts that a model keeps, and that queries count
// them.
func remain(t *testing.T, w *actorstest.World, team *actorstest.Team, posts []*watchpost.Post, before time.Time) {
	t.Helper()
	search, err := text.ParseSearch("tea 3")
	require.NoError(t, err)
	for _, q := range []watchpost.PostQuery{
		{}, {Saved: true}, {Interacted: true}, {Languages: []string{"de"}}, {Search: search}, {StoredFrom: w.Now().AddDate(0, 0, -20)},
	} {
		want := map[string]bool{}
		for _, p := range posts {
			if (p.Bookmark || p.Liked || p.Commented || !p.CreatedAt.Before(before)) && q.Matches(p) {
				want[p.URN] = true
			}
		}
		found := map[string]bool{}
		q.Order, q.PageSize = watchpost.RecentFirst, watchpost.MaxPageSize
		for q.Page = 1; len(found) < len(want) || q.Page == 1; q.Page++ {
			page, err := w.Registry.Posts(w.Context(), team.ID, nil, q)
			require.NoError(t, err)
			require.Equal(t, len(want), page.Count, "%+v", q)
			for _, p := range actorstest.Decoded(t, page.Posts) {
				found[p.URN] = true
			}
			if len(page.Posts) == 0 {
				break
			}
		}
		require.Equal(t, want, found, "%+v", q)
	}
}

// TestExpiryGoesOn: whichever commit of it is cut off, written or not, the next pass
// deletes exactly the posts that are too old and not kept, and queries count the rest.
func TestExpiryGoesOn(t *testing.T) {
	t.Parallel()
	for _, fault := range []actorstest.Fault{actorstest.Before, actorstest.After} {
		cut := true
		for nth := 1; cut; nth++ {
			require.Less(t, nth, 20)
			t.Run(fmt.Sprintf("%d %d", fault, nth), func(t *testing.T) {
				w := actorstest.New(t, actorstest.With(func(o *actors.Options) { o.KeepPosts = 30 }))
				team, posts := stocked(t, w, uint64(nth), 620, 60)
				before := w.Now().AddDate(0, 0, -30)
				w.Store.Fail(persistence.Space(team.ID), nth, fault)
				_, err := w.Registry.ExpirePosts(w.Context())
				cut = err != nil
				w.Crash()
				_, err = w.Registry.ExpirePosts(w.Context())
				require.NoError(t, err)
				remain(t, w, team, posts, before)
				again, err := w.Registry.ExpirePosts(w.Context())
				require.NoError(t, err)
				require.Zero(t, again)
			})
		}
	}
}

// TestKeepPosts: the team's setting comes before that of the service, saved posts stay
// until they are saved no more, and a team without posts to delete is not activated.
func TestKeepPosts(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team, posts := stocked(t, w, 1, 300, 60)
	other, others := stocked(t, w, 2, 50, 60)
	expire := func() int {
		t.Helper()
		n, err := w.Registry.ExpirePosts(w.Context())
		require.NoError(t, err)
		return n
	}
	set := func(days watchpost.KeepDays) {
		t.Helper()
		require.Equal(t, days, actorstest.Must[watchpost.Team](t, team, actors.UpdateTeam{Patch: watchpost.TeamPatch{KeepPosts: &days}}).KeepPosts)
	}
	require.Zero(t, expire(), "the service keeps them forever")
	set(40)
	require.Positive(t, expire())
	remain(t, w, team, posts, w.Now().AddDate(0, 0, -40))
	remain(t, w, other, others, time.Time{})
	w.Restart()
	idle := w.Store.Activations(persistence.Space(other.ID))
	set(20)
	require.Positive(t, expire())
	remain(t, w, team, posts, w.Now().AddDate(0, 0, -20))
	require.Equal(t, idle, w.Store.Activations(persistence.Space(other.ID)))

	page, err := w.Registry.Posts(w.Context(), team.ID, nil, watchpost.PostQuery{Saved: true, Order: watchpost.OldestFirst, Page: 1, PageSize: 100})
	require.NoError(t, err)
	saved := actorstest.Decoded(t, page.Posts)
	for _, p := range saved {
		if p.CreatedAt.Before(w.Now().AddDate(0, 0, -20)) && !p.Liked && !p.Commented {
			actorstest.Must[root.Done](t, team, actors.BookmarkPost{Post: p.ID, Bookmark: false})
			require.Equal(t, 1, expire())
			break
		}
	}
	set(watchpost.KeepForever)
	w.Advance(400 * 24 * time.Hour)
	require.Zero(t, expire())
	set(0)
	require.Zero(t, expire())
}
