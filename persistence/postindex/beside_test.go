package postindex_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// TestQueriesBesideWrites lets readers ask while posts are written in pairs and
// merged: each sees whole batches only, and never fewer than before.
func TestQueriesBesideWrites(t *testing.T) {
	o := postindex.Options{BufferPosts: 16, SegmentPosts: 256, MergeFactor: 3, CacheBytes: 256 << 10}
	m := newTeam(t, memory(t), o)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for reader := range 3 {
		readers.Go(func() {
			f, last := newForge(), 0
			for {
				q := &watchpost.PostQuery{Order: postOrders[f.r.IntN(len(postOrders))], PageSize: 5}
				if reader == 1 {
					q.Search = asked(`"pair of posts"`)
				}
				view, err := m.store.View(noContext)
				if err != nil {
					t.Error(err)
					return
				}
				result, err := m.index.Query(view, space, q)
				view.Close()
				if err != nil || result.Count%2 != 0 || result.Count < last || len(result.Posts) != min(5, result.Count) {
					t.Errorf("after %d posts: %d of %d posts, %v", last, len(result.Posts), result.Count, err)
					return
				}
				last = result.Count
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	f := newForge()
	var posts []*watchpost.Post
	for i := range 150 {
		a, b := f.post(), f.post()
		a.Content, b.Content = a.Content+" pair of posts", "a pair of posts"
		posts = append(posts, a, b)
		m.put(a, b)
		if i%3 == 0 { // marks make new versions, not posts
			p := *posts[f.r.IntN(len(posts))]
			p.Bookmark = !p.Bookmark
			m.put(&p)
		}
		m.step()
	}
	close(done)
	readers.Wait()
	m.mergeAll()
	require.Empty(t, m.verify())
	_, count := m.query(&watchpost.PostQuery{})
	require.Equal(t, len(posts), count)
	m.view(func(view persistence.View) {
		got, err := postindex.ByURN(view, space, posts[0].URN)
		require.NoError(t, err)
		require.Equal(t, posts[0].ID, got.ID)
	})
}

// TestStepsAhead writes posts after some steps of every merge, while the steps
// that are Apart are still on their way to the store.
func TestStepsAhead(t *testing.T) {
	m := newTeam(t, memory(t), postindex.Options{BufferPosts: 8, SegmentPosts: 256, MergeFactor: 3, StepBytes: 300, BlockBytes: 256})
	m.ahead, m.verified = true, true
	f, posts, ahead := newForge(), 0, 0
	for posts < 80 {
		some := make([]*watchpost.Post, 8)
		for i := range some {
			some[i] = f.post()
		}
		m.put(some...)
		posts += len(some)
		for m.step(); m.merge != nil && f.r.IntN(20) > 0; m.step() {
			ahead = max(ahead, len(m.flying))
		}
	}
	require.Greater(t, ahead, 2)
	m.mergeAll()
	require.Empty(t, m.verify())
	_, count := m.query(&watchpost.PostQuery{})
	require.Equal(t, posts, count)
}
