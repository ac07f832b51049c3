package watchpost_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost"
)

const disabledText = "Watchlist is disabled. Re-enable it before updating."

func sample(kind watchpost.WatchlistType) watchpost.Watchlist {
	return watchpost.Watchlist{
		ID: "w", Name: "old", Type: kind, Frequency: watchpost.DefaultFrequency(kind), SlackURL: "https://hooks.example/x",
		Labels: []watchpost.Label{{Name: "old"}},
		Keywords: []watchpost.KeywordEntry{
			{ID: "1", Keyword: "go"},
			{ID: "2", Keyword: "rust", Required: []string{"remote", "senior"}},
		},
	}
}

// TestTransitions checks every cell of the table in the comment of Apply.
func TestTransitions(t *testing.T) {
	yes, no, name := true, false, "new"
	for _, kind := range []watchpost.WatchlistType{"keyword", "forum", "people", "company"} {
		for _, disabled := range []bool{false, true} {
			for _, disable := range []*bool{&yes, &no, nil} {
				w := sample(kind)
				w.Disabled = disabled
				got, err := w.Apply(watchpost.WatchlistPatch{Disable: disable, Name: &name})
				if refused := disabled && kind.HasKeywords() && (disable == nil || *disable); refused {
					require.EqualError(t, err, disabledText)
					require.Equal(t, watchpost.Conflict, watchpost.KindOf(err))
					require.Equal(t, w, got)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, "new", got.Name)
				want := disabled
				if disable != nil {
					want = *disable
				}
				require.Equal(t, want, got.Disabled)
				require.Equal(t, disabled, w.Disabled)
			}
		}
	}
}

func TestCheckEnabled(t *testing.T) {
	w := watchpost.Watchlist{Type: watchpost.ForumWatchlist}
	require.NoError(t, w.CheckEnabled())
	w.Disabled = true
	require.EqualError(t, w.CheckEnabled(), disabledText)
	w.Type = watchpost.PeopleWatchlist
	require.NoError(t, w.CheckEnabled())
}

func TestApply(t *testing.T) {
	name, description, objective, url := " new  name ", " d ", " o ", "https://hooks.example/y"
	frequency, err := watchpost.ParseFetchFrequency(72)
	require.NoError(t, err)
	labels := []watchpost.Label{{Name: " l "}}
	got, err := sample("keyword").Apply(watchpost.WatchlistPatch{
		Name: &name, Description: &description, Objective: &objective, SlackURL: &url, Frequency: &frequency, Labels: &labels,
	})
	require.NoError(t, err)
	want := sample("keyword")
	want.Name, want.Description, want.Objective, want.SlackURL, want.Frequency = "new name", "d", "o", url, frequency
	want.Labels = []watchpost.Label{{Name: "l"}}
	require.Equal(t, want, got)
	require.Equal(t, " new  name ", name, "what the caller passed stays")

	none, noLabels := "", []watchpost.Label{}
	got, err = sample("keyword").Apply(watchpost.WatchlistPatch{SlackURL: &none, Labels: &noLabels})
	require.NoError(t, err)
	require.Empty(t, got.SlackURL)
	require.Empty(t, got.Labels)
}

func TestApplyRefusals(t *testing.T) {
	empty, long, insecure := " ", strings.Repeat("x", 121), "http://hooks.example"
	commas := []watchpost.Label{{Name: "a,b"}}
	for _, c := range []struct {
		kind  watchpost.WatchlistType
		patch watchpost.WatchlistPatch
		want  string
	}{
		{"keyword", watchpost.WatchlistPatch{}, "No valid update fields provided"},
		{"keyword", watchpost.WatchlistPatch{Append: true}, "No valid update fields provided"},
		{"people", watchpost.WatchlistPatch{Keywords: entries("a"), Labels: &commas, Objective: &empty}, "No valid update fields provided"},
		{"keyword", watchpost.WatchlistPatch{Name: &empty}, "Name cannot be empty"},
		{"people", watchpost.WatchlistPatch{Name: &long}, "Invalid 'name'"},
		{"keyword", watchpost.WatchlistPatch{SlackURL: &insecure}, "Invalid 'slack_webhook_url'"},
		{"keyword", watchpost.WatchlistPatch{Labels: &commas}, "Invalid 'labels': a name must not contain a comma"},
		{"forum", watchpost.WatchlistPatch{Keywords: entries()}, "keywords array is required and must not be empty"},
		{"forum", watchpost.WatchlistPatch{Keywords: entries(" ")}, "No valid keywords provided after cleaning"},
		{"forum", watchpost.WatchlistPatch{Keywords: entries(numbered(99)...), Append: true}, "At most 100 keywords per watchlist"},
	} {
		w := sample(c.kind)
		w.Disabled = c.want != "At most 100 keywords per watchlist" // invalid input is reported before Conflict
		got, err := w.Apply(c.patch)
		require.EqualError(t, err, c.want)
		require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
		require.Equal(t, w, got)
	}
}

func TestApplyKeywords(t *testing.T) {
	w := sample("keyword")
	before := sample("keyword")
	again := []watchpost.KeywordEntry{
		{Keyword: "Rust", Required: []string{"Senior", "remote"}}, // same meaning
		{Keyword: "zig"},
		{ID: "forged", Keyword: "go", Excluded: []string{"intern"}}, // another meaning
	}
	replaced, err := w.Apply(watchpost.WatchlistPatch{Keywords: again})
	require.NoError(t, err)
	require.Equal(t, []watchpost.KeywordEntry{
		{ID: "2", Keyword: "Rust", Required: []string{"Senior", "remote"}},
		{Keyword: "zig"},
		{Keyword: "go", Excluded: []string{"intern"}},
	}, replaced.Keywords)

	added, err := w.Apply(watchpost.WatchlistPatch{Keywords: again, Append: true})
	require.NoError(t, err)
	require.Equal(t, []watchpost.KeywordEntry{
		{ID: "1", Keyword: "go"},
		{ID: "2", Keyword: "rust", Required: []string{"remote", "senior"}},
		{Keyword: "zig"},
		{Keyword: "go", Excluded: []string{"intern"}},
	}, added.Keywords)

	full, err := w.Apply(watchpost.WatchlistPatch{Keywords: entries(numbered(98)...), Append: true})
	require.NoError(t, err)
	require.Len(t, full.Keywords, 100)
	require.Equal(t, before, w, "the watchlist itself is not changed")
	require.Equal(t, "forged", string(again[2].ID), "nor is the patch")
}
