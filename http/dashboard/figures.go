package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchpost/actors"
	"watchpost/internal/csvrow"
	"watchpost/internal/words"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

// figures are the charts next to the feed, of the posts that its filters select: each
// counts within the same posts as the list.
type figures struct {
	say                  *words.Language
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
	g := &figures{say: f.say, now: now, last: now}
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
		of, g.Series = [][]string{f.named}, []series{{Name: f.say.Text("feed.posts_of_watchlists", "watchlists", plural(f.say, len(of), "watchlist"))}}
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
	g.Of = g.say.List(names...)
	for day := range barDays {
		row := dayRow{Name: g.say.Date("date.short", barDay(g.last, day))}
		if g.last.Equal(g.now) {
			row.Name = g.say.Date("date.weekday_short", barDay(g.last, day))
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
		p.Without = plural(f.say, all, "post")
		if all > 0 {
			p.Without = f.say.List(p.Without, f.say.Text("feed.percent_values", "percent", percent(kept, all), "values", strings.ToLower(strings.Join(set, f.say.Text("list.or")))))
		}
	}
	if m.Name == "lang" {
		slices.SortStableFunc(options, func(a, b choice) int { return cmp.Compare(b.Count, a.Count) })
		options = slices.DeleteFunc(options, func(c choice) bool { return c.Count == 0 })
	}
	if len(options) > most {
		rest := choice{Name: f.say.Text("feed.others")}
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
	return g.say.Text("feed.posts_per_day_from_to_to", "from", g.say.Date("date.day", barDay(g.last, 0)), "to", g.say.Date("date.day", g.last.UTC()))
}

// trendRow is a group, or the others together, which lead nowhere.
type trendRow struct {
	Value, Name, Href string
	Posts, Before     int
	Change            trendCard
	Share, Earlier    int // in percent of the mentions of a period, and of the one before
	Points            trendCard
	Plot              trendPlot
	counts            []int
}

// compare adds the groups of a trend: the largest, or all.
func (page *trendsPage) compare(s *trendShower, filters pageFilters) {
	most := maxTrendRows
	if filters.values.Get("all") != "" {
		most = trend.MaxGroups
	}
	page.Groups, page.Whole = s.groups(most), s.whole()
	for i := range page.Groups {
		row := &page.Groups[i]
		row.Plot = s.plot(row.counts, trendRowHeight, 0)
	}
	groups := len(s.counted.Groups)
	switch {
	case most == maxTrendRows && groups > most:
		page.All = &chip{Name: s.say.Text("trends.all", "n", groups), Href: filters.with(map[string]string{"all": "yes"}) + "#t-by"}
	case most > maxTrendRows:
		page.Fewer = &chip{Name: s.say.Text("feed.only_the_n_largest", "n", maxTrendRows), Href: filters.with(map[string]string{"all": ""}) + "#t-by"}
	}
	if len(page.Groups) > 0 && page.Groups[0].Posts > 0 {
		page.Loudest = page.Groups[0].Points
		page.Loudest.Of = page.Groups[0].Name
	}
}

// groups are the groups with the most posts in the newer period, at most most, and the
// others as one. Their shares add up: those of the others are what the shown ones leave.
func (s *trendShower) groups(most int) (rows []trendRow) {
	rest := slices.Clone(s.counted.Mentions)
	for i := range s.counted.Groups {
		g := &s.counted.Groups[i]
		rows = append(rows, s.row(g))
		for at, n := range g.Counts {
			rest[at] -= n
		}
	}
	slices.SortStableFunc(rows, func(a, b trendRow) int { return cmp.Compare(b.Posts, a.Posts) })
	others := trendRow{counts: rest}
	others.Posts, others.Before = sums(rest, s.days)
	var now, before []int
	for i := range rows {
		now, before = append(now, rows[i].Posts), append(before, rows[i].Before)
	}
	shares, earlier := trend.Shares(append(now, others.Posts)), trend.Shares(append(before, others.Before))
	others.Share, others.Earlier = shares[len(rows)], earlier[len(rows)]
	hidden := s.counted.Left
	for i := range rows {
		row := &rows[i]
		if row.Share, row.Earlier = shares[i], earlier[i]; i >= most {
			others.add(row)
			hidden++
		}
	}
	if rows = rows[:min(len(rows), most)]; hidden > 0 {
		others.Name = plural(s.say, hidden, "other")
		rows = append(rows, others)
	}
	_, mentions := sums(s.counted.Mentions, s.days)
	for i := range rows {
		row := &rows[i]
		row.Change = trendCard{}.against(s.say, row.Posts, row.Before)
		row.Points = points(s.say, row.Share, row.Earlier, mentions)
	}
	return rows
}

// add adds a group to the others.
func (r *trendRow) add(group *trendRow) {
	for at, n := range group.counts {
		r.counts[at] += n
	}
	r.Posts += group.Posts
	r.Before += group.Before
	r.Share += group.Share
	r.Earlier += group.Earlier
}

// row is a group without its share.
func (s *trendShower) row(g *trend.Group) trendRow {
	q := url.Values{"start_date": {s.from.Format(time.DateOnly)}}
	if len(s.named) > 0 {
		q["watchlist_id"] = s.named
	}
	row := trendRow{Value: g.Name, counts: g.Counts}
	row.Name = s.group(g.Name, q)
	row.Posts, row.Before = sums(g.Counts, s.days)
	row.Href = pathFeed + "?" + q.Encode()
	return row
}

// points is a share in percent, and by how many points it is another than before, when
// there were that many posts.
func points(say *words.Language, now, before, postsBefore int) trendCard {
	c := trendCard{Value: say.Text("number.percent", "percent", now), Change: say.Text("trends.none_before")}
	if postsBefore > 0 {
		c.Change = say.Text("feed.points_before_percent", "points", plural(say, max(now-before, before-now), "point"), "percent", before)
		c.Up, c.Down = now > before, now < before
	}
	return c
}

// wholes say what shares are parts of, where that is another number than the number of
// posts: a post of several groups counts in each, or one of none in no group.
var wholes = map[trend.By]string{
	trend.ByWatchlist: "feed.a_post_of_several_watchlists_counts",
	trend.ByKeyword:   "feed.a_post_of_several_keywords_counts",
	trend.ByLabel:     "feed.a_post_of_several_labels_counts",
	trend.BySentiment: "feed.shares_are_of_the_posts_whose",
	trend.ByLanguage:  "feed.shares_are_of_the_posts_whose_2",
	trend.ByLevel:     "feed.shares_are_of_the_posts_whose_3",
}

// whole says what the shares are parts of.
func (s *trendShower) whole() string {
	mentions, before := sums(s.counted.Mentions, s.days)
	arguments := []any{"mentions", plural(s.say, mentions, "mention"), "posts", plural(s.say, mentions, "post"), "before", before}
	if !slices.Equal(s.counted.Mentions, s.counted.Counts) {
		return s.say.Text(wholes[s.by], arguments...)
	}
	return s.say.Text("feed.shares_are_of_all_posts_before", arguments...)
}

// trendsCSV exports the numbers of a page of trends: a line for all posts and one for each
// group, with the posts of each day of both periods.
func (d feedPages) trendsCSV(w http.ResponseWriter, r *http.Request, v *visit) error {
	s, _, err := d.askTrends(r, v)
	if err != nil {
		return err
	}
	s.say = words.English() // programs read it
	head := []string{"group", "name", "posts", "posts_before", "share_percent", "share_before_percent"}
	for day := -s.days; day < s.days; day++ {
		head = append(head, s.from.AddDate(0, 0, day).Format(time.DateOnly))
	}
	line := func(rows []byte, counts []int, cells ...string) []byte {
		for _, n := range counts {
			cells = append(cells, strconv.Itoa(n))
		}
		return csvrow.Append(rows, cells...)
	}
	posts, before := sums(s.counted.Counts, s.days)
	rows := line(csvrow.Append(nil, head...), s.counted.Counts, "", s.say.Text("feed.all_posts"), strconv.Itoa(posts), strconv.Itoa(before), "", "")
	groups := s.groups(trend.MaxGroups)
	for i := range groups {
		g := &groups[i]
		rows = line(rows, g.counts, g.Value, g.Name, strconv.Itoa(g.Posts), strconv.Itoa(g.Before), strconv.Itoa(g.Share), strconv.Itoa(g.Earlier))
	}
	return writeCSV(w, "watchpost-trends.csv", rows)
}
