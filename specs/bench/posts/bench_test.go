package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence/postgres/postgrestest"

	"watchpost/internal/text"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

func TestMain(m *testing.M) {
	if described := os.Getenv(teamsVariable); described != "" {
		if err := answerTeams(context.Background(), described, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// small is a size that is quick to test.
const small = 2000

func TestEnginesAgree(t *testing.T) {
	s := settings{seed: 7, plan: plan{runs: 12, budget: time.Second, least: 3, pool: 6, rate: 100}}
	r := &report{began: time.Now(), progress: io.Discard}
	err := s.queries(context.Background(), small, r)
	if errors.Is(err, postgrestest.ErrNotInstalled) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	require.Len(t, r.tables, 1)
	table := &r.tables[0]
	for _, rows := range [][]*result{table.alone, table.withWriter} {
		require.Len(t, rows, len(mix))
		for _, res := range rows {
			require.Empty(t, res.mismatches)
			for _, e := range table.bench.engines {
				require.NotEmpty(t, res.times[e.name()].took, "%s, %s", res.row.name, e.name())
			}
		}
	}
	require.Len(t, table.figures, len(figures))
	for _, res := range table.figures {
		require.Empty(t, res.mismatches)
		require.NotEmpty(t, res.times[table.bench.engines[1].name()].took, res.row.name)
	}
	for _, res := range table.alone {
		switch res.row.name {
		case "recent", "page 500", "by engagement":
			require.Equal(t, small, res.count)
		case "common word", "language + type", "2 labels", "30 days", "3 watchlists", "trending", "interacted":
			require.Positive(t, res.count, res.row.name)
		}
	}
	require.Greater(t, table.bench.written[table.bench.engines[0].name()], small, "the writer wrote")
	require.Contains(t, r.String(), "mismatches of counts and pages: 0")
}

func TestDifferencesAreNoticed(t *testing.T) {
	a := answer{ids: []string{"1", "2"}, count: 2}
	require.Empty(t, a.differs(answer{ids: []string{"1", "2"}, count: 2}))
	require.Equal(t, "count 3, not 2", a.differs(answer{ids: []string{"1", "2"}, count: 3}))
	require.Equal(t, "page [2 1], not [1 2]", a.differs(answer{ids: []string{"2", "1"}, count: 2}))
}

func TestPostsFollowFromTheSeed(t *testing.T) {
	f := &feed{seed: 3, size: 500, words: newVocabulary(3)}
	ids := ""
	scripts := map[string]bool{}
	for n := range f.size {
		e, again := f.entry(n), f.entry(n)
		require.Equal(t, e, again)
		require.Less(t, ids, string(e.post.ID), "ids follow the numbers")
		require.True(t, watchpost.ValidID(string(e.post.ID)))
		ids = string(e.post.ID)
		scripts[e.post.Language] = true
		var read watchpost.Post
		require.NoError(t, json.Unmarshal(e.document, &read))
		require.Equal(t, e.post, read)
	}
	require.True(t, scripts["zh"] && scripts["en"])
	require.NotEqual(t, f.entry(0).post.Content, (&feed{seed: 4, size: 500, words: newVocabulary(4)}).entry(0).post.Content)
}

// TestWordsMeanTheSame checks that a search means the same to all engines.
func TestWordsMeanTheSame(t *testing.T) {
	v := newVocabulary(5)
	seen := map[string]bool{}
	for _, word := range append(v.words, v.cjk...) {
		normal := text.Normalize(word)
		require.False(t, seen[normal], word)
		seen[normal] = true
		for _, l := range languages {
			require.Equal(t, normal, text.Stem(l.name, normal))
		}
	}
	for _, i := range v.accented {
		require.NotEqual(t, v.words[i], text.Normalize(v.words[i]))
	}
}

func TestManyTeams(t *testing.T) {
	res, err := manyTeams{teams: 6, posts: 60, templates: 2, queries: 400, seed: 9}.measure(context.Background())
	require.NoError(t, err)
	require.Positive(t, res.P50)
	require.LessOrEqual(t, res.P50, res.P99)
	require.LessOrEqual(t, res.P99, res.Max)
	require.Positive(t, res.Busy)
	require.Positive(t, res.Anonymous)
	require.Positive(t, res.Cached)
	require.Positive(t, res.Disk)
}

// TestFill checks that copied teams equal teams that the service wrote.
func TestFill(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	c := manyTeams{teams: 5, posts: 700, templates: 2, seed: 9} // a segment and a write buffer
	require.NoError(t, c.fill(ctx, dir))
	store, err := openStore(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	index := postindex.New(postindex.Options{})
	for n := range c.teams {
		view, err := store.View(ctx)
		require.NoError(t, err)
		posts, problems, err := index.Verify(view, teamSpace(n), func(problem string) { t.Error(problem) })
		view.Close()
		require.NoError(t, err)
		require.Equal(t, c.posts, posts)
		require.Zero(t, problems)
		team, err := activate(ctx, store, index, teamSpace(n))
		require.NoError(t, err)
		require.EqualValues(t, 2, team.epoch)
		require.NoError(t, team.put(ctx, c.feed(n, newVocabulary(c.seed)).entries(c.posts, c.posts+1)))
	}
}

func TestIngest(t *testing.T) {
	res, err := ingest{teams: 2, scans: 2, parts: 2, seed: 11}.measure(context.Background())
	require.NoError(t, err) // it counts the stored posts
	require.Equal(t, 1600, res.Posts)
	require.Positive(t, res.Rate)
}

func TestSettingsAreChecked(t *testing.T) {
	for _, c := range []struct{ arguments, want string }{
		{"-sizes ten", `-sizes: "ten" is no number of posts`},
		{"-sizes 0", `-sizes: "0" is no number of posts`},
		{"-parts everything", `-parts: there is no "everything"`},
		{"-runs 0", "-runs, -pool and -least are at least 1"},
		{"more", `unexpected argument "more"`},
	} {
		_, err := readSettings(strings.Fields(c.arguments))
		require.EqualError(t, err, c.want)
	}
}
