package insight

import (
	"cmp"
	"slices"
	"time"

	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// CoverageQuery selects days of watchlists.
type CoverageQuery struct {
	// From is the first moment of the first day, To that behind the last day, in UTC.
	From, To       time.Time
	Page, PageSize int
	// Now is the present, States how the scans of the watchlists that are enabled stand then.
	Now    time.Time
	States map[watchpost.WatchlistID]ScanState
}

// ScanState is how the scans of a watchlist stand.
type ScanState struct {
	Planned   int // in a day
	Waiting   int // those that are due, also those that are under way
	Why       watchpost.PendingReason
	NotBefore time.Time
}

// Coverage has the counts of a watchlist for one day. The scans of a list count for each
// watchlist that follows it.
type Coverage struct {
	Watchlist *watchpost.Watchlist
	Day       time.Time
	Scans     teamspace.ScanDay
	Posts     teamspace.PostDay
	State     ScanState // of the present day; zero of another one
	// Until is the end of the period, from the beginning of the day, from which scans have
	// brought all posts; zero when there is none.
	Until time.Time
}

// Complete reports whether the watchlist was brought all posts of the day.
func (c *Coverage) Complete() bool { return c.Until.Equal(c.Day.AddDate(0, 0, 1)) }

// CoveragePage is a page of days of watchlists, the newest day first, and the count of all.
type CoveragePage struct {
	Days  []Coverage
	Count int
}

// Missed returns the days of a page, the oldest first, on which watchlists that needed scans
// had none that succeeded, and of which no later scan has brought all posts, with the number
// of these watchlists. The day on which one was made does not count for it.
func (p *CoveragePage) Missed() (days []time.Time, watchlists int) {
	without := map[watchpost.WatchlistID]bool{}
	for i := range p.Days {
		d := &p.Days[i]
		if d.Scans.Planned == 0 || d.Scans.Done > 0 || d.Complete() || d.Watchlist.CreatedAt.After(d.Day) {
			continue
		}
		without[d.Watchlist.ID] = true
		if len(days) == 0 || !days[0].Equal(d.Day) {
			days = slices.Insert(days, 0, d.Day)
		}
	}
	return days, len(without)
}

// Cover returns a page of the coverage of watchlists. The first day of a watchlist is the one
// on which it was created.
func Cover(view persistence.View, space persistence.Space, live map[watchpost.WatchlistID]bool, q *CoverageQuery) (page CoveragePage, err error) {
	watchlists, err := watchlistsOf(view, space, live)
	if err != nil {
		return page, err
	}
	first := (q.Page - 1) * q.PageSize
	for day := q.To.AddDate(0, 0, -1); !day.Before(q.From); day = day.AddDate(0, 0, -1) {
		for i := range watchlists {
			if w := &watchlists[i]; w.CreatedAt.Before(day.AddDate(0, 0, 1)) {
				if page.Count >= first && page.Count < first+q.PageSize {
					page.Days = append(page.Days, Coverage{Watchlist: w, Day: day})
				}
				page.Count++
			}
		}
	}
	if err := fillDays(view, space, page.Days, q); err != nil {
		return page, err
	}
	return page, fillCovered(view, space, page.Days)
}

// watchlistsOf returns watchlists in the order of their making.
func watchlistsOf(view persistence.View, space persistence.Space, live map[watchpost.WatchlistID]bool) ([]watchpost.Watchlist, error) {
	keys := make([][]byte, 0, len(live))
	for id := range live {
		keys = append(keys, teamspace.Key(teamspace.KeyWatchlist, id))
	}
	watchlists := make([]watchpost.Watchlist, 0, len(live))
	err := eachRecord(view, space, keys, func(_ int, w watchpost.Watchlist) { watchlists = append(watchlists, w) })
	slices.SortFunc(watchlists, func(a, b watchpost.Watchlist) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return watchlists, err
}

// eachRecord calls yield with the record of each key that there is, and the key's place.
func eachRecord[R any](view persistence.View, space persistence.Space, keys [][]byte, yield func(at int, record R)) error {
	values, err := view.GetAll(space, keys)
	if err != nil {
		return err
	}
	for i, value := range values {
		if value == nil {
			continue
		}
		var record R
		if err := teamspace.Decode(value, &record); err != nil {
			return err
		}
		yield(i, record)
	}
	return nil
}

// fillDays fills in the counts. A day without a scan has the present plan.
func fillDays(view persistence.View, space persistence.Space, days []Coverage, q *CoverageQuery) error {
	scans, posts := make([][]byte, len(days)), make([][]byte, len(days))
	for i := range days {
		d := &days[i]
		day, state := watchpost.Daily.Key(d.Day), q.States[d.Watchlist.ID]
		scans[i] = teamspace.ScanDayKey(day, cmp.Or(string(d.Watchlist.List), string(d.Watchlist.ID)))
		posts[i] = teamspace.PostDayKey(day, d.Watchlist.ID)
		d.Scans.Planned = state.Planned
		if day == watchpost.Daily.Key(q.Now) {
			d.State = state
		}
	}
	err := eachRecord(view, space, scans, func(at int, scans teamspace.ScanDay) { days[at].Scans = scans })
	if err != nil {
		return err
	}
	return eachRecord(view, space, posts, func(at int, posts teamspace.PostDay) { days[at].Posts = posts })
}

// fillCovered fills in how far into each day its watchlist was brought all posts.
func fillCovered(view persistence.View, space persistence.Space, days []Coverage) error {
	covered := map[watchpost.WatchlistID]teamspace.CoveredRecord{}
	for i := range days {
		d := &days[i]
		of, known := covered[d.Watchlist.ID]
		if !known {
			var err error
			if of, err = coveredOf(view, space, d.Watchlist); err != nil {
				return err
			}
			covered[d.Watchlist.ID] = of
		}
		if end := d.Day.AddDate(0, 0, 1); !of.Since.After(d.Day) && of.Until.After(d.Day) {
			d.Until = watchpost.Earlier(of.Until, end)
		}
	}
	return nil
}

// coveredOf returns the time during which all entries of a watchlist were covered; zero:
// none.
func coveredOf(view persistence.View, space persistence.Space, w *watchpost.Watchlist) (all teamspace.CoveredRecord, err error) {
	var keys [][]byte
	for _, e := range w.Keywords {
		keys = append(keys, teamspace.CoveredKey(w.ID, e.ID))
	}
	if w.List != "" {
		list, err := teamspace.Load[watchpost.List](view, space, teamspace.Key(teamspace.KeyList, w.List))
		if err != nil {
			return all, err
		}
		for _, e := range list.Entries {
			keys = append(keys, teamspace.CoveredKey(w.ID, e.ID))
		}
	}
	found := 0
	err = eachRecord(view, space, keys, func(_ int, of teamspace.CoveredRecord) {
		if found++; of.Since.After(all.Since) {
			all.Since = of.Since
		}
		all.Until = watchpost.Earlier(all.Until, of.Until)
	})
	if found < len(keys) {
		return teamspace.CoveredRecord{}, err
	}
	return all, err
}
