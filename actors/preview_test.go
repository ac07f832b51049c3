package actors_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// TestPreviewIsBounded: a preview looks at the newest posts of its team only. It
// keeps samples of them.
func TestPreviewIsBounded(t *testing.T) {
	t.Parallel()
	w := actorstest.New(t)
	team, other := w.CreateTeam(t, watchpost.PlanUltimate), w.CreateTeam(t, watchpost.PlanUltimate)
	s := team.Session(t, "ada").Connect()
	const each = watchpost.BackTestPosts/2 + 20
	for _, keyword := range []string{"golang", "rust"} {
		keywordWatchlist(t, team, keyword)
		posts := make([]protocol.Post, each)
		for i := range posts {
			posts[i] = relevantPost(w, keyword, fmt.Sprintf("%s-%d", keyword, i), "bob")
		}
		scanBrings(t, s, posts...)
	}
	entries := []watchpost.KeywordEntry{{Keyword: "golang"}, {Keyword: "rust"}, {Keyword: "rust", Required: []string{"golang"}}}
	tried, err := w.Registry.TryKeywords(w.Context(), team.ID, entries, watchpost.WatchlistConditions{}, 3)
	require.NoError(t, err)
	require.Equal(t, []int{watchpost.BackTestPosts, watchpost.BackTestPosts}, []int{tried.Looked, tried.Kept})
	require.Equal(t, watchpost.BackTestPosts, tried.Entries[0].Kept+tried.Entries[1].Kept)
	require.Equal(t, []watchpost.Drop{{Reason: watchpost.DropMissing, Word: "golang", Posts: tried.Entries[1].Kept}}, tried.Entries[2].Drops)
	require.Len(t, tried.KeptSamples, 3)
	none, err := w.Registry.TryKeywords(w.Context(), other.ID, entries, watchpost.WatchlistConditions{}, 3)
	require.NoError(t, err)
	require.Zero(t, none.Looked)
}
