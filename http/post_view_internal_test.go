package httpapi

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost"
)

// TestPostObject compares what is encoded when a post is stored with the post
// object that the document describes.
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
			Lead: rapid.Bool().Draw(t, "lead"), Bookmark: rapid.Bool().Draw(t, "bookmark"), Liked: rapid.Bool().Draw(t, "liked"), Commented: rapid.Bool().Draw(t, "commented"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "tags") {
			p.Tags = append(p.Tags, watchpost.Tag{Name: text.Draw(t, "tag"), Description: text.Draw(t, "description")})
		}
		for range rapid.IntRange(0, 3).Draw(t, "matches") {
			p.Matches = append(p.Matches, watchpost.Match{Watchlist: ids.Draw(t, "watchlist"), Keyword: text.Draw(t, "keyword"), At: moment.Draw(t, "at")})
		}
		flags := rapid.MapOf(ids, rapid.Just(true))
		asked, live := flags.Draw(t, "asked"), flags.Draw(t, "live")
		want, err := json.Marshal(shownPost(p, asked, live))
		require.NoError(t, err)
		object, err := watchpost.NewPostObject(p)
		require.NoError(t, err)
		require.Equal(t, string(want), string(object.Append(nil, asked, live)))
	})
}
