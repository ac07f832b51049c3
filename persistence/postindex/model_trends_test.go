package postindex_test

import (
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// trends asks for the trend of a query by each grouping.
func (m *machine) trends(t *rapid.T) {
	q := &trend.Query{PostQuery: *someQuery.Draw(t, "query"), Interval: of(trend.Intervals).Draw(t, "interval")}
	q.By = of(append([]trend.By{trend.ByNothing}, trend.Groupings...)).Draw(t, "grouped by")
	switch q.By {
	case trend.ByNothing:
	case trend.ByWatchlist:
		for _, id := range lists {
			if q.Live == nil || q.Live[id] {
				q.Names = append(q.Names, string(id))
			}
		}
	case trend.ByKeyword:
		q.Names = []string{"k", "GO ", "none"}
	case trend.ByLanguage:
		q.Names = []string{"en", "de", "ja"}
	case trend.ByLabel:
		q.Names = []string{"x", "HIRING", watchpost.NoLabels}
	default:
		q.Names = q.By.Names()
	}
	q.From = day0.AddDate(0, 0, -rapid.IntRange(0, 9).Draw(t, "days"))
	q.To = q.From.AddDate(0, 0, 12)
	require.NoError(t, q.Span(day0.Add(time.Hour)))
	all, groups := q.Select(m.posts)
	m.view(func(view persistence.View) {
		gotAll, gotGroups, err := m.index.Trend(view, space, q)
		require.NoError(t, err)
		require.Equal(t, all, gotAll, "%+v", q)
		require.Equal(t, groups, gotGroups, "%+v", q)
	})
	m.newWords(t, q)
}

// newWords asks for the words that are new in a day of a trend.
func (m *machine) newWords(t *rapid.T, q *trend.Query) {
	in, before := q.Looked(&trend.Spike{At: q.From})
	words := func(of *watchpost.PostQuery) (words [][]string) {
		page, _ := of.Select(m.posts)
		for _, p := range page {
			words = append(words, text.New(p.Content).WithImage(p.ImageText).Words())
		}
		return words
	}
	m.view(func(view persistence.View) {
		got, err := m.index.NewWords(view, space, &in, &before)
		require.NoError(t, err)
		require.Equal(t, trend.NewWords(words(&in), words(&before)), got)
	})
}
