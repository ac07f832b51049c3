package insight

import (
	"maps"
	"slices"

	"watchpost/internal/text"
	"watchpost/persistence"
	"watchpost/persistence/postindex"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// Trend returns the trend that a query asks for, and the words of its greatest spikes.
func Trend(view persistence.View, space persistence.Space, posts *postindex.Index, q *trend.Query) (found trend.Trend, err error) {
	if q.Names, err = trendNames(view, space, posts, q); err != nil {
		return found, err
	}
	if len(q.Names) > trend.MaxNames {
		return found, watchpost.Errorf(watchpost.Invalid, trend.TextTooManyGroups, trend.MaxNames)
	}
	all, groups, err := posts.Trend(view, space, q)
	if err != nil {
		return found, err
	}
	found = q.MakeTrend(all, groups)
	for _, spike := range found.Worded() {
		in, before := q.Looked(spike)
		if spike.Words, err = posts.NewWords(view, space, &in, &before); err != nil {
			return found, err
		}
	}
	return found, nil
}

// trendNames returns the names of the groups: keywords and labels are those that the
// watchlists asked for have now, each once, case aside.
func trendNames(view persistence.View, space persistence.Space, posts *postindex.Index, q *trend.Query) (names []string, err error) {
	known := map[string]bool{}
	add := func(name string) {
		if folded := text.NormalizeName(name); !known[folded] {
			known[folded] = true
			names = append(names, name)
		}
	}
	switch q.By {
	case trend.ByWatchlist:
		for _, id := range slices.Sorted(maps.Keys(q.Live)) {
			if q.Live[id] {
				names = append(names, string(id))
			}
		}
	case trend.ByLanguage:
		languages, err := posts.Languages(view, space)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(languages)) {
			add(name)
		}
	case trend.ByKeyword, trend.ByLabel:
		err = teamspace.LoadAll(view, space, teamspace.KeyWatchlist, func(id string, w watchpost.Watchlist) {
			if !q.Live[watchpost.WatchlistID(id)] {
				return
			}
			for _, e := range w.Keywords {
				if q.By == trend.ByKeyword {
					add(e.Keyword)
				}
			}
			for _, l := range w.Labels {
				if q.By == trend.ByLabel {
					add(l.Name)
				}
			}
		})
		if q.By == trend.ByLabel {
			add(watchpost.NoLabels)
		}
	default:
		return q.By.Names(), nil
	}
	slices.Sort(names)
	return names, err
}
