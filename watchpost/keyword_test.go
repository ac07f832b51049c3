package watchpost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

func entries(keywords ...string) []watchpost.KeywordEntry {
	out := make([]watchpost.KeywordEntry, len(keywords))
	for i, k := range keywords {
		out[i].Keyword = k
	}
	return out
}

// numbered returns n different texts.
func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("word %d", i)
	}
	return out
}

func TestCleanKeywords(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  []watchpost.KeywordEntry
		kept []string
		err  string
	}{
		{"none", nil, nil, "keywords array is required and must not be empty"},
		{"empty", entries(), nil, "keywords array is required and must not be empty"},
		{"blank ones only", entries("", " \t", "\u200b"), nil, "No valid keywords provided after cleaning"},
		{"too long ones only", entries(strings.Repeat("x", 101)), nil, "No valid keywords provided after cleaning"},
		{"trimmed and folded", entries("  open \n source "), []string{"open source"}, ""},
		{"repeated in another case", entries("AI", "ai", " Ai ", "ÉTÉ", "été"), []string{"AI", "ÉTÉ"}, ""},
		{"accents make another keyword", entries("café", "cafe"), []string{"café", "cafe"}, ""},
		{"characters are counted, not bytes", entries(strings.Repeat("字", 100)), []string{strings.Repeat("字", 100)}, ""},
		{"one too long beside another", entries(strings.Repeat("x", 101), "go"), []string{"go"}, ""},
		{"as many as may be", entries(numbered(100)...), numbered(100), ""},
		{"one more", entries(numbered(101)...), nil, "At most 100 keywords per watchlist"},
		{"one more, but repeated", entries(append(numbered(100), "WORD 1")...), numbered(100), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept, _, err := watchpost.CleanKeywords(c.raw)
			if c.err != "" {
				require.EqualError(t, err, c.err)
				require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
				require.Empty(t, kept)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.kept, watchpost.KeywordTexts(kept))
		})
	}
}

func TestCleanKeywordsResults(t *testing.T) {
	long := strings.Repeat("x", 101)
	kept, results, err := watchpost.CleanKeywords([]watchpost.KeywordEntry{
		{Keyword: " go "}, {Keyword: long}, {Keyword: ""}, {Keyword: "GO"},
		{Keyword: "go", Required: []string{" Remote ", "remote", ""}, Excluded: []string{"intern"}},
		{Keyword: "GO", Required: []string{"REMOTE"}, Excluded: []string{"Intern"}},
		{Keyword: "a", Required: numbered(21)}, {Keyword: "b", Excluded: numbered(21)},
		{Keyword: "c", Required: numbered(20), Excluded: numbered(20)},
		{Keyword: "d", Required: []string{long}}, {Keyword: "e", Excluded: []string{long}},
		{Keyword: "f\u202eg"}, {Keyword: "h", Required: []string{"i\x00"}}, {Keyword: "j", Excluded: []string{"\u200fk"}},
	})
	require.NoError(t, err)
	require.Equal(t, []watchpost.KeywordEntry{
		{Keyword: "go"},
		{Keyword: "go", Required: []string{"Remote"}, Excluded: []string{"intern"}},
		{Keyword: "c", Required: numbered(20), Excluded: numbered(20)},
	}, kept)
	require.Equal(t, []watchpost.KeywordResult{
		{Success: true, Keyword: "go"},
		{Keyword: long, Error: "Keyword must be 100 characters or fewer"},
		{Success: true, Keyword: "go"},
		{Keyword: "a", Error: "At most 20 required keywords per keyword"},
		{Keyword: "b", Error: "At most 20 excluded keywords per keyword"},
		{Success: true, Keyword: "c"},
		{Keyword: "d", Error: "Required keyword must be 100 characters or fewer"},
		{Keyword: "e", Error: "Excluded keyword must be 100 characters or fewer"},
		{Keyword: "f\u202eg", Error: "Keyword must not contain control characters"},
		{Keyword: "h", Error: "Keyword must not contain control characters"},
		{Keyword: "j", Error: "Keyword must not contain control characters"},
	}, results)
}

