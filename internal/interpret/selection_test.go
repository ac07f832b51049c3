package interpret_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"watchpost/internal/interpret"
	"watchpost/watchpost"
)

func pair(keyword, x, y string) watchpost.KeywordEntry {
	return watchpost.KeywordEntry{Keyword: keyword, Required: []string{x, y}, Excluded: []string{"ads"}}
}

// TestGrouped: entries become groups, and groups entries again.
func TestGrouped(t *testing.T) {
	t.Parallel()
	not := []string{"ads"}
	either := func(keyword string) watchpost.KeywordEntry {
		return watchpost.KeywordEntry{Keyword: keyword, Required: []string{"Spain", "Spanish"}, AnyRequired: true, Excluded: not}
	}
	product := []interpret.Group{{Any: []string{"crm"}, With: [][]string{{"UK", "Ireland"}, {"price", "cost"}}}}
	for name, c := range map[string]struct {
		entries []watchpost.KeywordEntry
		want    []interpret.Group
	}{
		"equal conditions": {[]watchpost.KeywordEntry{either("farming"), either("meat")}, []interpret.Group{{Any: []string{"farming", "meat"}, With: [][]string{{"Spain", "Spanish"}}}}},
		"a product":        {[]watchpost.KeywordEntry{pair("crm", "UK", "price"), pair("crm", "UK", "cost"), pair("crm", "Ireland", "price"), pair("crm", "Ireland", "cost")}, product},
		"a cut product":    {[]watchpost.KeywordEntry{pair("crm", "UK", "price"), pair("crm", "UK", "cost"), pair("crm", "Ireland", "price")}, product},
		"no product": {
			[]watchpost.KeywordEntry{pair("crm", "UK", "price"), pair("crm", "Ireland", "cost")},
			[]interpret.Group{{Any: []string{"crm"}, With: [][]string{{"UK"}, {"price"}}}, {Any: []string{"crm"}, With: [][]string{{"Ireland"}, {"cost"}}}},
		},
		"different conditions": {[]watchpost.KeywordEntry{either("farming"), {Keyword: "meat", Excluded: not}}, []interpret.Group{{Any: []string{"farming"}, With: [][]string{{"Spain", "Spanish"}}}, {Any: []string{"meat"}}}},
	} {
		s, ok := interpret.Grouped(c.entries)
		require.True(t, ok, name)
		require.Equal(t, interpret.Selection{Groups: c.want, Not: not}, s, name)
		if name != "a cut product" {
			require.ElementsMatch(t, c.entries, s.Entries(), name)
		}
		again, ok := interpret.Grouped(s.Entries())
		require.True(t, ok, name)
		require.Equal(t, s, again, name)
	}
	_, ok := interpret.Grouped([]watchpost.KeywordEntry{{Keyword: "farming", Excluded: []string{"ads"}}, {Keyword: "meat"}})
	require.False(t, ok, "different exclusions")
	s, ok := interpret.Grouped([]watchpost.KeywordEntry{{Keyword: "farming", Excluded: []string{"meat"}}, {Keyword: "meat"}})
	require.True(t, ok, "an exclusion that its own keyword cannot have")
	require.Empty(t, s.Entries()[1].Excluded)
}

// TestGroupedPrompts: what the rules make of sentences has groups.
func TestGroupedPrompts(t *testing.T) {
	t.Parallel()
	for _, prompt := range sentences {
		r := rules(t, prompt)
		s, ok := interpret.Grouped(r.Keywords)
		require.True(t, ok, prompt)
		_, _, err := watchpost.CleanKeywords(s.Entries())
		require.NoError(t, err, prompt)
	}
}

// TestSelectionBounds: a product that is too large for a watchlist is refused, and not
// computed.
func TestSelectionBounds(t *testing.T) {
	t.Parallel()
	lists := make([][]string, 3)
	for i := range lists {
		for j := range 50 {
			lists[i] = append(lists[i], fmt.Sprint(i, "-", j))
		}
	}
	entries := interpret.Selection{Groups: []interpret.Group{{Any: []string{"a", "b"}, With: lists}}}.Entries()
	require.Len(t, entries, watchpost.MaxKeywords+1)
	_, _, err := watchpost.CleanKeywords(entries)
	require.Error(t, err)
}

// TestKeywords lists short prompts with their keywords.
func TestKeywords(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]interpret.Selection{
		"oil, gas tenders":        {Groups: []interpret.Group{{Any: []string{"oil", "gas tenders"}}}},
		"Posts about Kubernetes":  {Groups: []interpret.Group{{Any: []string{"Kubernetes"}}}},
		"CRM, not Salesforce":     {Groups: []interpret.Group{{Any: []string{"CRM"}}}, Not: []string{"Salesforce"}},
		"Wärmepumpe oder Heizung": {Groups: []interpret.Group{{Any: []string{"Wärmepumpe", "Heizung"}}}},
		`"zero trust", #security`: {Groups: []interpret.Group{{Any: []string{"zero trust", "#security"}}}},
		"oil, oil":                {Groups: []interpret.Group{{Any: []string{"oil"}}}},
		"R&D":                     {Groups: []interpret.Group{{Any: []string{"R&D"}}}},
		"?!":                      {},
		"not Salesforce":          {Not: []string{"Salesforce"}},
		"the":                     {Groups: []interpret.Group{{Any: []string{"the"}}}},
		"الطاقة الشمسية، الرياح": {Groups: []interpret.Group{{Any: []string{"الطاقة الشمسية", "الرياح"}}}},
	} {
		require.Equal(t, want, interpret.Keywords(prompt), prompt)
	}
}

func TestIsPlace(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{"Germany": true, "british": true, "UK": true, "Salesforce": false, "pricing": false} {
		require.Equal(t, want, interpret.IsPlace(word), word)
	}
}
