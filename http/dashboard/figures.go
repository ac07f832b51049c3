package dashboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/watchpost"
)

// figures are the charts next to the feed, of the posts that its filters select: each
// counts within the same posts as the list.
type figures struct {
	Count                int
	Of                   string // the filters
	Days                 []dayRow
	Series               []series
	Sentiment, Languages *partition

	last time.Time // the newest day
	now  time.Time
}

// partition divides the posts by a value that each has. With a filter of that value,
// Without says what there is without the filter, where Href leads.
type partition struct {
	Shares        []share
	Without, Href string
}

// series is a watchlist in the chart of posts per day, or all that are selected.
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

// askFigures counts the posts per day of the selected watchlists, or of all together
// where a chart has too many of them. The shares are the counts of the menus. The days
// end with the last one that the filters select.
func (f *feedFilters) askFigures(lists []actors.WatchlistView, now time.Time) *figures {
	g := &figures{now: now, last: now}
	if to := f.query.To; !to.IsZero() && to.Before(now) {
		g.last = to.Add(-1)
	}
	var of [][]string
	for _, l := range lists {
		if id := string(l.Watchlist.ID); len(f.named) == 0 || slices.Contains(f.named, id) {
			of = append(of, []string{id})
			g.Series = append(g.Series, series{Name: l.Watchlist.Name})
		}
	}
	if len(of) > maxSeries {
		of, g.Series = [][]string{f.named}, []series{{Name: "Posts of " + plural(len(of), "watchlist")}}
	}
	for i := range g.Series {
		s := &g.Series[i]
		s.N, s.days = i+1, make([]int, barDays)
		for day := range barDays {
			from := barDay(g.last, day)
			to := from.AddDate(0, 0, 1)
			if from.Before(f.query.From) {
				continue // the filter leaves out the day
			}
			f.count(of[i], func(q *watchpost.PostQuery) { q.From, q.To = from, to }, func(n int) {
				s.days[day] = n
				s.Total += n
			})
		}
	}
	return g
}

// complete makes the rows and shares, after the counts are known.
func (g *figures) complete(f *feedFilters, count int) {
	g.Count = count
	var names []string
	for _, a := range f.Active {
		names = append(names, a.Name)
	}
	g.Of = strings.Join(names, ", ")
	for day := range barDays {
		row := dayRow{Name: barDay(g.last, day).Format("2 Jan")}
		if g.last.Equal(g.now) {
			row.Name = barDay(g.last, day).Format("Mon")
		}
		for _, s := range g.Series {
			row.Numbers = append(row.Numbers, s.days[day])
		}
		g.Days = append(g.Days, row)
	}
	for _, m := range f.Menus {
		switch m.Name {
		case "sentiment":
			g.Sentiment = f.partition(m, len(m.Options))
		case "lang":
			g.Languages = f.partition(m, maxLanguages)
		}
	}
}

// partition divides the posts of the list by the values of a menu, the last of at most
// most parts being the others; nil without posts. The counts of a menu are without its
// own filter, so with that filter only the chosen values count.
func (f *feedFilters) partition(m menu, most int) *partition {
	set, options := chosen(m.Options), slices.Clone(m.Options)
	all, kept := 0, 0
	for i := range options {
		o := &options[i]
		all += o.Count
		if len(set) > 0 && !o.On {
			o.Count = 0
		}
		kept += o.Count
	}
	p := &partition{}
	if len(set) > 0 {
		p.Href = f.params.with(m.Name).href()
		p.Without = plural(all, "post")
		if all > 0 {
			p.Without += fmt.Sprintf(", %d %% %s", percent(kept, all), strings.ToLower(strings.Join(set, " or ")))
		}
	}
	if m.Name == "lang" {
		slices.SortStableFunc(options, func(a, b choice) int { return cmp.Compare(b.Count, a.Count) })
		options = slices.DeleteFunc(options, func(c choice) bool { return c.Count == 0 })
	}
	if len(options) > most {
		rest := choice{Name: "Others"}
		for _, o := range options[most-1:] {
			rest.Count += o.Count
		}
		options = append(options[:most-1], rest)
	}
	if p.Shares = sharesOf(options); p.Shares == nil {
		return nil
	}
	return p
}

func percent(part, all int) int { return int(100*float64(part)/float64(max(all, 1)) + 0.5) }

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
		shares = append(shares, share{Name: o.Name, Value: o.Value, Count: o.Count, Percent: percent(o.Count, sum), From: from, Width: part})
		from += part
	}
	return shares
}

// Label describes the chart in words.
func (g *figures) Label() string {
	return fmt.Sprintf("Posts per day, %s to %s; the numbers are in the table below", barDay(g.last, 0).Format("2 January"), g.last.UTC().Format("2 January"))
}
