package dashboard

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"watchpost/actors"
	"watchpost/internal/langcode"
	"watchpost/internal/words"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// trendsPage shows how many posts there were each day of a period, next to the period
// before it, in groups too.
type trendsPage struct {
	frame
	Periods    []chip
	Menus      []menu
	Here, CSV  string // addresses
	List       string // the watchlist that is counted; empty: all
	Dates      string
	Missed     *missedView // nil: all days were looked at
	Name       string      // of the period before
	Posts      trendCard
	Negative   trendCard
	Loudest    trendCard // the group with the largest share
	Plot       trendPlot
	Spikes     []spikeView
	Tabs       []chip
	By         string // the kind of the groups
	Groups     []trendRow
	Whole      string // what shares are of
	All, Fewer *chip  // the page with all groups, and that with the largest; nil where it is no other
}

// trendCard is a figure of the period and that of the period before.
type trendCard struct {
	Value, Change string
	Of            string // the group whose share it is
	Up, Down, Bad bool
}

// missedView says of which days posts may be missing, and of how many watchlists.
type missedView struct{ Days, Watchlists string }

// trendPlot is a drawing of the days of a period: bars, and a line for the period before.
type trendPlot struct {
	Height, Room int // Room is that of the marks above the axis
	Top          int // of the axis
	Bars         []plotBar
	Before       []plotLine
	Marks        []plotMark
	Axis         []string
}

// plotBar is a day. X and Width are in percent of the width.
type plotBar struct {
	X, Width, Y, Height float64
	Day, Mark           string
	Posts, Before       int
	Today               bool
}

type plotLine struct{ X1, X2, Y1, Y2 float64 }

// plotMark is the number of a spike above its day.
type plotMark struct {
	N    int
	X, Y float64
}

// Grid are the heights of the lines of the axis.
func (p trendPlot) Grid() []float64 { return []float64{p.y(0), p.y(p.Top / 2), p.y(p.Top)} }

// Half is the number between 0 and the top of the axis.
func (p trendPlot) Half() int { return p.Top / 2 }

// spikeView is a day with many more posts than usual.
type spikeView struct {
	N          int
	Day, Group string
	Posts      int
	Usual      string
	Words      []string
	Href       string
}

// trendsParams are the filters in an address of the page.
var trendsParams = []string{"days", "list", "by", "all"}

// Choices of the page. The one without a value is that of an address without the filter.
var (
	trendDays = []choice{{Value: "7", Name: "trends.7_days"}, {Name: "trends.30_days"}, {Value: "90", Name: "trends.90_days"}}
	trendBys  = []choice{
		{Name: "common.watchlists"}, {Value: string(trend.ByKeyword), Name: "trends.keywords"}, {Value: string(trend.BySentiment), Name: "common.sentiment"},
		{Value: string(trend.ByLanguage), Name: "common.languages"}, {Value: string(trend.ByLabel), Name: "trends.labels"}, {Value: string(trend.ByLevel), Name: "trends.levels"},
	}
)

const (
	maxTrendRows    = 8 // groups that are shown at first: those with the most posts
	trendHeight     = 176
	trendRowHeight  = 32
	maxTrendMarks   = 5 // spikes that are numbered and listed
	markRoom        = 20
	trendBarPercent = 72 // of the room of a day
	maxDates        = 4  // days that are named one by one
)

// readTrends reads an address: the number of days, and the query of both periods.
func readTrends(q url.Values, now time.Time) (days int, named []string, query trend.Query, err error) {
	days = usualDays
	if value := q.Get("days"); value != "" {
		if days, err = strconv.Atoi(value); err != nil || days < 1 || 2*days > trend.MaxIntervals {
			return 0, nil, query, watchpost.Errorf(watchpost.Invalid, "Days are a number from 1 to %d.", trend.MaxIntervals/2)
		}
	}
	query.Interval, query.By = trend.Day, trend.By(cmp.Or(q.Get("by"), string(trend.ByWatchlist)))
	if !slices.Contains(trend.Groupings, query.By) {
		return 0, nil, query, watchpost.Errorf(watchpost.Invalid, "Posts are not compared by that.")
	}
	if list := q.Get("list"); list != "" {
		named = []string{list}
	}
	query.To = trend.Day.Begin(now).AddDate(0, 0, 1)
	query.From = query.To.AddDate(0, 0, -2*days)
	return days, named, query, nil
}

