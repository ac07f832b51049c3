package dashboard

import (
	"fmt"
	"slices"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
)

// figures are the charts next to the feed, of the posts that its filters select.
type figures struct {
	Days      []dayRow
	Series    []series
	Sentiment []share
	Languages []share
}

// series is a watchlist in the chart of posts per day.
type series struct {
	N     int // from 1: its colour and its dashes
	Name  string
	Total int
	days  []int
}

// dayRow has the numbers of a day, in the order of the series.
type dayRow struct {
	Name    string
	Numbers []int
}

// share is a part of all posts.
type share struct {
	Name           string
	Value          string
	Count, Percent int
	From, Width    float64 // in percent
}

const (
	// maxSeries is how many watchlists the chart can tell apart.
	maxSeries = 5
	// maxLanguages is how many languages are named; the rest is one.
	maxLanguages = 4
)

// askFigures counts the posts per day of the selected watchlists. The shares are
// the counts of the menus.
func (f *feedFilters) askFigures(lists []actors.WatchlistView, now time.Time) *figures {
	g := &figures{}
	for _, l := range lists {
		if len(g.Series) == maxSeries || len(f.named) > 0 && !slices.Contains(f.named, string(l.Watchlist.ID)) {
			continue
		}
		g.Series = append(g.Series, series{N: len(g.Series) + 1, Name: l.Watchlist.Name, days: make([]int, barDays)})
	}
	at := 0
	for _, l := range lists {
		if at == len(g.Series) || len(f.named) > 0 && !slices.Contains(f.named, string(l.Watchlist.ID)) {
			continue
		}
		s := &g.Series[at]
		at++
		for day := range barDays {
			from := barDay(now, day)
			f.count([]string{string(l.Watchlist.ID)}, func(q *watchpost.PostQuery) { q.From, q.To = from, from.AddDate(0, 0, 1) }, func(n int) {
				s.days[day] = n
				s.Total += n
			})
		}
	}
	return g
}

// complete makes the rows and shares, after the counts are known.
func (g *figures) complete(f *feedFilters, now time.Time) {
	for day := range barDays {
		row := dayRow{Name: barDay(now, day).Format("Mon")}
		for _, s := range g.Series {
			row.Numbers = append(row.Numbers, s.days[day])
		}
		g.Days = append(g.Days, row)
	}
	for _, m := range f.Menus {
		switch m.Name {
		case "sentiment":
			g.Sentiment = sharesOf(m.Options)
		case "lang":
			options := m.Options
			if len(options) > maxLanguages {
				rest := choice{Name: "Others"}
				for _, o := range options[maxLanguages-1:] {
					rest.Count += o.Count
				}
				options = append(slices.Clone(options[:maxLanguages-1]), rest)
			}
			g.Languages = sharesOf(options)
		}
	}
}

// sharesOf returns the parts with their percentages; none when there is nothing.
func sharesOf(options []choice) (shares []share) {
	sum := 0
	for _, o := range options {
		sum += o.Count
	}
	if sum == 0 {
		return nil
	}
	from := 0.0
	for _, o := range options {
		part := 100 * float64(o.Count) / float64(sum)
		shares = append(shares, share{Name: o.Name, Value: o.Value, Count: o.Count, Percent: int(part + 0.5), From: from, Width: part})
		from += part
	}
	return shares
}

// Label describes the chart in words.
func (g *figures) Label() string {
	return fmt.Sprintf("Posts per day by watchlist, last %d days; the numbers are in the table below", barDays)
}
