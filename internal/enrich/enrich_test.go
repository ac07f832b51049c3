package enrich_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/enrich"
	"watchpost/internal/langcode"
	"watchpost/internal/text"
	"watchpost/watchpost"
)

// understoodPost is a post enriched for a plain watchlist.
func understoodPost(p watchpost.Post) *watchpost.Post {
	enrich.Post(&p, enrich.Context{})
	return &p
}

func TestPostFillsWhatIsUnderstoodOnly(t *testing.T) {
	t.Parallel()
	p := watchpost.Post{ID: "1", Content: "We are glad to see you", AuthorHeadline: "CEO", Likes: 9, Bookmark: true}
	want := p
	enrich.Post(&p, enrich.Context{Keyword: "glad"})
	want.Language, want.Sentiment, want.Seniority, want.Tags = "en", "positive", "C-Level", []watchpost.Tag{{Name: "glad"}}
	want.Relevance, want.Influence, want.Enrichment = 6.8, 40, enrich.Version
	require.Equal(t, want, p)
}

// TestPostAgain: a re-scan recomputes everything but the tags, to which it
// only adds.
func TestPostAgain(t *testing.T) {
	t.Parallel()
	p := watchpost.Post{Content: "Das ist leider schlecht", AuthorHeadline: "CEO", Likes: 99}
	enrich.Post(&p, enrich.Context{Keyword: "schlecht"})
	p.Content, p.AuthorHeadline, p.Likes = "This is wonderful news for all of us", "Director", 0
	enrich.Post(&p, enrich.Context{Keyword: "news"})

	fresh := watchpost.Post{Content: p.Content, AuthorHeadline: p.AuthorHeadline}
	enrich.Post(&fresh, enrich.Context{Keyword: "news"})
	require.Equal(t, []string{"schlecht", "news"}, names(p.Tags))
	fresh.Tags = p.Tags
	require.Equal(t, fresh, p)
}

// TestLongPosts: the rules take time in proportion to the length of a post,
// however odd it is; otherwise the tests here would exceed their time limit.
func TestLongPosts(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"a", "a'", "é", "的", "# ", ":)", "happy ", "golang", "not ", "w\u0308", "\xff", "a, "} {
		long := strings.Repeat(unit, 100_000/len(unit))
		p := watchpost.Post{Content: long, ImageText: long, AuthorHeadline: long}
		enrich.Post(&p, enrich.Context{
			Keyword: "golang", Objective: long, Labels: []watchpost.Label{{Name: "a", Description: long}},
		})
		require.Equal(t, enrich.Version, p.Enrichment, "%q", unit)
	}
}

// FuzzPost checks the guarantees for all posts: no panic, results within their
// bounds, and idempotence.
func FuzzPost(f *testing.F) {
	for _, s := range []string{"We're hiring! :) #golang", "J’ai l'équipe ❤️", "招聘 golang", "\xff'\x00", "@ # ' :", "C.E.O. - ex-VP", "", "a'b'c '"} {
		f.Add(s, "CEO | "+s, "golang", "Hiring, "+s, s, int64(7))
	}
	sentiments := []string{"positive", "negative", "neutral"}
	f.Fuzz(func(t *testing.T, content, headline, keyword, label, objective string, n int64) {
		old := []watchpost.Tag{{Name: "old"}}
		p := watchpost.Post{Content: content, ImageText: label, AuthorHeadline: headline, Likes: n, Shares: -n, Tags: old}
		c := enrich.Context{
			Labels:  []watchpost.Label{{Name: label, Description: objective, Default: n%2 == 0}, {Name: keyword, Default: true}},
			Keyword: keyword, Objective: objective, Entries: int(n % 9),
		}
		if n%3 == 0 {
			c.Labels = nil
		}
		enrich.Post(&p, c)

		code, ok := langcode.Parse(p.Language)
		require.True(t, ok && code == p.Language, "lang=%q must find the post", p.Language)
		require.Contains(t, sentiments, p.Sentiment)
		require.True(t, p.Relevance >= 0 && p.Relevance <= 10 && math.Round(10*p.Relevance)/10 == p.Relevance, p.Relevance)
		require.True(t, p.Influence >= 0 && p.Influence <= 100, p.Influence)
		require.Equal(t, "old", p.Tags[0].Name)
		folded := names(p.Tags)
		for i := range folded {
			folded[i] = text.NormalizeName(folded[i])
		}
		slices.Sort(folded)
		require.Len(t, slices.Compact(folded), len(p.Tags))

		once := p
		enrich.Post(&p, c)
		require.Equal(t, once, p)
	})
}
