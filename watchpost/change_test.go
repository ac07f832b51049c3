package watchpost_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// seenPost is a post that the watchlists w1 and w2 have.
func seenPost() *watchpost.Post {
	return &watchpost.Post{
		ID: "p", URN: "urn:network:activity:7", URL: "https://network.example/7", Content: "go", PostedAt: noon, CreatedAt: noon,
		Tags:    []watchpost.Tag{{Name: "hiring"}},
		Matches: []watchpost.Match{{Watchlist: "w1", Keyword: "go", At: noon, Tags: []int{0}}, {Watchlist: "w2", Keyword: "golang", At: noon}},
	}
}

// changesOfFields are ways to change a field of a post; true for those that its watchlists
// hear of.
var changesOfFields = []struct {
	field string
	by    func(*watchpost.Post)
	heard bool
}{
	{"Likes", func(p *watchpost.Post) { p.Likes++ }, true},
	{"Comments", func(p *watchpost.Post) { p.Comments++ }, true},
	{"Shares", func(p *watchpost.Post) { p.Shares++ }, true},
	{"Bookmark", func(p *watchpost.Post) { p.Bookmark = true }, true},
	{"Liked", func(p *watchpost.Post) { p.Liked = true }, true},
	{"Commented", func(p *watchpost.Post) { p.Commented = true }, true},
	{"Content", func(p *watchpost.Post) { p.Content = "go!" }, true},
	{"ImageText", func(p *watchpost.Post) { p.ImageText = "a gopher" }, true},
	{"Type", func(p *watchpost.Post) { p.Type = "video" }, true},
	{"Language", func(p *watchpost.Post) { p.Language = "en" }, true},
	{"AuthorName", func(p *watchpost.Post) { p.AuthorName = "Ada" }, true},
	{"AuthorHeadline", func(p *watchpost.Post) { p.AuthorHeadline = "CTO" }, true},
	{"Seniority", func(p *watchpost.Post) { p.Seniority = "C-Level" }, true},
	{"Sentiment", func(p *watchpost.Post) { p.Sentiment = "positive" }, true},
	{"Influence", func(p *watchpost.Post) { p.Influence = 7 }, true},
	{"Tags", func(p *watchpost.Post) { p.Tags = append(p.Tags, watchpost.Tag{Name: "event"}) }, true},
	{"Tags", func(p *watchpost.Post) { p.Tags[0].Description = "jobs" }, true},
	{"Tags", func(p *watchpost.Post) { p.Tags = nil }, true},
	{"Matches", func(p *watchpost.Post) { p.Matches[1].Keyword = "gophers" }, true},
	{"Matches", func(p *watchpost.Post) { p.Matches[0].Lead = true }, true},
	{"Matches", func(p *watchpost.Post) {
		p.Matches = append(p.Matches, watchpost.Match{Watchlist: "w1", Keyword: "golang", At: noon})
	}, true},

	{"Matches", func(p *watchpost.Post) { p.Matches[0].At = noon.Add(time.Hour) }, false},
	{"Matches", func(p *watchpost.Post) { p.Matches[0].Tags = nil }, false},
	{"Relevance", func(p *watchpost.Post) { p.Relevance = 7 }, false},
	{"AuthorImageURL", func(p *watchpost.Post) { p.AuthorImageURL = "https://network.example/i/2.png" }, false},
	{"ImageURLs", func(p *watchpost.Post) { p.ImageURLs = []string{"https://network.example/i/2.png"} }, false},
	{"Videos", func(p *watchpost.Post) { p.Videos = []string{"https://network.example/v/2.mp4"} }, false},
	{"AuthorURL", func(p *watchpost.Post) { p.AuthorURL = "https://network.example/in/ada" }, false},
	{"URL", func(p *watchpost.Post) { p.URL = "https://network.example/posts/7" }, false},
	{"URN", func(p *watchpost.Post) { p.URN = "urn:network:ugcPost:7" }, false},
	{"PostedAt", func(p *watchpost.Post) { p.PostedAt = noon.Add(time.Hour) }, false},
	{"CreatedAt", func(p *watchpost.Post) { p.CreatedAt = noon.Add(time.Hour) }, false},
	{"Source", func(p *watchpost.Post) { p.Source = watchpost.SourceForum }, false},
	{"Enrichment", func(p *watchpost.Post) { p.Enrichment = 7 }, false},
}

