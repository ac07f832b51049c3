package postindex_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// countedPosts are posts whose values all have another number of posts.
func countedPosts() (posts []*watchpost.Post) {
	for i := range 60 {
		pick := func(every int, often, rare string) string {
			if i%every == 0 {
				return rare
			}
			return often
		}
		p := &watchpost.Post{
			ID: watchpost.PostID(fmt.Sprintf("00000000-0000-7000-8000-%012x", i)), URN: fmt.Sprint("urn:net:activity:", 7_000_000_000_000_000_000+i),
			Content: pick(2, "go", "go rust") + pick(3, " and rust go", " #go") + pick(5, " hiring", " hired") + pick(7, "", " 東京都で") + pick(11, "", " タワー"),
			URL:     "https://host/posts/" + pick(7, "often", "rare"), AuthorURL: "https://host/" + pick(4, "in/jane", "company/acme"),
			CreatedAt: day0.Add(time.Duration(i) * time.Hour), PostedAt: time.Unix(int64(i-20), 0).UTC(),
			Sentiment: pick(3, "positive", "negative"), Source: watchpost.PostSource(pick(4, "network", "forum")),
			Seniority: pick(3, "VP", "C-Level"), Type: pick(4, "text", "image"), Language: pick(3, "en", "de"),
			Bookmark: i%3 == 0, Liked: i%4 == 0,
			Matches: []watchpost.Match{{Watchlist: lists[min(i%3, 1)], Keyword: pick(5, "go", "rust"), At: day0}},
		}
		if i%5 == 0 {
			p.Likes = 1 << 40
		}
		p.SetMatchTags([][]watchpost.Tag{{{Name: pick(4, "hiring", "café")}}})
		posts = append(posts, p)
	}
	return posts
}

// siblings are groups of queries that differ in one condition.
func siblings(t *testing.T) [][]*watchpost.PostQuery {
	searches := func(terms ...string) (group []*watchpost.PostQuery) {
		for _, term := range terms {
			search, err := text.ParseSearch(term)
			require.NoError(t, err)
			group = append(group, &watchpost.PostQuery{Search: search})
		}
		return group
	}
	live := func(ids ...watchpost.WatchlistID) map[watchpost.WatchlistID]bool {
		all := map[watchpost.WatchlistID]bool{}
		for _, id := range ids {
			all[id] = true
		}
		return all
	}
	return [][]*watchpost.PostQuery{
		{{}, {Languages: []string{"en"}}, {Languages: []string{"de"}}, {Languages: []string{"xx"}}},
		{{Sentiments: []string{"positive"}}, {Sentiments: []string{"negative"}}, {Sources: []string{"forum"}}, {}},
		{{Types: []string{"text"}}, {Types: []string{"image"}}, {Levels: []string{"vp"}}, {Levels: []string{"c-level"}}},
		{{Saved: true}, {Interacted: true}, {Trending: true}, {Saved: true, Interacted: true}},
		{{People: []string{"profile/jane"}}, {Companies: []string{"company/acme"}}, {Slug: "post/rare"}, {}},
		{{Live: live("w1")}, {Live: live("w2")}, {Live: live()}, {Live: live("w1", "w2")}},
		{{Live: live("w1", "w2")}, {Live: live("w1", "gone")}, {Live: live("w2", "gone")}},
		{{Keyword: "go", Live: live("w1", "w2")}, {Keyword: "go", Live: live("w1", "gone")}, {Keyword: "go", Live: live("w2", "gone")}},
		{{Keyword: "go"}, {Keyword: "rust"}, {Keyword: "go", Live: live("w1")}, {Keyword: "rust", Live: live("w1")}},
		{
			{Labels: []string{"hiring"}, Tagging: &watchpost.Tagging{Live: live("w1")}}, {Labels: []string{"café"}, Tagging: &watchpost.Tagging{Live: live("w1")}},
			{Labels: []string{"no labels"}, Tagging: &watchpost.Tagging{Live: live("w1")}}, {Labels: []string{"hiring", "no labels"}, Tagging: &watchpost.Tagging{Live: live("w1")}},
		},
		{{From: time.Unix(0, 0)}, {To: time.Unix(0, 0)}, {From: time.Unix(10, 0)}, {}},
		{{From: time.Unix(-15, 0), To: time.Unix(5, 0)}, {From: time.Unix(-15, 0)}, {StoredFrom: day0.Add(30 * time.Hour)}, {StoredFrom: day0.Add(31 * time.Hour)}},
		sets(),
		searches("go", "#go", "東京", "タワ"), searches("rust", "-rust", "-#go"), searches("hiring", `"hiring"`, `"hired"`, "hir"),
		searches(`"go rust"`, "rust #go", "rust OR #go", `"rust go"`),
	}
}

// TestRememberedCounts asks for the counts of queries that are nearly the same, in
// each state of the index twice.
func TestRememberedCounts(t *testing.T) {
	options := tiny
	options.MaxBuffer = 1000
	m, posts := newTeam(t, memory(t), options), countedPosts()
	check := func(state string) {
		t.Helper()
		for _, group := range siblings(t) {
			seen, wanted := map[int]bool{}, []int(nil)
			for i, q := range slices.Concat(group, group) {
				_, want := q.Select(posts)
				seen[want] = true
				if i < len(group) {
					wanted = append(wanted, want)
				}
				m.view(func(view persistence.View) {
					counts, err := m.index.Counts(view, space, []*watchpost.PostQuery{q})
					require.NoError(t, err)
					require.Equal(t, []int{want}, counts, "%s: %+v", state, q)
				})
			}
			m.view(func(view persistence.View) {
				together, err := m.index.Counts(view, space, group)
				require.NoError(t, err)
				require.Equal(t, wanted, together, "%s: %+v", state, group)
			})
			require.Len(t, seen, len(group), "%s: a count does not tell these queries apart: %+v", state, group)
		}
	}
	m.put(posts...)
	check("in the buffer")
	m.change(func(w *postindex.Writer) { require.NoError(t, w.Delete(posts[59])) })
	posts = posts[:59]
	check("one deleted in the buffer")
	m.mergeAll()
	check("in segments")
	m.change(func(w *postindex.Writer) { require.NoError(t, w.Delete(posts[58])) })
	posts = posts[:58]
	check("one deleted in a segment")
	retagged := *posts[20]
	retagged.SetMatchTags([][]watchpost.Tag{{{Name: "hiring"}}})
	retagged.Language, posts[20] = "en", &retagged
	m.put(&retagged)
	check("one replaced by a version in the buffer")
	m.mergeAll()
	check("merged again")
}
