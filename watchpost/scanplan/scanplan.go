// Package scanplan compares the scans that a team's watchlists and lists ask for with
// those that its accounts may do, and divides a day's scans among them.
package scanplan

import (
	"fmt"
	"slices"
	"time"

	"watchpost/watchpost"
)

// Outlook is what a team can expect of the scans of a watchlist.
type Outlook struct {
	PerDay   int           // scans that it needs in a day
	Limited  bool          // Capacity counts; false: its scans have no allowance
	Capacity int           // scans a day of the team's live accounts, for all its watchlists
	Interval time.Duration // expected between two scans of an entry; zero: none is expected
}

// Forecast is the outlooks of all of a team's schedules whose scans have the same action.
type Forecast struct {
	needs []Need
	live  int
	// common is an outlook with the capacity alone, which all have in common.
	common Outlook
	// shares are the scans a day of each schedule, in parts; nil: their scans have no allowance.
	shares []int
}

// ForecastOf returns the forecast when live accounts may do the scans. It keeps needs, which
// stay as they are.
func ForecastOf(action watchpost.Action, needs []Need, live int) *Forecast {
	f := &Forecast{needs: needs, live: live}
	if f.common.Capacity, f.common.Limited = CapacityPerDay(action, live); !f.common.Limited {
		return f
	}
	perDay := make([]int, len(needs))
	for i := range needs {
		perDay[i] = needs[i].PerDay() * shareParts
	}
	f.shares = FairShares(perDay, nil, f.common.Capacity*shareParts)
	return f
}

// Outlook returns the outlook of the schedule at a place, and how often it asks for scans.
func (f *Forecast) Outlook(at int) (o Outlook, asked watchpost.FetchFrequency) {
	n := f.needs[at]
	o = f.common
	o.PerDay = n.PerDay()
	switch {
	case o.PerDay == 0 || f.live == 0:
	case !o.Limited:
		o.Interval = n.Frequency.Duration()
	default:
		o.Interval = n.interval(f.shares[at])
	}
	return o, n.Frequency
}

// Schedule is one of a team's schedules: that of a watchlist of keywords, or of a list
// with the watchlists that follow it.
type Schedule struct {
	Type       watchpost.WatchlistType
	Watchlists []watchpost.Watchlist
	Need       Need
}

// Plan is what all schedules of a team ask for, and who may do it.
type Plan struct {
	Live      int // accounts that were active within watchpost.LivenessWindow
	Schedules []Schedule
}

// Budget compares what a team's schedules of one type need with what its accounts can
// do. Schedules without an allowance have none.
type Budget struct {
	Type             watchpost.WatchlistType
	PerDay, Capacity int
	Schedules        int // that need scans
	Late, Never      int // that are scanned less often than asked for; not at all
	// Fastest and Slowest are the times between two scans of an entry of the late ones.
	Fastest, Slowest time.Duration
}

// Outlook returns the outlook of a watchlist, and how often its schedule asks for scans;
// zero when the plan does not have it.
func (p Plan) Outlook(id watchpost.WatchlistID) (o Outlook, asked watchpost.FetchFrequency) {
	for _, s := range p.Schedules {
		if i := slices.IndexFunc(s.Watchlists, func(w watchpost.Watchlist) bool { return w.ID == id }); i >= 0 {
			needs, at := p.needs(s.Type, id)
			o, asked = ForecastOf(s.Type.ScanTask().Action(), needs, p.Live).Outlook(at)
			if s.Watchlists[i].Disabled {
				o.PerDay, o.Interval = 0, 0
			}
			return o, asked
		}
	}
	return o, asked
}

// needs returns the needs of the schedules of a type, and the place of a watchlist's.
func (p Plan) needs(t watchpost.WatchlistType, id watchpost.WatchlistID) (needs []Need, at int) {
	for _, s := range p.Schedules {
		if s.Type != t {
			continue
		}
		if slices.ContainsFunc(s.Watchlists, func(w watchpost.Watchlist) bool { return w.ID == id }) {
			at = len(needs)
		}
		needs = append(needs, s.Need)
	}
	return needs, at
}

// With returns the plan as it is when the watchlist is added, or changed if it is part of
// the plan. entries is the length of the list that it follows, if it follows one.
func (p Plan) With(w watchpost.Watchlist, entries int) Plan {
	p.Schedules = slices.Clone(p.Schedules)
	need := func(all []watchpost.Watchlist) Need {
		if w.Type.HasKeywords() {
			return KeywordNeed(&w)
		}
		return ListNeed(all, entries)
	}
	for i := range p.Schedules {
		s := &p.Schedules[i]
		if at := slices.IndexFunc(s.Watchlists, func(other watchpost.Watchlist) bool { return other.ID == w.ID }); at >= 0 {
			s.Watchlists = slices.Clone(s.Watchlists)
			s.Watchlists[at] = w
			s.Need = need(s.Watchlists)
			return p
		}
	}
	all := []watchpost.Watchlist{w}
	p.Schedules = append(p.Schedules, Schedule{w.Type, all, need(all)})
	return p
}

// Budget returns the budget of the schedules of a type; limited is false when their scans
// have no allowance.
func (p Plan) Budget(t watchpost.WatchlistType) (b Budget, limited bool) {
	needs, _ := p.needs(t, "")
	b.Type = t
	all := ForecastOf(t.ScanTask().Action(), needs, p.Live)
	b.Capacity, limited = all.common.Capacity, all.common.Limited
	for i := range needs {
		o, _ := all.Outlook(i)
		b.PerDay += o.PerDay
		interval := o.Interval
		switch {
		case needs[i].PerDay() == 0:
			continue
		case interval == 0:
			b.Never++
		case interval > needs[i].Frequency.Duration():
			b.Late++
			b.Slowest = max(b.Slowest, interval)
			if b.Late == 1 || interval < b.Fastest {
				b.Fastest = interval
			}
		}
		b.Schedules++
	}
	return b, limited
}

// Warning says that the accounts cannot do the scans as often as asked for; "" when they
// can.
func (o Outlook) Warning(t watchpost.WatchlistType, f watchpost.FetchFrequency) string {
	if o.PerDay == 0 || !o.Limited || o.Interval == f.Duration() {
		return ""
	}
	needs := fmt.Sprintf("Needs %d %s scan%s a day, the team's accounts have %d: ", o.PerDay, t, plural(o.PerDay), o.Capacity)
	if o.Interval == 0 {
		if o.Capacity > 0 {
			return needs + "entries wait until other watchlists need less"
		}
		return needs + "entries wait until a member's extension is active"
	}
	hours := int((o.Interval + time.Hour - 1) / time.Hour)
	return needs + fmt.Sprintf("entries are scanned every %d hour%s", hours, plural(hours))
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
