package enrich_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/enrich"
	"watchpost/watchpost"
)

var labels = []watchpost.Label{
	{Name: "Hiring", Description: "Posts about companies that look for engineers"},
	{Name: "Competitors", Description: "Acme, Globex, Initech Systems"},
	{Name: "AI"},
	{Name: "Job change", Description: ""},
	{Name: "Café", Description: "coffee"},
	{Name: "招聘"},
	{Name: "Other", Description: "all the rest", Default: true},
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"We are #hiring in Berlin", []string{"Hiring"}},
		{"Our company looks for two engineers", []string{"Hiring"}}, // words of the description
		{"A company like no other", []string{"Other"}},              // one is not enough
		{"Moved from Globex to Acme", []string{"Competitors"}},
		{"Initech is gone", []string{"Other"}}, // half a name
		{"Initech Systems is gone, and acme hires: #HIRING", []string{"Hiring", "Competitors"}},
		{"What AI means", []string{"AI"}},
		{"J'ai dit non", []string{"Other"}},
		{"My new job: what a change", []string{"Job change"}},
		{"Meet me at the cafe", []string{"Café"}},
		{"我们正在招聘工程师", []string{"招聘"}},
		{"shiring acmeist", []string{"Other"}}, // no whole words
		{"Some other thing about posts", []string{"Other"}},
		{"", []string{"Other"}},
	} {
		p := watchpost.Post{Content: c.text}
		enrich.Post(&p, enrich.Context{Labels: labels, Keyword: "kept out"})
		require.Equal(t, c.want, names(p.Tags), c.text)
	}
}

func TestTagIsKeywordWithoutLabels(t *testing.T) {
	t.Parallel()
	p := watchpost.Post{Content: "golang"}
	enrich.Post(&p, enrich.Context{Keyword: "GoLang"})
	require.Equal(t, []watchpost.Tag{{Name: "GoLang"}}, p.Tags)

	person := watchpost.Post{Content: "golang"}
	enrich.Post(&person, enrich.Context{})
	require.Empty(t, person.Tags)
}

func TestTagsOfOtherWatchlistsStay(t *testing.T) {
	t.Parallel()
	before := make([]watchpost.Tag, 2, 8)
	before[0], before[1] = watchpost.Tag{Name: "HIRING"}, watchpost.Tag{Name: "golang"}
	p := watchpost.Post{Content: "Acme is hiring", Tags: before}
	enrich.Post(&p, enrich.Context{Labels: labels})
	require.Equal(t, []string{"HIRING", "golang", "Competitors"}, names(p.Tags))
	require.Equal(t, labels[0].Description, p.Tags[0].Description, "an empty description is filled")
	require.Equal(t, watchpost.Tag{Name: "HIRING"}, before[0], "the old slice is not written to")
	require.Zero(t, before[:3][2])
}

func TestNoLabelsAndNoDefaultIsUntagged(t *testing.T) {
	t.Parallel()
	p := watchpost.Post{Content: "nothing of this"}
	enrich.Post(&p, enrich.Context{Labels: labels[:2]})
	require.Empty(t, p.Tags)
}

func names(tags []watchpost.Tag) []string {
	var list []string
	for _, t := range tags {
		list = append(list, t.Name)
	}
	return list
}
