package watchpost_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

var day0 = time.Date(2030, 1, 7, 0, 0, 0, 0, time.UTC)

func samplePost() *watchpost.Post {
	return &watchpost.Post{
		ID: "p", URN: "urn:net:activity:7123456789012345678", URL: "https://host/posts/jane_hello-ugcPost-99-x",
		Content: "We hire engineers", ImageText: "Acme", AuthorURL: "https://www.host.com/in/Jane/",
		PostedAt: day0.Add(12 * time.Hour), CreatedAt: day0.Add(13 * time.Hour),
		Likes: 60, Comments: 30, Shares: 10, Type: "image", Language: "en", Seniority: "C-Level", Sentiment: "positive", Source: watchpost.SourceNetwork,
		Tags:    []watchpost.Tag{{Name: "Hiring"}, {Name: "Café"}},
		Matches: []watchpost.Match{{Watchlist: "b", Keyword: "Hiring now", At: day0.Add(2), Tags: []int{0}}, {Watchlist: "a", At: day0.Add(1), Tags: []int{1}}, {Watchlist: "c", At: day0.Add(1)}},
	}
}

func mustSearch(t *testing.T, s string) text.Search {
	search, err := text.ParseSearch(s)
	require.NoError(t, err)
	return search
}

func TestPostQueryMatches(t *testing.T) {
	type ids = map[watchpost.WatchlistID]bool
	for _, c := range []struct {
		name  string
		query watchpost.PostQuery
		want  bool
	}{
		{"no filter", watchpost.PostQuery{}, true},
		{"one of its watchlists", watchpost.PostQuery{Live: ids{"a": true}}, true},
		{"a deleted watchlist", watchpost.PostQuery{Live: ids{"a": false, "x": true}}, false},
		{"no watchlists at all", watchpost.PostQuery{Live: ids{}}, false},
		{"label in another case", watchpost.PostQuery{Labels: []string{" HIRING "}}, true},
		{"one of several labels", watchpost.PostQuery{Labels: []string{"x", "hiring"}}, true},
		{"label with another accent", watchpost.PostQuery{Labels: []string{"cafe"}}, false},
		{"untagged", watchpost.PostQuery{Labels: []string{"No Labels"}}, false},
		{"untagged or tagged", watchpost.PostQuery{Labels: []string{"no labels", "café"}}, true},
		{"author", watchpost.PostQuery{People: []string{"profile/john", "profile/jane"}}, true},
		{"another author", watchpost.PostQuery{People: []string{"profile/john"}}, false},
		{"a company of that name", watchpost.PostQuery{Companies: []string{"company/jane"}}, false},
		{"a company or the author", watchpost.PostQuery{Companies: []string{"company/acme"}, People: []string{"profile/jane"}}, true},
		{"search in content", watchpost.PostQuery{Search: mustSearch(t, "engineering")}, true},
		{"search in both texts", watchpost.PostQuery{Search: mustSearch(t, "acme engineers")}, true},
		{"search in vain", watchpost.PostQuery{Search: mustSearch(t, "zebra")}, false},
		{"saved", watchpost.PostQuery{Saved: true}, false},
		{"language", watchpost.PostQuery{Languages: []string{"EN"}}, true},
		{"another language", watchpost.PostQuery{Languages: []string{"de"}}, false},
		{"from its moment", watchpost.PostQuery{From: day0.Add(12 * time.Hour)}, true},
		{"from later", watchpost.PostQuery{From: day0.Add(12*time.Hour + time.Millisecond)}, false},
		{"to its moment", watchpost.PostQuery{To: day0.Add(12 * time.Hour)}, false},
		{"to later", watchpost.PostQuery{To: day0.Add(12*time.Hour + time.Millisecond)}, true},
		{"its day", watchpost.PostQuery{From: day0, To: day0.AddDate(0, 0, 1)}, true},
		{"stored from its moment", watchpost.PostQuery{StoredFrom: day0.Add(13 * time.Hour)}, true},
		{"stored from later", watchpost.PostQuery{StoredFrom: day0.Add(13*time.Hour + time.Millisecond)}, false},
		{"type", watchpost.PostQuery{Types: []string{"Image"}}, true},
		{"another type", watchpost.PostQuery{Types: []string{"video"}}, false},
		{"trending", watchpost.PostQuery{Trending: true}, true},
		{"interacted", watchpost.PostQuery{Interacted: true}, false},
		{"seniority", watchpost.PostQuery{Levels: []string{"c-level"}}, true},
		{"another seniority", watchpost.PostQuery{Levels: []string{"VP"}}, false},
		{"one of several of each", watchpost.PostQuery{Languages: []string{"de", "en"}, Types: []string{"video", "image"}, Levels: []string{"VP", "C-Level"}}, true},
		{"sentiment", watchpost.PostQuery{Sentiments: []string{"negative", "Positive"}}, true},
		{"another sentiment", watchpost.PostQuery{Sentiments: []string{"neutral"}}, false},
		{"source", watchpost.PostQuery{Sources: []string{"forum", "network"}}, true},
		{"another source", watchpost.PostQuery{Sources: []string{"forum"}}, false},
		{"keyword", watchpost.PostQuery{Keyword: " HIRING  now"}, true},
		{"another keyword", watchpost.PostQuery{Keyword: "hiring"}, false},
		{"keyword of a watchlist asked for", watchpost.PostQuery{Keyword: "hiring now", Live: ids{"b": true}}, true},
		{"keyword of another watchlist", watchpost.PostQuery{Keyword: "hiring now", Live: ids{"a": true}}, false},
		{"label of a live watchlist", watchpost.PostQuery{Labels: []string{"hiring"}, Tagging: &watchpost.Tagging{Live: ids{"b": true}}}, true},
		{"label of a deleted watchlist", watchpost.PostQuery{Labels: []string{"hiring"}, Tagging: &watchpost.Tagging{Live: ids{"a": true, "c": true}}}, false},
		{"no label of a live watchlist", watchpost.PostQuery{Labels: []string{"no labels"}, Tagging: &watchpost.Tagging{Live: ids{"c": true}}}, true},
		{"label that a changed watchlist gives no more", watchpost.PostQuery{Labels: []string{"hiring"}, Tagging: &watchpost.Tagging{Live: ids{"b": true}, Names: map[watchpost.WatchlistID]map[string]bool{"b": {"x": true}}}}, false},
		{"label that a changed watchlist still gives", watchpost.PostQuery{Labels: []string{"hiring"}, Tagging: &watchpost.Tagging{Live: ids{"b": true}, Names: map[watchpost.WatchlistID]map[string]bool{"b": {"hiring": true}}}}, true},
		{"a search of nothing", watchpost.PostQuery{Search: mustSearch(t, "-")}, false},
		{"its URN", watchpost.PostQuery{Slug: "post:7123456789012345678"}, true},
		{"its slug", watchpost.PostQuery{Slug: "post/jane_hello-ugcPost-99-x"}, true},
		{"another slug", watchpost.PostQuery{Slug: "post/jane"}, false},
		{"all but one", watchpost.PostQuery{Types: []string{"image"}, Languages: []string{"en"}, Trending: true, Saved: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.query.Matches(samplePost())) })
	}
}

