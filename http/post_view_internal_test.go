package httpapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost"
)

// TestPostOfDeletedWatchlist: what a post is for a deleted watchlist is not
// shown, although its mark may still be there.
func TestPostOfDeletedWatchlist(t *testing.T) {
	t.Parallel()
	p := &watchpost.Post{Lead: true, Matches: []watchpost.Match{{Watchlist: "deleted", Keyword: "a", Lead: true}, {Watchlist: "live", Keyword: "b"}}}
	live := map[watchpost.WatchlistID]bool{"live": true}
	shown := shownPost(p, live, live)
	require.False(t, shown.Lead)
	require.Equal(t, []match{{"live", "b"}}, shown.Matched)
	require.Equal(t, watchpost.WatchlistID("live"), shown.Tracking)
	p.Matches[1].Lead = true
	require.True(t, shownPost(p, live, live).Lead)
}
