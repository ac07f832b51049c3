package actors_test

import (
	"testing"
	"time"

	"watchpost/actors"
	"watchpost/actors/actorstest"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// keywordWatchlist makes a watchlist of keywords that is scanned every hour.
func keywordWatchlist(t *testing.T, team *actorstest.Team, keywords ...string) watchpost.Watchlist {
	t.Helper()
	return watchlistOf(t, team, watchpost.KeywordWatchlist, keywords...)
}

func watchlistOf(t *testing.T, team *actorstest.Team, kind watchpost.WatchlistType, keywords ...string) watchpost.Watchlist {
	t.Helper()
	w := watchpost.Watchlist{Type: kind, Frequency: watchpost.FetchFrequency(time.Hour)}
	for _, k := range keywords {
		w.Keywords = append(w.Keywords, watchpost.KeywordEntry{Keyword: k})
	}
	return actorstest.Must[actors.WatchlistView](t, team, actors.CreateWatchlist{Watchlist: w}).Watchlist
}

// post is a post of an hour ago.
func post(w *actorstest.World, name, content string) protocol.Post {
	return protocol.Post{
		URN: "urn:network:post:" + name, URL: "/posts/" + name, Content: content, AuthorName: "Ada", AuthorURL: "/in/ada",
		PostedAt: w.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond), Likes: 1, Type: "text",
	}
}