// TestChangesOfFields changes each field of a post by itself. A new field needs a row.
func TestChangesOfFields(t *testing.T) {
	t.Parallel()
	require.Empty(t, seenPost().ChangesSince(seenPost()), "nothing has changed")
	tried := map[string]bool{"ID": true} // says that it is the same post
	for _, c := range changesOfFields {
		tried[c.field] = true
		p := seenPost()
		c.by(p)
		require.NotEqual(t, seenPost(), p, c.field)
		var want []watchpost.Change
		if c.heard {
			want = []watchpost.Change{{Type: watchpost.ChangePost, Action: watchpost.PostUpdated, ID: "p", Of: []watchpost.WatchlistID{"w1", "w2"}}}
		}
		require.Equal(t, want, p.ChangesSince(seenPost()), "%s: %+v", c.field, p)
		require.Equal(t, want, seenPost().ChangesSince(p), "%s, back from %+v", c.field, p)
	}
	for field := range reflect.TypeFor[watchpost.Post]().Fields() {
		require.True(t, tried[field.Name], "changesOfFields has no row for %s", field.Name)
	}
}

// TestChangesOfWatchlists: each watchlist hears that it got or lost a post, and only those
// that had it and keep it that the post is another.
func TestChangesOfWatchlists(t *testing.T) {
	t.Parallel()
	of := func(action watchpost.ChangeAction, id watchpost.WatchlistID) watchpost.Change {
		return watchpost.Change{Type: watchpost.ChangePost, Action: action, ID: "p", Watchlist: id}
	}
	updated := func(ids ...watchpost.WatchlistID) watchpost.Change {
		return watchpost.Change{Type: watchpost.ChangePost, Action: watchpost.PostUpdated, ID: "p", Of: ids}
	}
	with := func(likes int64, ids ...watchpost.WatchlistID) *watchpost.Post {
		p := &watchpost.Post{ID: "p", Likes: likes}
		for _, id := range ids {
			p.Matches = append(p.Matches, watchpost.Match{Watchlist: id})
		}
		return p
	}
	const got, lost = watchpost.PostMatched, watchpost.PostRemoved
	for name, c := range map[string]struct {
		old, p *watchpost.Post
		want   []watchpost.Change
	}{
		"a new post":                   {nil, with(0, "w1"), []watchpost.Change{of(got, "w1")}},
		"a new post of two":            {nil, with(0, "w1", "w2"), []watchpost.Change{of(got, "w1"), of(got, "w2")}},
		"two keywords of one":          {nil, with(0, "w1", "w1"), []watchpost.Change{of(got, "w1")}},
		"a second watchlist":           {with(0, "w1"), with(0, "w1", "w2"), []watchpost.Change{of(got, "w2")}},
		"a second one, and a reaction": {with(0, "w1"), with(1, "w1", "w2"), []watchpost.Change{of(got, "w2"), updated("w1")}},
		"one that goes":                {with(0, "w1", "w2"), with(0, "w2"), []watchpost.Change{of(lost, "w1")}},
		"one that goes, and another":   {with(0, "w1", "w2"), with(1, "w2", "w3"), []watchpost.Change{of(got, "w3"), of(lost, "w1"), updated("w2")}},
		"the only one goes":            {with(0, "w1"), with(1), []watchpost.Change{of(lost, "w1")}},
		"one instead of the other":     {with(0, "w1"), with(1, "w2"), []watchpost.Change{of(got, "w2"), of(lost, "w1")}},
	} {
		require.Equal(t, c.want, c.p.ChangesSince(c.old), name)
	}
	require.Equal(t, []watchpost.Change{of(lost, "w1"), of(lost, "w2")}, with(3, "w1", "w2").Removal())
}
