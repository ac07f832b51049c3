package postindex_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// TestPagesOfManyPosts compares pages from all over with the model where there
// are enough posts for long runs along a segment and for sets of every kind:
// short and long ones, several of them, with deleted posts and without.
func TestPagesOfManyPosts(t *testing.T) {
	size, rounds := 1_600, 2
	if long {
		size, rounds = 12_000, 3 // sets of more posts than roaring keeps as lists
	}
	for _, rising := range []bool{true, false} {
		t.Run(fmt.Sprintf("Rising=%v", rising), func(t *testing.T) {
			t.Parallel()
			m, f := newTeam(t, memory(t), postindex.Options{BufferPosts: 200, SegmentPosts: 9_000}), newForge()
			posts := manyPosts(m, f, size, rising)
			r := rand.New(rand.NewPCG(3, 4))
			for i := range rounds * len(mix) {
				q := &watchpost.PostQuery{}
				c := mix[i%len(mix)]
				c.draw(f, q)
				if i >= len(mix) {
					q.Order = postOrders[r.IntN(len(postOrders))]
				}
				want := matching(q, posts)
				q.PageSize = 1 + r.IntN(watchpost.MaxPageSize)
				q.Page = 1 + r.IntN(len(want)/q.PageSize+2)
				from, to := q.Bounds(len(want))
				got, count := m.query(q)
				require.Equal(t, len(want), count, c.name)
				require.Len(t, got, to-from, c.name)
				for k, id := range got {
					require.Equal(t, want[from+k].ID, id, "%s: post %d of page %d: %+v", c.name, k, q.Page, q)
				}
			}
		})
	}
}

// manyPosts fills a team, so that there are segments of several sizes, and lets
// some posts of each be replaced or deleted afterwards.
func manyPosts(m *team, f *forge, size int, rising bool) (posts []*watchpost.Post) {
	const changes = 40
	for len(posts) < size {
		some := make([]*watchpost.Post, 200)
		for i := range some {
			if some[i] = f.post(); rising {
				some[i].PostedAt = some[i].CreatedAt.Add(-time.Duration(f.r.IntN(3000)) * time.Second)
			}
		}
		m.put(some...)
		m.mergeAll()
		posts = append(posts, some...)
	}
	m.change(func(w *postindex.Writer) {
		for range changes {
			p := *posts[f.r.IntN(len(posts))]
			p.Bookmark, p.Likes = !p.Bookmark, p.Likes+1
			at := slices.IndexFunc(posts, func(old *watchpost.Post) bool { return old.ID == p.ID })
			posts[at] = &p
			require.NoError(m.t, w.Put(&p))
			gone := f.r.IntN(len(posts))
			require.NoError(m.t, w.Delete(posts[gone]))
			posts = slices.Delete(posts, gone, gone+1)
		}
	})
	return posts
}

// matching returns all posts that a query is about, in its order.
func matching(q *watchpost.PostQuery, posts []*watchpost.Post) (all []*watchpost.Post) {
	for _, p := range posts {
		if q.Matches(p) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, q.Order.Compare)
	return all
}