// askTrends counts the posts of both periods that an address selects.
func (d feedPages) askTrends(r *http.Request, v *visit) (s trendShower, query trend.Query, err error) {
	days, named, query, err := readTrends(r.URL.Query(), d.Clock.Now())
	if err != nil {
		return s, query, err
	}
	s = trendShower{say: v.say, days: days, from: query.To.AddDate(0, 0, -days), by: query.By, named: named}
	if s.counted, err = d.Registry.Trends(r.Context(), v.session.Team, named, query); err != nil {
		return s, query, err
	}
	if s.watchlists, err = actors.Ask(r.Context(), d.Registry, v.session.Team, actors.ListWatchlists{}); err != nil {
		return s, query, err
	}
	s.lists = byID(s.watchlists)
	return s, query, nil
}

func (d feedPages) trends(w http.ResponseWriter, r *http.Request, v *visit) error {
	s, query, err := d.askTrends(r, v)
	if err != nil {
		return err
	}
	bySentiment := query
	bySentiment.By = trend.BySentiment
	sentiments, err := d.Registry.Trends(r.Context(), v.session.Team, s.named, bySentiment)
	if err != nil {
		return err
	}
	missed, without, err := d.Registry.MissedDays(r.Context(), v.session.Team, s.named, s.from)
	if err != nil {
		return err
	}
	filters := pageFiltersOf(pathTrends, trendsParams, r.URL.Query())
	page := trendsPage{
		frame: frameOf(v, "trends", v.say.Text("layout.trends")), Here: filters.href(), CSV: pathTrends + ".csv?" + filters.values.Encode(), List: filters.values.Get("list"),
		Menus: []menu{filters.menu(v.say, v.say.Text("people.watchlist"), "list", listChoices(v.say, s.watchlists))}, Name: v.say.Text("trends.days_before", "days", plural(v.say, s.days, "day")),
		Dates: s.dates(), Missed: s.missed(missed, without), Plot: s.plot(s.counted.Counts, trendHeight, markRoom),
	}
	page.Periods, page.Tabs = filters.chips("days", withNames(v.say, trendDays)), filters.chips("by", withNames(v.say, trendBys))
	posts, before := sums(s.counted.Counts, s.days)
	page.Posts = trendCard{Value: v.say.Number(posts)}.against(v.say, posts, before)
	page.Negative = negativeCard(v.say, sentiments, s.days)
	page.Spikes = s.spikes(&s.counted, &page.Plot)
	for _, c := range page.Tabs {
		if c.On {
			page.By = c.Name
		}
	}
	page.compare(&s, filters)
	return renderLive(w, r, "trends.html", page)
}

// sums are the posts of the newest days of some counts, and those of as many before.
func sums(counts []int, days int) (now, before int) {
	for i, n := range counts {
		if i >= len(counts)-days {
			now += n
		} else {
			before += n
		}
	}
	return now, before
}

// against adds the changes.
func (c trendCard) against(say *words.Language, now, before int) trendCard {
	c.Up, c.Down = now > before, now < before
	switch {
	case before == 0 && now == 0:
		c.Change = say.Text("trends.none_before_either")
	case before == 0:
		c.Change = say.Text("trends.none_before")
	case now >= 10*before:
		c.Change = say.Text("trends.times_times_as_many_before_before", "times", now/before, "before", before)
	default:
		c.Change = say.Text("trends.percent_before_before", "percent", int(math.Round(math.Abs(float64(now-before))*100/float64(before))), "before", before)
	}
	return c
}

// negativeCard is the share of negative posts.
func negativeCard(say *words.Language, sentiments trend.Trend, days int) trendCard {
	all, allBefore := sums(sentiments.Counts, days)
	negative, negativeBefore := 0, 0
	for _, g := range sentiments.Groups {
		if g.Name == "negative" {
			negative, negativeBefore = sums(g.Counts, days)
		}
	}
	card := points(say, percent(negative, all), percent(negativeBefore, allBefore), allBefore)
	card.Bad = card.Up
	return card
}

// trendShower makes views of a trend of two periods.
type trendShower struct {
	say   *words.Language
	days  int
	from  time.Time // of the newer period
	lists map[watchpost.WatchlistID]watchpost.Watchlist
	by    trend.By
	named []string

	counted    trend.Trend
	watchlists []actors.WatchlistView
}

// dates names the days of both periods.
func (s *trendShower) dates() string {
	day := func(n int) string { return s.say.Date("date.day", s.from.AddDate(0, 0, n)) }
	return s.say.Text("trends.from_to_to_next_to_before", "from", day(0), "to", day(s.days-1), "before", day(-s.days), "until", day(-1))
}

