package postindex_test

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/watchpost"
)

// leads asks for the leads of a query, and for a trend.
func (m *machine) leads(t *rapid.T) {
	q := &watchpost.LeadQuery{PostQuery: *someQuery.Draw(t, "query"), By: of(watchpost.LeadOrders).Draw(t, "order of leads"), MinPosts: rapid.IntRange(0, 3).Draw(t, "min posts"), Kind: of([]watchpost.LeadKind{"", "", watchpost.LeadPerson, watchpost.LeadCompany}).Draw(t, "kind")}
	q.Words = rapid.SampledFrom([]string{"", "", "", "ja", "JANE  e", "engine", "acme"}).Draw(t, "words")
	q.NewSince = of([]time.Time{{}, {}, {}, day0, day0.Add(24 * time.Hour), day0.Add(48*time.Hour + 1)}).Draw(t, "new since")
	q.Page = rapid.IntRange(0, 2).Draw(t, "page of leads")
	if rapid.IntRange(0, 3).Draw(t, "asks for contacted") == 0 {
		contacted := rapid.Bool().Draw(t, "contacted")
		q.OnlyContacted, q.Contacted = &contacted, map[string]bool{"profile/jane": rapid.Bool().Draw(t, "jane"), "company/acme": rapid.Bool().Draw(t, "acme")}
	}
	want, count := q.Select(m.posts)
	m.view(func(view persistence.View) {
		got, n, err := m.index.Leads(view, space, q)
		require.NoError(t, err)
		require.Equal(t, count, n, "%+v", q)
		require.Equal(t, want, got, "%+v", q)
		m.streams(t, view, q)
	})
	m.trends(t)
}

// streams asks for all leads and posts of a query, in two parts.
func (m *machine) streams(t *rapid.T, view persistence.View, q *watchpost.LeadQuery) {
	cut := rapid.IntRange(1, 6).Draw(t, "cut after")
	all := *q
	all.By, all.Page, all.PageSize = watchpost.LeadsMostPosts, 1, watchpost.MaxPageSize
	want, _ := all.Select(m.posts)
	var leads []watchpost.Lead
	for after, more := "", true; more; {
		more = false
		require.NoError(t, m.index.EachLead(view, space, q, after, func(lead *watchpost.Lead) bool {
			leads, after = append(leads, *lead), lead.Key
			more = len(leads) == cut
			return !more
		}))
	}
	require.ElementsMatch(t, want, leads)
	var ids, wanted []watchpost.PostID
	for _, p := range m.posts {
		if q.Matches(p) {
			wanted = append(wanted, p.ID)
		}
	}
	slices.Sort(wanted)
	for after, more := watchpost.PostID(""), true; more; {
		more = false
		require.NoError(t, m.index.EachMatching(view, space, &q.PostQuery, after, func(p *postindex.Stored) bool {
			ids, after = append(ids, p.ID), p.ID
			more = len(ids) == cut
			return !more
		}))
	}
	require.Equal(t, wanted, ids)
}

// count asks for the counts of queries.
func (m *machine) count(queries []*watchpost.PostQuery) {
	var want []int
	for _, q := range queries {
		want = append(want, len(m.matching(q)))
	}
	m.view(func(view persistence.View) {
		counts, err := m.index.Counts(view, space, queries)
		require.NoError(m.t, err)
		for i, q := range queries {
			require.Equal(m.t, want[i], counts[i], "%+v", q)
		}
	})
}
