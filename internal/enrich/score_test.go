package enrich_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/enrich"
	"watchpost/watchpost"
)

func TestRelevance(t *testing.T) {
	t.Parallel()
	late := strings.Repeat("We talk about many things in this text. ", 6)
	hiring := []watchpost.Label{{Name: "Hiring"}, {Name: "Remote"}, {Name: "Rest", Default: true}}
	for _, c := range []struct {
		name string
		post watchpost.Post
		ctx  enrich.Context
		want float64
	}{
		// match + labels + objective + language, in tenths
		{"late", watchpost.Post{Content: late + "golang"}, enrich.Context{Keyword: "GoLang"}, 4.8},
		{"early", watchpost.Post{Content: "This is about golang. " + late}, enrich.Context{Keyword: "golang"}, 5.3},
		{"title", watchpost.Post{Content: "This is about golang\n" + late}, enrich.Context{Keyword: "golang"}, 5.8},
		{"twice", watchpost.Post{Content: "This is about golang\n" + late + "#golang"}, enrich.Context{Keyword: "golang"}, 6.3},
		{"ten times", watchpost.Post{Content: late + strings.Repeat("golang ", 10)}, enrich.Context{Keyword: "golang"}, 5.8},
		{"not any more", watchpost.Post{Content: late + "golanguage"}, enrich.Context{Keyword: "golang"}, 3.3},
		{"in the image", watchpost.Post{Content: late, ImageText: "Golang"}, enrich.Context{Keyword: "golang"}, 4.8},
		{"language unknown", watchpost.Post{Content: "Golang John Smith"}, enrich.Context{Keyword: "golang"}, 5.3},
		{"person", watchpost.Post{Content: late}, enrich.Context{}, 5.8},
		{"the only entry", watchpost.Post{Content: late}, enrich.Context{Entries: 1}, 6.3},
		{"one of five", watchpost.Post{Content: late}, enrich.Context{Entries: 5}, 6.1},
		{"one of six", watchpost.Post{Content: late}, enrich.Context{Entries: 6}, 5.8},
		{"no label fits", watchpost.Post{Content: late + "golang"}, enrich.Context{Keyword: "golang", Labels: hiring}, 3.8},
		{"a label fits", watchpost.Post{Content: late + "golang, hiring"}, enrich.Context{Keyword: "golang", Labels: hiring}, 5.3},
		{"two labels fit", watchpost.Post{Content: late + "golang, hiring, remote"}, enrich.Context{Keyword: "golang", Labels: hiring}, 5.8},
		{"objective missed", watchpost.Post{Content: late + "golang"}, enrich.Context{Keyword: "golang", Objective: "find agencies"}, 4.0},
		{"objective met", watchpost.Post{Content: late + "golang agency finds"}, enrich.Context{Keyword: "golang", Objective: "find agency"}, 5.0},
		{"chief", watchpost.Post{Content: late + "golang", AuthorHeadline: "CTO"}, enrich.Context{Keyword: "golang"}, 5.8},
		{
			"everything", watchpost.Post{Content: "Hiring golang developers: remote golang jobs, the best of golang", AuthorHeadline: "CTO"},
			enrich.Context{Keyword: "golang", Labels: hiring, Objective: "remote jobs for developers", Entries: 1}, 10,
		},
	} {
		enrich.Post(&c.post, c.ctx)
		require.InDelta(t, c.want, c.post.Relevance, 1e-9, c.name)
	}
}

func TestInfluence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		likes, comments, shares int64
		headline                string
		want                    int
	}{
		{0, 0, 0, "", 0},
		{9, 0, 0, "", 20},
		{99, 0, 0, "", 40},
		{0, 33, 11, "", 40},
		{9_999, 0, 0, "", 80},
		{1 << 40, 1 << 40, 1 << 40, "", 80},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64, "CEO", 100},
		{-5, -7, math.MinInt64, "", 0},
		{0, 0, 0, "CEO", 20},
		{99, 0, 0, "Sales Manager", 49},
	} {
		p := understoodPost(watchpost.Post{Likes: c.likes, Comments: c.comments, Shares: c.shares, AuthorHeadline: c.headline})
		require.Equal(t, c.want, p.Influence, "%+v", c)
	}
}
