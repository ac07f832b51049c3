package postindex_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// TestStreamEnds: the reader of a stream may stop, or panic, after any post. The
// view is not used any more then.
func TestStreamEnds(t *testing.T) {
	m := newTeam(t, memory(t), postindex.Options{MaxBuffer: 5000})
	const all = 700 // 256 of them are read together
	for i := range all {
		m.put(latePost(i))
	}
	count := func(most int, end func() bool) (n int) {
		m.view(func(view persistence.View) {
			require.NoError(t, m.index.EachMatching(view, space, &watchpost.PostQuery{}, "", func(*postindex.Stored) bool {
				n++
				return n < most || end()
			}))
		})
		return n
	}
	for _, most := range []int{1, 255, 256, 257, 600, all} {
		require.Equal(t, most, count(most, func() bool { return false }))
		require.PanicsWithValue(t, "enough", func() { count(most, func() bool { panic("enough") }) })
	}
	require.Equal(t, all, count(all+1, nil))
}

// TestStreamIsOfOneMoment: posts that are written, changed, deleted and merged while a stream is
// read does not show in it, neither before its place nor behind.
func TestStreamIsOfOneMoment(t *testing.T) {
	options := tiny
	options.BufferPosts, options.SegmentPosts, options.MaxBuffer = 64, 256, 5000
	m := newTeam(t, memory(t), options)
	const all = 1200 // more than twice as many as are read together
	for i := range all {
		m.put(latePost(2 * i)) // others come between them
	}
	m.mergeAll()
	read := func(meanwhile func(n int)) (posts []string) {
		m.view(func(view persistence.View) {
			require.NoError(t, m.index.EachMatching(view, space, &watchpost.PostQuery{}, "", func(s *postindex.Stored) bool {
				meanwhile(len(posts))
				p, err := s.Post()
				require.NoError(t, err)
				posts = append(posts, fmt.Sprint(p.ID, " ", p.Likes))
				return true
			}))
		})
		return posts
	}
	nothing := func(int) {}
	began := read(nothing)
	require.Len(t, began, all)
	written := 0
	require.Equal(t, began, read(func(n int) {
		if n%100 != 50 || n >= all/2 {
			return
		}
		written++
		for _, at := range []int{n - 10, n + 10, n + all/2} { // shown, read, and not read yet
			m.change(func(w *postindex.Writer) { require.NoError(t, w.Delete(latePost(2*at))) })
			liked := latePost(2 * (at + 1))
			liked.Likes = 1
			m.put(liked, latePost(2*at+1))
		}
		m.mergeAll()
	}))
	require.Equal(t, all/200, written)
	now := read(nothing)
	require.Len(t, now, all, "three went and three came each time")
	kept := map[string]bool{}
	for _, post := range now {
		kept[post] = true
	}
	for _, post := range began {
		delete(kept, post)
	}
	require.Len(t, kept, 2*3*written, "those that came, and those that are liked")
}
