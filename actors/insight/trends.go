package insight

import (
	"maps"
	"slices"

	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// Trend returns the trend that a query asks for, and the words of its greatest spikes.
func Trend(view persistence.View, space persistence.Space, posts *postindex.Index, q *watchpost.TrendQuery) (trend watchpost.Trend, err error) {
	if q.Names, err = trendNames(view, space, posts, q); err != nil {
		return trend, err
	}
	if len(q.Names) > watchpost.MaxTrendNames {
		return trend, watchpost.Errorf(watchpost.Invalid, watchpost.TextTooManyGroups, watchpost.MaxTrendNames)
	}
	all, groups, err := posts.Trend(view, space, q)
	if err != nil {
		return trend, err
	}
	trend = q.MakeTrend(all, groups)
	for _, spike := range trend.Worded() {
		in, before := q.Looked(spike)
		if spike.Words, err = posts.NewWords(view, space, &in, &before); err != nil {
			return trend, err
		}
	}
	return trend, nil
}

// trendNames returns the names of the groups: keywords and labels are those that the
// watchlists asked for have now, each once, case aside.
func trendNames(view persistence.View, space persistence.Space, posts *postindex.Index, q *watchpost.TrendQuery) (names []string, err error) {
	known := map[string]bool{}
	add := func(name string) {
		if folded := text.NormalizeName(name); !known[folded] {
			known[folded] = true
			names = append(names, name)
		}
	}
	switch q.By {
	case watchpost.TrendByWatchlist:
		for _, id := range slices.Sorted(maps.Keys(q.Live)) {
			if q.Live[id] {
				names = append(names, string(id))
			}
		}
	case watchpost.TrendByLanguage:
		languages, err := posts.Languages(view, space)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(languages)) {
			add(name)
		}
	case watchpost.TrendByKeyword, watchpost.TrendByLabel:
		err = teamspace.LoadAll(view, space, teamspace.KeyWatchlist, func(id string, w watchpost.Watchlist) {
			if !q.Live[watchpost.WatchlistID(id)] {
				return
			}
			for _, e := range w.Keywords {
				if q.By == watchpost.TrendByKeyword {
					add(e.Keyword)
				}
			}
			for _, l := range w.Labels {
				if q.By == watchpost.TrendByLabel {
					add(l.Name)
				}
			}
		})
		if q.By == watchpost.TrendByLabel {
			add(watchpost.NoLabels)
		}
	default:
		return q.By.Names(), nil
	}
	slices.Sort(names)
	return names, err
}
