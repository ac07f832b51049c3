package postindex_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/watchpost"
)

// facetQueries are conditions by what a post has one of, and by names that have synonyms.
func facetQueries(t *testing.T) []*watchpost.PostQuery {
	queries := []*watchpost.PostQuery{
		{},
		{Sentiments: []string{"Positive"}}, {Sentiments: []string{"negative", "neutral"}},
		{Sources: []string{"FORUM"}}, {Sources: []string{"network"}}, {Sources: []string{"network", "forum"}},
		{Sentiments: []string{"positive"}, Sources: []string{"forum"}, Languages: []string{"EN"}},
		{Types: []string{"IMAGE", "video"}}, {Languages: []string{"DE", "en"}},
		{Keyword: "GO", Live: map[watchpost.WatchlistID]bool{"w1": true}},
		{Labels: []string{"hiring"}}, {Labels: []string{"no labels"}},
		{Labels: []string{"hiring"}, Tagging: &watchpost.Tagging{Live: map[watchpost.WatchlistID]bool{"w1": true}}},
	}
	for _, synonym := range []string{"ceo", "C-Suite", "Vice President", "head"} {
		level, err := watchpost.ParseSeniority(synonym)
		require.NoError(t, err)
		queries = append(queries, &watchpost.PostQuery{Levels: []string{level}})
	}
	for _, q := range queries {
		q.Order, q.Page, q.PageSize = watchpost.RecentFirst, 1, watchpost.MaxPageSize
	}
	return queries
}

// TestFacets: filters find the posts in the buffer and in segments.
func TestFacets(t *testing.T) {
	options := tiny
	options.MaxBuffer = 1000
	m := newTeam(t, memory(t), options)
	var posts []*watchpost.Post
	pick := func(i int, values ...string) string { return values[i%len(values)] }
	for i := range 60 {
		p := &watchpost.Post{
			ID: watchpost.PostID(fmt.Sprintf("00000000-0000-7000-8000-%012x", i)), URN: fmt.Sprint("urn:net:activity:", i),
			Content: "go", CreatedAt: day0, PostedAt: day0.Add(time.Duration(i) * time.Minute),
			Sentiment: pick(i, "positive", "negative", "neutral"), Source: watchpost.PostSource(pick(i/2, "network", "forum")),
			Seniority: pick(i, "C-Level", "VP", "Director", "", "Manager"), Type: pick(i/3, "text", "Image", "video"),
			Language: pick(i, "en", "de", "fr", "en"),
		}
		p.Matches = []watchpost.Match{{Watchlist: lists[i%2], Keyword: pick(i/4, "go", "rust"), At: day0}}
		tags := [][]watchpost.Tag{{{Name: "hiring"}}}
		if i%5 == 0 {
			tags[0] = nil
		}
		p.SetMatchTags(tags)
		posts = append(posts, p)
		m.put(p)
	}
	check := func(state string) {
		t.Helper()
		require.Empty(t, m.verify(), state)
		// The labels of no watchlist now.
		for _, label := range []string{"other", "hiring"} {
			renamed := map[watchpost.WatchlistID]map[string]bool{"w1": {"x": true}}
			q := &watchpost.PostQuery{Labels: []string{label}, Tagging: &watchpost.Tagging{Live: map[watchpost.WatchlistID]bool{"w1": true}, Names: renamed}}
			_, count := q.Select(posts)
			m.view(func(view persistence.View) {
				counts, err := m.index.Counts(view, space, []*watchpost.PostQuery{q})
				require.NoError(t, err)
				require.Equal(t, []int{count}, counts, "%s: %s", state, label)
			})
		}
		for _, q := range facetQueries(t) {
			page, count := q.Select(posts)
			require.NotZero(t, count, "%+v", q)
			ids, found := m.query(q)
			require.Equal(t, count, found, "%s: %+v", state, q)
			for i, p := range page {
				require.Equal(t, p.ID, ids[i], "%s: %+v", state, q)
			}
		}
	}
	check("in the buffer")
	m.mergeAll()
	check("in segments")
}