func TestPostQueryState(t *testing.T) {
	for _, liked := range []bool{false, true} {
		for _, commented := range []bool{false, true} {
			p := samplePost()
			p.Liked, p.Commented, p.Bookmark = liked, commented, liked
			require.Equal(t, liked || commented, (&watchpost.PostQuery{Interacted: true}).Matches(p))
			require.Equal(t, liked, (&watchpost.PostQuery{Saved: true}).Matches(p))
		}
	}
	p := samplePost()
	p.Shares--
	require.False(t, (&watchpost.PostQuery{Trending: true}).Matches(p))
	p.Tags = nil
	require.True(t, (&watchpost.PostQuery{Labels: []string{watchpost.NoLabels}}).Matches(p))
}

func TestAuthorKey(t *testing.T) {
	for url, want := range map[string]string{
		"https://host/in/Jane?x":        "profile/jane",
		"https://host/company/Acme/":    "company/acme",
		"https://host/school/eth":       "company/eth",
		"https://host/company/12":       "company:12",
		"https://forum.host/u/jane":     "",
		"":                              "",
		"https://host/in/" + memberID:   "profile:" + memberID,
		"https://host/showcase/acme-ai": "company/acme-ai",
	} {
		require.Equal(t, want, (&watchpost.Post{AuthorURL: url}).AuthorKey(), url)
	}
}