// anyText draws letters of several scripts, marks, signs and white space.
var anyText = rapid.StringOfN(rapid.OneOf(
	rapid.SampledFrom([]rune("aAbB0 -#\t\néÉßİ\u0301ςΣ\u200b漢が\u3099👩\u200d💻")),
	rapid.Rune(),
), 0, 30, -1)

func TestCleanKeywordsTwice(t *testing.T) {
	entry := rapid.Custom(func(t *rapid.T) watchpost.KeywordEntry {
		return watchpost.KeywordEntry{
			Keyword:  anyText.Draw(t, "keyword"),
			Required: rapid.SliceOfN(anyText, 0, 3).Draw(t, "required"),
			Excluded: rapid.SliceOfN(anyText, 0, 3).Draw(t, "excluded"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(entry, 0, 8).Draw(t, "raw")
		kept, results, err := watchpost.CleanKeywords(raw)
		if err != nil {
			return
		}
		succeeded := 0
		for _, r := range results {
			require.Equal(t, r.Success, r.Error == "")
			if r.Success {
				require.Equal(t, kept[succeeded].Keyword, r.Keyword)
				succeeded++
			}
		}
		require.Len(t, kept, succeeded)
		again, _, err := watchpost.CleanKeywords(kept)
		require.NoError(t, err)
		require.Equal(t, kept, again)
	})
}

func TestCleanLabels(t *testing.T) {
	label := func(name string, isDefault bool) watchpost.Label {
		return watchpost.Label{Name: name, Default: isDefault}
	}
	many := make([]watchpost.Label, 51)
	for i, name := range numbered(51) {
		many[i].Name = name
	}
	for _, c := range []struct {
		name string
		raw  []watchpost.Label
		want []watchpost.Label
		err  string
	}{
		{"none", nil, []watchpost.Label{}, ""},
		{"trimmed", []watchpost.Label{{Name: " a  b ", Description: " c "}}, []watchpost.Label{{Name: "a b", Description: "c"}}, ""},
		{"repeated", []watchpost.Label{label("A", true), label("a", true), label("b", true)}, []watchpost.Label{label("A", true), label("b", true)}, ""},
		{"fifty", many[:50], many[:50], ""},
		{"fifty-one", many, nil, "At most 50 labels per watchlist"},
		{"three defaults", []watchpost.Label{label("a", true), label("b", true), label("c", true)}, nil, "Invalid 'labels': at most 2 default labels"},
		{"comma", []watchpost.Label{label("a,b", false)}, nil, "Invalid 'labels': a name must not contain a comma"},
		{"no name", []watchpost.Label{label(" ", false)}, nil, "Invalid 'labels': a label must have a name"},
		{"long", []watchpost.Label{label(strings.Repeat("x", 101), false)}, nil, "Invalid 'labels': a name must be 100 characters or fewer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := watchpost.CleanLabels(c.raw)
			if c.err != "" {
				require.EqualError(t, err, c.err)
				require.Equal(t, watchpost.Invalid, watchpost.KindOf(err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// TestDistinctRules: an entry stays unless another entry with its keyword
// matches all the posts that it matches.
func TestDistinctRules(t *testing.T) {
	t.Parallel()
	entry := func(keyword string, required ...string) watchpost.KeywordEntry {
		return watchpost.KeywordEntry{Keyword: keyword, Required: required}
	}
	anyOf := func(keyword string, required ...string) watchpost.KeywordEntry {
		return watchpost.KeywordEntry{Keyword: keyword, Required: required, AnyRequired: true}
	}
	without := func(e watchpost.KeywordEntry, excluded ...string) watchpost.KeywordEntry {
		e.Excluded = excluded
		return e
	}
	for name, c := range map[string]struct{ given, want []watchpost.KeywordEntry }{
		"the same in another case": {[]watchpost.KeywordEntry{entry("Rust"), entry("RUST", "language")}, []watchpost.KeywordEntry{entry("Rust")}},
		"the wider one is later":   {[]watchpost.KeywordEntry{entry("k8s", "security", "Berlin"), entry("K8s", "berlin")}, []watchpost.KeywordEntry{entry("K8s", "berlin")}},
		"different demands":        {[]watchpost.KeywordEntry{entry("k8s", "a"), entry("k8s", "b")}, []watchpost.KeywordEntry{entry("k8s", "a"), entry("k8s", "b")}},
		"one excludes":             {[]watchpost.KeywordEntry{without(entry("k8s"), "x"), entry("k8s", "b")}, []watchpost.KeywordEntry{without(entry("k8s"), "x"), entry("k8s", "b")}},
		"both exclude":             {[]watchpost.KeywordEntry{without(entry("k8s"), "x"), without(entry("k8s", "b"), "X", "y")}, []watchpost.KeywordEntry{without(entry("k8s"), "x")}},
		"twice":                    {[]watchpost.KeywordEntry{entry("k8s"), entry("K8S")}, []watchpost.KeywordEntry{entry("k8s")}},
		"any and one of them":      {[]watchpost.KeywordEntry{anyOf("k8s", "a", "b"), entry("k8s", "a")}, []watchpost.KeywordEntry{anyOf("k8s", "a", "b")}},
		"any and all":              {[]watchpost.KeywordEntry{entry("k8s", "a", "b"), anyOf("k8s", "a", "b")}, []watchpost.KeywordEntry{anyOf("k8s", "a", "b")}},
		"all of one, any of two":   {[]watchpost.KeywordEntry{entry("k8s", "a"), anyOf("k8s", "b", "c")}, []watchpost.KeywordEntry{entry("k8s", "a"), anyOf("k8s", "b", "c")}},
	} {
		require.Equal(t, c.want, watchpost.DistinctRules(c.given), name)
	}
}

// TestAnyRequired: an entry with any required word differs from one with all
// required words. It matches texts with one of them, and keeps its id.
func TestAnyRequired(t *testing.T) {
	t.Parallel()
	all := watchpost.KeywordEntry{Keyword: "solar", Required: []string{"Spain", "España"}}
	either := all
	either.AnyRequired = true
	match := func(e watchpost.KeywordEntry, content string) bool {
		return e.Matcher().Match(text.New(content))
	}
	require.False(t, match(all, "solar in Spain"))
	require.True(t, match(all, "solar in Spain, España"))
	require.True(t, match(either, "solar in Spain"))
	require.True(t, match(either, "solar in españa"))
	require.False(t, match(either, "solar in Portugal"))
	require.False(t, match(either, "wind in Spain"))
	either.Excluded = []string{"wind"}
	require.False(t, match(either, "solar and wind in Spain"))
	none := watchpost.KeywordEntry{Keyword: "solar", AnyRequired: true}
	require.True(t, match(none, "solar"))

	kept, results, err := watchpost.CleanKeywords([]watchpost.KeywordEntry{all, either, all, none, {Keyword: "Solar"}})
	require.NoError(t, err)
	require.Len(t, kept, 3)
	require.Len(t, results, 3)
	list := watchpost.Watchlist{Type: watchpost.KeywordWatchlist, Keywords: []watchpost.KeywordEntry{all}}
	list.Keywords[0].ID = "e1"
	either.Excluded = nil
	patched, err := applied(list, watchpost.WatchlistPatch{Keywords: []watchpost.KeywordEntry{all, either}})
	require.NoError(t, err)
	require.Equal(t, watchpost.EntryID("e1"), patched.Keywords[0].ID)
	require.Empty(t, patched.Keywords[1].ID, "scanned from the start")
	require.True(t, patched.Keywords[1].AnyRequired)
	appended, err := applied(list, watchpost.WatchlistPatch{Keywords: []watchpost.KeywordEntry{all, either}, Append: true})
	require.NoError(t, err)
	require.Len(t, appended.Keywords, 2)
}

func TestReservedLabel(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"no labels", " No  Labels "} {
		_, err := watchpost.CleanLabels([]watchpost.Label{{Name: name}})
		require.EqualError(t, err, "Invalid 'labels'")
	}
}

func TestPhraseWarning(t *testing.T) {
	t.Parallel()
	require.Equal(t, `"sourcing manufacturer quote" is matched as a phrase; none of 687 stored posts contains it`, watchpost.PhraseWarning("sourcing manufacturer quote", 687))
	require.Equal(t, `"a b" is matched as a phrase; none of 1 stored post contains it`, watchpost.PhraseWarning("a b", 1))
	require.True(t, watchpost.KeywordEntry{Keyword: "a b"}.Phrase())
	require.False(t, watchpost.KeywordEntry{Keyword: "ab"}.Phrase())
}