// missed says on which days watchlists were not looked at, and how many; nil for no day.
func (s *trendShower) missed(days []time.Time, watchlists int) *missedView {
	if len(days) == 0 {
		return nil
	}
	dates := make([]string, len(days))
	for i, day := range days {
		dates[i] = s.say.Date("date.day", day)
	}
	view := &missedView{s.say.List(dates...), plural(s.say, watchlists, "watchlist")}
	if len(days) > maxDates {
		view.Days = s.say.Text("trends.days_between", "days", plural(s.say, len(days), "day"), "from", dates[0], "to", dates[len(days)-1])
	}
	return view
}

// y is the height of a number of posts in the drawing.
func (p trendPlot) y(posts int) float64 {
	return float64(p.Height) - float64(posts*(p.Height-p.Room))/float64(p.Top)
}

// plot draws the counts of both periods, with room for marks above.
func (s *trendShower) plot(counts []int, height, marks int) trendPlot {
	p := trendPlot{Height: height, Room: marks, Top: roundTop(slices.Max(counts))}
	before, now := counts[:s.days], counts[s.days:]
	room := 100 / float64(s.days)
	for i, n := range now {
		bar := plotBar{X: room * (float64(i) + (1-trendBarPercent/100.)/2), Width: room * trendBarPercent / 100, Y: p.y(n), Posts: n, Before: before[i], Today: i == s.days-1}
		bar.Height = float64(height) - bar.Y
		if bar.Day = s.say.Date("date.week_short", s.from.AddDate(0, 0, i)); bar.Today {
			bar.Day += " " + s.say.Text("trends.until_now")
		}
		p.Bars = append(p.Bars, bar)
		if i > 0 {
			p.Before = append(p.Before, plotLine{room * (float64(i) - 0.5), room * (float64(i) + 0.5), p.y(before[i-1]), p.y(before[i])})
		}
	}
	for _, i := range []int{0, s.days / 3, 2 * s.days / 3} {
		p.Axis = append(p.Axis, s.say.Date("date.short", s.from.AddDate(0, 0, i)))
	}
	p.Axis = append(p.Axis, s.say.Text("trends.today"))
	return p
}

// roundTop is a round number of posts, which is even, from a greatest one on.
func roundTop(most int) int {
	for size := 2; ; size *= 10 {
		for _, step := range []int{1, 2, 3, 5} {
			if step*size >= most {
				return step * size
			}
		}
	}
}

// spikes are the greatest spikes of the newer period, each day once: that of all posts
// before those of groups. They are marked in the drawing.
func (s *trendShower) spikes(t *trend.Trend, p *trendPlot) (views []spikeView) {
	seen := map[time.Time]bool{}
	for _, spike := range t.Worded() {
		if spike.At.Before(s.from) || seen[spike.At] || len(views) == maxTrendMarks {
			continue
		}
		seen[spike.At] = true
		for i := range t.Spikes {
			if t.Spikes[i].At.Equal(spike.At) && t.Spikes[i].Group == "" {
				spike = &t.Spikes[i]
			}
		}
		day := int(spike.At.Sub(s.from).Hours() / 24)
		bar := &p.Bars[day]
		v := spikeView{
			N: len(views) + 1, Day: s.say.Date("date.week_day", spike.At), Posts: spike.Count, Words: spike.Words,
			Usual: s.say.Number(int(math.Round(spike.Usual))),
		}
		q := url.Values{"start_date": {spike.At.Format(time.DateOnly)}, "end_date": {spike.At.Format(time.DateOnly)}}
		if len(s.named) > 0 {
			q["watchlist_id"] = s.named
		}
		if spike.Group != "" {
			v.Group = s.group(spike.Group, q)
		}
		v.Href = pathFeed + "?" + q.Encode()
		bar.Mark = s.say.Text("trends.spike_n", "n", v.N)
		p.Marks = append(p.Marks, plotMark{v.N, bar.X + bar.Width/2, bar.Y - markRoom/2})
		views = append(views, v)
	}
	return views
}

// group returns what people call a group, and adds its filter to the address of a feed.
func (s *trendShower) group(name string, q url.Values) string {
	switch s.by {
	case trend.ByWatchlist:
		q.Set("watchlist_id", name)
		return cmp.Or(s.lists[watchpost.WatchlistID(name)].Name, name)
	case trend.ByKeyword:
		q.Set("keyword", name)
	case trend.BySentiment:
		q.Set("sentiment", name)
		return s.say.Known(words.Sentence(name))
	case trend.ByLanguage:
		q.Set("lang", name)
		return s.say.Known(langcode.Name(name))
	case trend.ByLabel:
		q.Set("labels", name)
	case trend.ByLevel:
		q.Set("seniority_level", name)
	}
	return name
}