func TestReferenceKeys(t *testing.T) {
	p := watchpost.Post{URN: "urn:net:activity:7123456789012345678", URL: "https://host/posts/jane_hi-activity-7123456789012345678-xY"}
	require.Equal(t, []string{"post:7123456789012345678"}, p.ReferenceKeys())
	require.Equal(t, []string{"post:7123456789012345678", "post/jane_hello-ugcPost-99-x"}, samplePost().ReferenceKeys())
	require.Empty(t, (&watchpost.Post{}).ReferenceKeys())
}

func TestTrackedBy(t *testing.T) {
	type ids = map[watchpost.WatchlistID]bool
	p := samplePost()
	require.Equal(t, watchpost.WatchlistID("a"), watchpost.TrackedBy(p, nil))
	require.Equal(t, watchpost.WatchlistID("a"), watchpost.TrackedBy(p, ids{"a": true, "b": true, "c": true}))
	require.Equal(t, watchpost.WatchlistID("c"), watchpost.TrackedBy(p, ids{"b": true, "c": true}))
	require.Equal(t, watchpost.WatchlistID("b"), watchpost.TrackedBy(p, ids{"b": true}))
	require.Empty(t, watchpost.TrackedBy(p, ids{"x": true}))
	require.Empty(t, watchpost.TrackedBy(p, ids{}))
}

