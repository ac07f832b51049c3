package watchpost_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

func TestBackTest(t *testing.T) {
	t.Parallel()
	posts := []*watchpost.Post{{ID: "1", Content: "Battery storage for the grid"}, {ID: "2", Content: "A job: battery storage"}, {ID: "3", Content: "Heat pumps"}}
	entries := []watchpost.KeywordEntry{{Keyword: "battery storage", Excluded: []string{"job"}}, {Keyword: "grid"}}
	b := watchpost.RunBackTest(entries, posts)
	require.Equal(t, posts[:1], b.Kept)
	require.Equal(t, posts[1:], b.Dropped)
	require.Equal(t, []int{1, 1}, b.By)
	require.Empty(t, watchpost.RunBackTest(nil, posts).Kept)
}
