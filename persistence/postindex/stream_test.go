package postindex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// TestStreamEnds: whoever reads a stream may have enough, or panic, after any post. The
// view is not used any more then.
func TestStreamEnds(t *testing.T) {
	m := newTeam(t, memory(t), postindex.Options{MaxBuffer: 5000})
	const all = 700 // of which 256 are read together
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
