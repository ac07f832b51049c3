package watchpost_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

func backTest(entries []watchpost.KeywordEntry, posts []*watchpost.Post) *watchpost.BackTest {
	b := watchpost.NewBackTest(entries, watchpost.WatchlistConditions{}, 2)
	for _, p := range posts {
		b.Try(p)
	}
	return b
}

func TestBackTest(t *testing.T) {
	t.Parallel()
	posts := []*watchpost.Post{
		{ID: "1", Content: "Battery storage for the grid"}, {ID: "2", Content: "A job: battery storage"}, {ID: "3", Content: "Heat pumps"},
		{ID: "4", Content: "storage of a battery, and the grid"}, {ID: "5", Content: "grids"}, {ID: "6", Content: "a job offer: battery storage"},
		{ID: "7", Content: "battery storage at home, hiring"},
	}
	b := backTest([]watchpost.KeywordEntry{
		{Keyword: "battery storage", Excluded: []string{"hiring", "job"}},
		{Keyword: "grid", Required: []string{"battery", "wind"}},
		{Keyword: "grid", Required: []string{"solar", "wind"}, AnyRequired: true},
		{Keyword: "pumps"},
	}, posts)
	require.Equal(t, []int{7, 2, 4}, []int{b.Looked, b.Kept, b.Dropped})
	require.Equal(t, []*watchpost.Post{posts[0], posts[2]}, b.KeptSamples)
	require.Equal(t, []watchpost.DroppedPost{{posts[1], watchpost.DropExcluded, "job"}, {posts[3], watchpost.DropApart, ""}}, b.DropSamples)
	first := b.Entries[0]
	require.Equal(t, []int{1, 4}, []int{first.Kept, first.Dropped})
	require.Equal(t, []watchpost.Drop{{watchpost.DropExcluded, "job", 2}, {watchpost.DropApart, "", 1}, {watchpost.DropExcluded, "hiring", 1}}, first.Drops)
	require.Equal(t, []watchpost.DroppedPost{{posts[1], watchpost.DropExcluded, "job"}, {posts[3], watchpost.DropApart, ""}}, first.DropSamples)
	require.Equal(t, []watchpost.Drop{{watchpost.DropMissing, "wind", 2}}, b.Entries[1].Drops)
	require.Equal(t, []watchpost.Drop{{watchpost.DropMissing, "", 2}}, b.Entries[2].Drops)
	require.Equal(t, []*watchpost.Post{posts[2]}, b.Entries[3].KeptSamples)
	require.Zero(t, backTest(nil, posts).Kept)
}

// TestBackTestConditions: a condition drops of the posts that the words of an entry keep.
// The counts of the conditions are of posts, not of entries, and add up.
func TestBackTestConditions(t *testing.T) {
	t.Parallel()
	posts := []*watchpost.Post{
		{ID: "1", Content: "heat pump grant", Language: "en", Seniority: "VP", Type: "text"},
		{ID: "2", Content: "heat pump", Language: "fr", Seniority: "VP", Type: "text"},
		{ID: "3", Content: "heat pump grant", Language: "en", Seniority: "Entry", Type: "text"},
		{ID: "4", Content: "heat pump grant", Language: "en", Type: "text"},
		{ID: "5", Content: "grant", Language: "fr", Seniority: "Entry", Type: "text"},
		{ID: "6", Content: "heat pump for sale", Language: "fr", Seniority: "VP", Type: "text"},
		{ID: "7", Content: "boiler", Language: "fr"},
	}
	b := watchpost.NewBackTest([]watchpost.KeywordEntry{{Keyword: "heat pump", Excluded: []string{"sale"}}, {Keyword: "grant"}},
		watchpost.WatchlistConditions{Languages: []string{"en"}, Levels: []string{"VP"}}, 2)
	for _, p := range posts {
		b.Try(p)
	}
	require.Equal(t, []int{7, 1, 5}, []int{b.Looked, b.Kept, b.Dropped})
	require.Equal(t, []watchpost.Drop{{watchpost.DropLevel, "", 2}, {watchpost.DropLanguage, "", 1}, {watchpost.DropSeveral, "", 1}}, b.Unmet)
	require.Equal(t, []watchpost.Drop{{watchpost.DropLevel, "", 2}, {watchpost.DropLanguage, "", 1}, {watchpost.DropExcluded, "sale", 1}}, b.Entries[0].Drops)
	require.Equal(t, []watchpost.Drop{{watchpost.DropLevel, "", 2}, {watchpost.DropSeveral, "", 1}}, b.Entries[1].Drops)
	require.Equal(t, []watchpost.DroppedPost{{posts[1], watchpost.DropLanguage, ""}, {posts[2], watchpost.DropLevel, ""}}, b.Entries[0].DropSamples)
	require.Equal(t, []*watchpost.Post{posts[0]}, b.KeptSamples)
	require.Equal(t, b.Entries[0].DropSamples, b.DropSamples)
}

// TestBackTestReasons: a post that an entry would have kept is dropped for the condition,
// whatever the words of other entries do.
func TestBackTestReasons(t *testing.T) {
	t.Parallel()
	post := &watchpost.Post{ID: "1", Content: "heat pump for sale, with a grant", Language: "fr", Seniority: "VP", Type: "text"}
	entries := []watchpost.KeywordEntry{{Keyword: "heat pump", Excluded: []string{"sale"}}, {Keyword: "grant"}, {Keyword: "pump heat"}}
	b := watchpost.NewBackTest(entries, watchpost.WatchlistConditions{Languages: []string{"en"}}, 1)
	b.Try(post)
	require.Equal(t, []watchpost.DroppedPost{{post, watchpost.DropLanguage, ""}}, b.DropSamples)
	require.Equal(t, []watchpost.DroppedPost{{post, watchpost.DropExcluded, "sale"}}, backTest(entries[:1], []*watchpost.Post{post}).DropSamples)
}

// TestBackTestIsTheRuleOfScans: an entry keeps the same posts in a preview as in a scan,
// and every post that it drops has a reason.
func TestBackTestIsTheRuleOfScans(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"go", "Go", "rust", "job", "gopher", "rust go", "go rust", "ré", "データ", ""})
	words := rapid.SliceOfN(word, 0, 3)
	rapid.Check(t, func(rt *rapid.T) {
		e := watchpost.KeywordEntry{Keyword: word.Draw(rt, "keyword"), Required: words.Draw(rt, "required"), Excluded: words.Draw(rt, "excluded"), AnyRequired: rapid.Bool().Draw(rt, "any")}
		content := ""
		for _, w := range rapid.SliceOfN(word, 0, 6).Draw(rt, "content") {
			content += w + rapid.SampledFrom([]string{" ", ", ", "", "\n"}).Draw(rt, "between")
		}
		b := backTest([]watchpost.KeywordEntry{e}, []*watchpost.Post{{Content: content}})
		require.Equal(rt, e.Matcher().Match(text.New(content)), b.Entries[0].Kept == 1)
		require.Equal(rt, b.Kept, b.Entries[0].Kept)
		require.Len(rt, b.Entries[0].Drops, b.Entries[0].Dropped)
		require.LessOrEqual(rt, b.Kept+b.Dropped, 1)
	})
}
