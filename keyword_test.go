package watchpost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost"
)

func entries(keywords ...string) []watchpost.KeywordEntry {
	out := make([]watchpost.KeywordEntry, len(keywords))
	for i, k := range keywords {
		out[i].Keyword = k
	}
	return out
}

// numbered returns n texts that differ.
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
	}, results)
}

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
