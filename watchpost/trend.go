package watchpost

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// TrendInterval is a length of the intervals in which posts are counted.
type TrendInterval string

// The intervals, which begin in UTC; a week begins on Monday.
const (
	TrendHour TrendInterval = "hour"
	TrendDay  TrendInterval = "day"
	TrendWeek TrendInterval = "week"
)

// TrendIntervals are all of them.
var TrendIntervals = []TrendInterval{TrendHour, TrendDay, TrendWeek}

// MaxTrendIntervals bounds the intervals of a request.
const MaxTrendIntervals = 400

// trendBaseline is the time before an interval by which a spike is judged.
const trendBaseline = 28 * 24 * time.Hour

// Length returns the length of an interval.
func (i TrendInterval) Length() time.Duration {
	switch i {
	case TrendHour:
		return time.Hour
	case TrendWeek:
		return 7 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// usual is the span of a trend that does not name its first day.
func (i TrendInterval) usual() time.Duration {
	switch i {
	case TrendHour:
		return 3 * 24 * time.Hour
	case TrendWeek:
		return 12 * 7 * 24 * time.Hour
	}
	return 30 * 24 * time.Hour
}

// Begin returns the beginning of the interval that holds a moment.
func (i TrendInterval) Begin(at time.Time) time.Time {
	switch i {
	case TrendHour:
		return at.UTC().Truncate(time.Hour)
	case TrendWeek:
		return Weekly.Start(at)
	}
	return Daily.Start(at)
}

// TrendBy is what posts are grouped by.
type TrendBy string

// The groupings.
const (
	TrendByNothing   TrendBy = ""
	TrendByWatchlist TrendBy = "watchlist"
	TrendByKeyword   TrendBy = "keyword"
	TrendBySentiment TrendBy = "sentiment"
	TrendByLanguage  TrendBy = "language"
	TrendByLabel     TrendBy = "label"
	TrendByLevel     TrendBy = "seniority_level"
)

// TrendGroupings are those that a request may name.
var TrendGroupings = []TrendBy{TrendByWatchlist, TrendByKeyword, TrendBySentiment, TrendByLanguage, TrendByLabel, TrendByLevel}

// MaxTrendNames bounds the groups that are counted, TextTooManyGroups is the error of more.
const (
	MaxTrendNames     = 2000
	TextTooManyGroups = "Too many keywords or labels, at most %d: name fewer watchlists"
)

// MaxTrendGroups bounds the groups of a reply: those with the most posts.
const MaxTrendGroups = 100

// Names returns the names of the groups that do not depend on the team.
func (b TrendBy) Names() []string {
	switch b {
	case TrendBySentiment:
		return slices.Clone(sentimentChoices)
	case TrendByLevel:
		return slices.Clone(seniorityChoices)
	}
	return nil
}

// Group returns the query that selects the posts of a group among those of q. A post may
// be in several groups, or in none.
func (b TrendBy) Group(q *PostQuery, name string) *PostQuery {
	group := &PostQuery{Tagging: q.Tagging}
	if b == TrendByKeyword {
		group.Live = q.Live // matched by one of the watchlists asked for
	}
	b.narrow(group, name)
	return group
}

// narrow sets the filter of a group.
func (b TrendBy) narrow(q *PostQuery, name string) {
	switch b {
	case TrendByWatchlist:
		q.Live = map[WatchlistID]bool{WatchlistID(name): true}
	case TrendByKeyword:
		q.Keyword = name
	case TrendBySentiment:
		q.Sentiments = []string{name}
	case TrendByLanguage:
		q.Languages = []string{name}
	case TrendByLabel:
		q.Labels = []string{name}
	case TrendByLevel:
		q.Levels = []string{name}
	}
}

// TrendQuery is a request to GET /api-trends. Its posts are those of PostQuery; From and
// To are whole intervals once Span has set them.
type TrendQuery struct {
	PostQuery
	Interval TrendInterval
	By       TrendBy
	Names    []string // of the groups
}

// Span sets From and To to the beginnings of the first interval and of the one behind the
// last. Without From there are as many as is usual, without To the last is that of now.
func (q *TrendQuery) Span(now time.Time) error {
	to := now
	if !q.To.IsZero() {
		to = q.To.Add(-1)
	}
	q.To = q.Interval.Begin(to).Add(q.Interval.Length())
	if q.From.IsZero() {
		q.From = q.To.Add(-q.Interval.usual())
	}
	q.From = q.Interval.Begin(q.From)
	switch {
	case q.From.Year() < 1900:
		return Errorf(Invalid, "Invalid 'start_date'")
	case q.To.Year() > 2200:
		return Errorf(Invalid, "Invalid 'end_date'")
	}
	if n := q.To.Sub(q.From) / q.Interval.Length(); n > MaxTrendIntervals {
		return Errorf(Invalid, "Too many intervals, at most %d: use a longer interval or fewer days", MaxTrendIntervals)
	}
	q.To = later(q.To, q.From)
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Counted returns the query of all posts that are counted: those of the intervals and of
// the four weeks before them.
func (q *TrendQuery) Counted() *PostQuery {
	all := q.PostQuery
	all.From = q.From.Add(-trendBaseline)
	return &all
}

// Before returns how many intervals are counted before From.
func (q *TrendQuery) Before() int { return int(trendBaseline / q.Interval.Length()) }

// Intervals returns how many intervals are counted.
func (q *TrendQuery) Intervals() int {
	return q.Before() + int(q.To.Sub(q.From)/q.Interval.Length())
}

// Trend is the result of a query.
type Trend struct {
	From   time.Time
	Counts []int // of all posts, by interval
	Count  int
	Groups []TrendGroup // those with posts, most first, at most MaxTrendGroups
	Left   int          // groups with posts that are left out
	Spikes []TrendSpike // the greatest, by time, then by group
}

// TrendGroup is a group of a trend.
type TrendGroup struct {
	Name   string
	Counts []int // by interval
	Count  int
}

// TrendSpike is an interval with many more posts than the four weeks before give.
type TrendSpike struct {
	Group            string // "" for all posts
	At               time.Time
	Count            int
	Usual, Deviation float64
	Words            []string // new in it, the most frequent first
}

// above returns how many deviations a spike lies above the median.
func (s *TrendSpike) above() float64 { return (float64(s.Count) - s.Usual) / s.Deviation }

// MakeTrend makes the trend of counts: those of all posts, and of each group, by interval
// from the first that is counted.
func (q *TrendQuery) MakeTrend(all []int, groups [][]int) Trend {
	t := Trend{From: q.From, Counts: all[q.Before():]}
	t.Count = sum(t.Counts)
	t.Spikes = q.spikes("", all)
	for i, counts := range groups {
		g := TrendGroup{Name: q.Names[i], Counts: counts[q.Before():]}
		if g.Count = sum(g.Counts); g.Count > 0 {
			t.Groups = append(t.Groups, g)
			t.Spikes = append(t.Spikes, q.spikes(g.Name, counts)...)
		}
	}
	slices.SortFunc(t.Groups, func(a, b TrendGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	if t.Left = max(0, len(t.Groups)-MaxTrendGroups); t.Left > 0 {
		t.Groups = t.Groups[:MaxTrendGroups]
	}
	slices.SortFunc(t.Spikes, func(a, b TrendSpike) int {
		return cmp.Or(cmp.Compare(b.above(), a.above()), b.At.Compare(a.At), cmp.Compare(a.Group, b.Group))
	})
	t.Spikes = t.Spikes[:min(len(t.Spikes), maxTrendSpikes)]
	slices.SortFunc(t.Spikes, func(a, b TrendSpike) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Group, b.Group)) })
	return t
}

func sum(counts []int) (n int) {
	for _, count := range counts {
		n += count
	}
	return n
}

// Bounds of spikes.
const (
	maxTrendSpikes = 50
	leastSpike     = 5 // posts
)

// spikes returns the intervals with more posts than three deviations above the median of
// those in the four weeks before: of an hour, that hour of each day. The deviation is the
// median one, as that of a normal distribution, and at least that of counts by chance.
// Intervals before the first post do not count, and half of the four weeks must count.
func (q *TrendQuery) spikes(group string, counts []int) (found []TrendSpike) {
	first := slices.IndexFunc(counts, func(n int) bool { return n > 0 })
	step := 1
	if q.Interval == TrendHour {
		step = 24
	}
	samples := make([]float64, 0, q.Before()/step)
	for i := q.Before(); i < len(counts); i++ {
		if counts[i] < leastSpike {
			continue
		}
		samples = samples[:0]
		enough, high := mostUsual(counts[i]), 0
		for at := i - step; at >= max(first, i-q.Before()); at -= step {
			sample := float64(counts[at])
			if samples = append(samples, sample); sample >= enough {
				high++
			}
		}
		if 2*len(samples) < q.Before()/step || 2*high > len(samples) { // to sort them would cost more than to count the posts
			continue
		}
		usual := median(samples)
		for n := range samples {
			samples[n] = math.Abs(samples[n] - usual)
		}
		deviation := max(1.4826*median(samples), math.Sqrt(max(usual, 1)))
		if float64(counts[i]) > usual+3*deviation {
			found = append(found, TrendSpike{Group: group, At: q.From.Add(time.Duration(i-q.Before()) * q.Interval.Length()), Count: counts[i], Usual: usual, Deviation: deviation})
		}
	}
	return found
}

// mostUsual returns the usual count from which on a count, at least leastSpike, is no spike,
// as the deviation of counts by chance is their root: the u of u + 3√u = count.
func mostUsual(count int) float64 {
	root := (math.Sqrt(9+4*float64(count)) - 3) / 2
	return root * root
}

// median returns the median of numbers, which it sorts.
func median(of []float64) float64 {
	slices.Sort(of)
	n := len(of)
	return (of[(n-1)/2] + of[n/2]) / 2
}

// Select defines the meaning of a query: it returns the counts of all posts and of each
// group, by interval from the first that is counted.
func (q *TrendQuery) Select(posts []*Post) (all []int, groups [][]int) {
	counted, first := q.Counted(), q.Counted().From
	all, groups = make([]int, q.Intervals()), make([][]int, len(q.Names))
	of := make([]*PostQuery, len(q.Names))
	for i, name := range q.Names {
		groups[i], of[i] = make([]int, q.Intervals()), q.By.Group(&q.PostQuery, name)
	}
	for _, p := range posts {
		if !counted.Matches(p) {
			continue
		}
		interval := int(p.PostedAt.Sub(first) / q.Interval.Length())
		all[interval]++
		for i := range of {
			if of[i].Matches(p) {
				groups[i][interval]++
			}
		}
	}
	return all, groups
}

// Bounds of the words of spikes.
const (
	MaxWordedSpikes = 10 // spikes that have words: the greatest
	maxSpikeWords   = 5
	leastWord       = 3 // posts
	leastShare      = 0.1
	newShare        = 4 // times the share before
)

// Worded returns the spikes whose words are asked for: the greatest by deviations.
func (t *Trend) Worded() []*TrendSpike {
	all := make([]*TrendSpike, len(t.Spikes))
	for i := range t.Spikes {
		all[i] = &t.Spikes[i]
	}
	slices.SortStableFunc(all, func(a, b *TrendSpike) int { return cmp.Compare(b.above(), a.above()) })
	return all[:min(len(all), MaxWordedSpikes)]
}

// Looked returns the queries of the posts whose words are compared: those of a spike, and
// those of the four weeks before: the latest page of each.
func (q *TrendQuery) Looked(s *TrendSpike) (in, before PostQuery) {
	in = q.PostQuery
	in.Order, in.Page, in.PageSize = RecentFirst, 1, MaxPageSize
	if s.Group != "" {
		q.By.narrow(&in, s.Group)
	}
	before = in
	in.From, in.To = s.At, s.At.Add(q.Interval.Length())
	before.From, before.To = s.At.Add(-trendBaseline), s.At
	return in, before
}

// NewWords returns the words that are new in posts: they are in many of them, and in few
// of the posts before. A post is given by its words, each once.
func NewWords(in, before [][]string) (words []string) {
	now, past := wordCounts(in), wordCounts(before)
	for word, n := range now {
		share := float64(n) / float64(len(in))
		if n >= leastWord && share >= leastShare && newShare*float64(past[word])*float64(len(in)) <= float64(n)*float64(len(before)) {
			words = append(words, word)
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(now[b], now[a]), cmp.Compare(a, b)) })
	return words[:min(len(words), maxSpikeWords)]
}

// wordCounts counts the posts in which each word is.
func wordCounts(posts [][]string) map[string]int {
	counts := map[string]int{}
	for _, words := range posts {
		for _, word := range words {
			counts[word]++
		}
	}
	return counts
}
