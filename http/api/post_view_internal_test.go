package api

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// TestPostObject compares the stored encoding of a post with the post object of
// the document.
func TestPostObject(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "<a> & \"b\" \\ \u2028 \u007f \x00\xff", "plain"}))
	texts := rapid.SliceOfN(text, 0, 3)
	number := rapid.Int64Range(0, 1<<41)
	ids := rapid.SampledFrom([]watchpost.WatchlistID{"a", "b", "c"})
	moment := rapid.Custom(func(t *rapid.T) time.Time { return time.Unix(number.Draw(t, "s")%1e10, number.Draw(t, "ns")%1e9) })
	rapid.Check(t, func(t *rapid.T) {
		p := &watchpost.Post{
			ID: watchpost.PostID(text.Draw(t, "id")), URN: text.Draw(t, "urn"), URL: text.Draw(t, "url"), Content: text.Draw(t, "content"),
			AuthorName: text.Draw(t, "name"), AuthorURL: text.Draw(t, "author"), AuthorHeadline: text.Draw(t, "headline"), AuthorImageURL: text.Draw(t, "image"),
			PostedAt: moment.Draw(t, "posted"), CreatedAt: moment.Draw(t, "created"),
			Likes: number.Draw(t, "likes"), Comments: number.Draw(t, "comments"), Shares: number.Draw(t, "shares"), Type: text.Draw(t, "type"),
			ImageURLs: texts.Draw(t, "images"), ImageText: text.Draw(t, "image text"), Videos: texts.Draw(t, "videos"), Source: watchpost.SourceForum,
			Language: text.Draw(t, "language"), Sentiment: text.Draw(t, "sentiment"), Seniority: text.Draw(t, "seniority"),
			Relevance: float64(number.Draw(t, "relevance")%101) / 10, Influence: int(number.Draw(t, "influence") % 101),
			Bookmark: rapid.Bool().Draw(t, "bookmark"), Liked: rapid.Bool().Draw(t, "liked"), Commented: rapid.Bool().Draw(t, "commented"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "matches") {
			p.Matches = append(p.Matches, watchpost.Match{Watchlist: ids.Draw(t, "watchlist"), Keyword: text.Draw(t, "keyword"), At: moment.Draw(t, "at"), Lead: rapid.Bool().Draw(t, "lead")})
		}
		given := make([][]watchpost.Tag, len(p.Matches))
		for i := range given {
			for range rapid.IntRange(0, 3).Draw(t, "tags") {
				given[i] = append(given[i], watchpost.Tag{Name: text.Draw(t, "tag"), Description: text.Draw(t, "description")})
			}
		}
		p.SetMatchTags(given)
		flags := rapid.MapOf(ids, rapid.Just(true))
		asked, live := flags.Draw(t, "asked"), &watchpost.Tagging{Live: flags.Draw(t, "live")}
		want, err := json.Marshal(shownPost(p, asked, live))
		require.NoError(t, err)
		object, err := postindex.NewPostObject(p)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(object.Append(nil, asked, live)))
		for _, m := range p.Matches {
			live.Live[m.Watchlist] = true
		}
		want, err = json.Marshal(shownPost(p, asked, live))
		require.NoError(t, err)
		require.Equal(t, string(want), string(object.Append(nil, asked, live)), "to the letter, when all tags count")
	})
}

// TestPostOfDeletedWatchlist: what a post is for a deleted watchlist is not
// shown, although its mark may still be there.
func TestPostOfDeletedWatchlist(t *testing.T) {
	t.Parallel()
	p := &watchpost.Post{Matches: []watchpost.Match{{Watchlist: "deleted", Keyword: "a", Lead: true}, {Watchlist: "live", Keyword: "b"}}}
	asked := map[watchpost.WatchlistID]bool{"live": true}
	live := &watchpost.Tagging{Live: asked}
	p.SetMatchTags([][]watchpost.Tag{{{Name: "gone"}, {Name: "shared"}}, {{Name: "shared"}}})
	shown := shownPost(p, asked, live)
	require.Equal(t, []string{"shared"}, shown.Tags)
	require.False(t, shown.Lead)
	require.Equal(t, []match{{"live", "b"}}, shown.Matched)
	require.Equal(t, watchpost.WatchlistID("live"), shown.Tracking)
	p.Matches[1].Lead = true
	require.True(t, shownPost(p, asked, live).Lead)
}
