package watchpost_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
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

// applied returns the watchlist after a patch.
func applied(w watchpost.Watchlist, p watchpost.WatchlistPatch) (watchpost.Watchlist, error) {
	return p.Apply(w)
}

// TestTransitions checks every cell of the table in the comment of Apply.
func TestTransitions(t *testing.T) {
	yes, no, name := true, false, "new"
	for _, kind := range []watchpost.WatchlistType{"keyword", "forum", "people", "company"} {
		for _, disabled := range []bool{false, true} {
			for _, disable := range []*bool{&yes, &no, nil} {
				w := sample(kind)
				w.Disabled = disabled
				got, err := applied(w, watchpost.WatchlistPatch{Disable: disable, Name: &name})
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
	name, description, objective, url := "new name", "d", "o", "https://hooks.example/y"
	frequency, err := watchpost.ParseFetchFrequency(72)
	require.NoError(t, err)
	labels := []watchpost.Label{{Name: "l"}}
	got, err := applied(sample("keyword"), watchpost.WatchlistPatch{
		Name: &name, Description: &description, Objective: &objective, SlackURL: &url, Frequency: &frequency, Labels: &labels,
	})
	require.NoError(t, err)
	want := sample("keyword")
	want.Name, want.Description, want.Objective, want.SlackURL, want.Frequency = name, description, objective, url, frequency
	want.Labels = labels
	require.Equal(t, want, got)

	none, noLabels := "", []watchpost.Label{}
	got, err = applied(sample("keyword"), watchpost.WatchlistPatch{SlackURL: &none, Labels: &noLabels})
	require.NoError(t, err)
	require.Empty(t, got.SlackURL)
	require.Empty(t, got.Labels)
}

// TestForType: fields that a type does not have are dropped, and a patch without
// fields is refused.
func TestForType(t *testing.T) {
	text, labels := "x", []watchpost.Label{{Name: "l"}}
	all := watchpost.WatchlistPatch{Name: &text, Objective: &text, Keywords: entries("a"), Append: true, Labels: &labels}
	for _, c := range []struct {
		kind        watchpost.WatchlistType
		patch, want watchpost.WatchlistPatch
	}{
		{"keyword", all, all},
		{"forum", all, all},
		{"people", all, watchpost.WatchlistPatch{Name: &text}},
		{"company", all, watchpost.WatchlistPatch{Name: &text}},
		{"keyword", watchpost.WatchlistPatch{Name: &text, Append: true}, watchpost.WatchlistPatch{Name: &text}},
	} {
		got, err := c.patch.ForType(c.kind)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	for _, c := range []struct {
		kind  watchpost.WatchlistType
		patch watchpost.WatchlistPatch
	}{
		{"keyword", watchpost.WatchlistPatch{}},
		{"keyword", watchpost.WatchlistPatch{Append: true}},
		{"people", watchpost.WatchlistPatch{Keywords: entries("a"), Labels: &labels, Objective: &text}},
	} {
		_, err := c.patch.ForType(c.kind)
		require.EqualError(t, err, "No valid update fields provided")
		require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
	}
}

func TestApplyTooManyKeywords(t *testing.T) {
	w := sample("forum")
	got, err := applied(w, watchpost.WatchlistPatch{Keywords: entries(numbered(99)...), Append: true})
	require.EqualError(t, err, "At most 100 keywords per watchlist")
	require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
	require.Equal(t, w, got)
}

func TestApplyKeywords(t *testing.T) {
	w := sample("keyword")
	before := sample("keyword")
	again := []watchpost.KeywordEntry{
		{Keyword: "Rust", Required: []string{"Senior", "remote"}}, // same meaning
		{Keyword: "zig"},
		{ID: "forged", Keyword: "go", Excluded: []string{"intern"}}, // another meaning
	}
	replaced, err := applied(w, watchpost.WatchlistPatch{Keywords: again})
	require.NoError(t, err)
	require.Equal(t, []watchpost.KeywordEntry{
		{ID: "2", Keyword: "Rust", Required: []string{"Senior", "remote"}},
		{Keyword: "zig"},
		{Keyword: "go", Excluded: []string{"intern"}},
	}, replaced.Keywords)

	added, err := applied(w, watchpost.WatchlistPatch{Keywords: again, Append: true})
	require.NoError(t, err)
	require.Equal(t, []watchpost.KeywordEntry{
		{ID: "1", Keyword: "go"},
		{ID: "2", Keyword: "rust", Required: []string{"remote", "senior"}},
		{Keyword: "zig"},
		{Keyword: "go", Excluded: []string{"intern"}},
	}, added.Keywords)

	full, err := applied(w, watchpost.WatchlistPatch{Keywords: entries(numbered(98)...), Append: true})
	require.NoError(t, err)
	require.Len(t, full.Keywords, 100)
	require.Equal(t, before, w, "the watchlist itself is not changed")
	require.Equal(t, "forged", string(again[2].ID), "nor is the patch")
}

func TestScanNow(t *testing.T) {
	yes, no := true, false
	for _, kind := range []watchpost.WatchlistType{"keyword", "forum", "people", "company"} {
		now := watchpost.WatchlistPatch{ScanNow: true}
		_, err := now.ForType(kind)
		require.NoError(t, err, "it is something to do")
		_, err = applied(sample(kind), now)
		require.NoError(t, err)
		_, err = applied(sample(kind), watchpost.WatchlistPatch{ScanNow: true, Disable: &yes})
		require.EqualError(t, err, disabledText)
		off := sample(kind)
		off.Disabled = true
		_, err = applied(off, now)
		require.EqualError(t, err, disabledText)
		_, err = applied(off, watchpost.WatchlistPatch{ScanNow: true, Disable: &no})
		require.NoError(t, err, "it is enabled by the same patch")
	}
}

func TestNameOfPrompt(t *testing.T) {
	prompt, other := "Posts about heat pumps in Austria", "Posts about solar roofs in Spain"
	made := sample("keyword")
	made.Prompt, made.Name = prompt, watchpost.AutoName("keyword", []string{prompt})
	patch := watchpost.WatchlistPatch{Prompt: &other, Keywords: []watchpost.KeywordEntry{{Keyword: "solar roof"}}}
	got, err := applied(made, patch)
	require.NoError(t, err)
	require.Equal(t, other, got.Name)
	made.Name = "Mine"
	got, err = applied(made, patch)
	require.NoError(t, err)
	require.Equal(t, "Mine", got.Name)
}