func TestParsePostOrder(t *testing.T) {
	for in, want := range map[string]watchpost.PostOrder{
		"": watchpost.RecentFirst, "recent": watchpost.RecentFirst, "recent_first": watchpost.RecentFirst, "oldest_first": watchpost.OldestFirst,
		"engagement": watchpost.MostEngaging, "popular_first": watchpost.MostLiked, "influence_score": watchpost.MostInfluence,
		"relevance_first": watchpost.RelevanceFirst, "stored_first": watchpost.StoredFirst, "stored_last": watchpost.StoredLast,
	} {
		got, err := watchpost.ParsePostOrder(in)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, in := range []string{"Recent_first", "newest", " "} {
		_, err := watchpost.ParsePostOrder(in)
		require.EqualError(t, err, "Invalid 'sort_by'")
	}
}

func TestPostOrders(t *testing.T) {
	posts := []*watchpost.Post{
		{ID: "a", CreatedAt: day0.Add(2), PostedAt: day0, Likes: 1, Comments: 9, Influence: 5, Relevance: 2.5},
		{ID: "b", CreatedAt: day0.Add(1), PostedAt: day0, Likes: 5, Comments: 0, Influence: 5, Relevance: 9},
		{ID: "c", PostedAt: day0.Add(time.Hour), Likes: 5, Comments: 5, Influence: 1, Relevance: 2.5},
		{ID: "d", PostedAt: day0.Add(-time.Hour), Likes: 0, Comments: 0, Influence: 50, Relevance: 0},
	}
	for order, want := range map[watchpost.PostOrder]string{
		watchpost.RecentFirst:    "cabd",
		watchpost.OldestFirst:    "dabc",
		watchpost.MostEngaging:   "cabd",
		watchpost.MostLiked:      "cbad",
		watchpost.MostInfluence:  "dabc",
		watchpost.RelevanceFirst: "bcad",
		watchpost.StoredFirst:    "dcba",
		watchpost.StoredLast:     "abcd",
		"nonsense":               "cabd",
	} {
		page, count := (&watchpost.PostQuery{Order: order}).Select(posts)
		require.Equal(t, 4, count)
		var got string
		for _, p := range page {
			got += string(p.ID)
		}
		require.Equal(t, want, got, order)
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct{ page, size, count, from, to int }{
		{0, 0, 50, 0, 20},
		{-1, -1, 50, 0, 20},
		{3, 20, 50, 40, 50},
		{4, 20, 50, 50, 50},
		{3, 25, 50, 50, 50},
		{1, 1000, 500, 0, 100},
		{1 << 62, 100, 50, 50, 50},
		{1, 20, 0, 0, 0},
	} {
		q := watchpost.PostQuery{Page: c.page, PageSize: c.size}
		from, to := q.Bounds(c.count)
		require.Equal(t, []int{c.from, c.to}, []int{from, to}, "%+v", c)
	}
}

// somePosts draws posts with frequent ties.
var somePosts = rapid.Custom(func(t *rapid.T) []*watchpost.Post {
	posts := make([]*watchpost.Post, rapid.IntRange(0, 40).Draw(t, "posts"))
	few := rapid.IntRange(0, 2)
	for i := range posts {
		posts[i] = &watchpost.Post{
			ID:       watchpost.PostID(fmt.Sprintf("%02d", i)),
			PostedAt: day0.Add(time.Duration(few.Draw(t, "hour")) * time.Hour),
			Likes:    int64(few.Draw(t, "likes")), Comments: int64(few.Draw(t, "comments")), Shares: int64(few.Draw(t, "shares")),
			Influence: few.Draw(t, "influence"), Relevance: float64(few.Draw(t, "relevance")) / 10,
			Liked: rapid.Bool().Draw(t, "liked"), Language: rapid.SampledFrom([]string{"en", "de"}).Draw(t, "language"),
		}
	}
	return rapid.Permutation(posts).Draw(t, "order of storage")
})

var someOrder = rapid.SampledFrom([]watchpost.PostOrder{
	"", watchpost.RecentFirst, watchpost.OldestFirst, watchpost.MostEngaging, watchpost.MostLiked, watchpost.MostInfluence, watchpost.RelevanceFirst,
	watchpost.StoredFirst, watchpost.StoredLast,
})

func TestOrderIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		posts, order := somePosts.Draw(t, "posts"), someOrder.Draw(t, "order")
		for _, a := range posts {
			require.False(t, order.Less(a, a))
			for _, b := range posts {
				require.True(t, a == b || order.Less(a, b) != order.Less(b, a))
			}
		}
		for i := range posts { // transitivity, on adjacent triples of every rotation
			a, b, c := posts[i], posts[(i+1)%len(posts)], posts[(i+2)%len(posts)]
			require.False(t, order.Less(a, b) && order.Less(b, c) && !order.Less(a, c))
		}
	})
}

func TestPagesPartitionTheResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		posts := somePosts.Draw(t, "posts")
		q := watchpost.PostQuery{
			Order: someOrder.Draw(t, "order"), PageSize: rapid.IntRange(1, 12).Draw(t, "page size"),
			Interacted: rapid.Bool().Draw(t, "interacted"), Languages: rapid.SampledFrom([][]string{nil, {"en"}}).Draw(t, "languages"),
		}
		want := 0
		for _, p := range posts {
			if q.Matches(p) {
				want++
			}
		}
		var all []*watchpost.Post
		for q.Page = 1; ; q.Page++ {
			page, count := q.Select(posts)
			require.Equal(t, want, count)
			if len(page) == 0 {
				break
			}
			require.True(t, len(page) == q.PageSize || len(all)+len(page) == count)
			all = append(all, page...)
		}
		require.Len(t, all, want)
		require.True(t, slices.IsSortedFunc(all, q.Order.Compare))
		seen := make(map[watchpost.PostID]bool)
		for _, p := range all {
			require.True(t, q.Matches(p))
			require.False(t, seen[p.ID])
			seen[p.ID] = true
		}
	})
}

// memberID has the form of a member's opaque id.
const memberID = "ACoAABx7Yz_0k-QwErTyUiOp"
