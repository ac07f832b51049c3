// Package trend counts posts by time and group, and finds the intervals with many more
// posts than usual. Query.Select defines the counts; package postindex counts faster.
package trend

import (
	"cmp"
	"math"
	"slices"
	"time"

	"watchpost/watchpost"
)

// Interval is a length of the intervals in which posts are counted.
type Interval string

// The intervals, which begin in UTC; a week begins on Monday.
const (
	Hour Interval = "hour"
	Day  Interval = "day"
	Week Interval = "week"
)

// Intervals are all of them.
var Intervals = []Interval{Hour, Day, Week}

// MaxIntervals bounds the intervals of a request.
const MaxIntervals = 400

// trendBaseline is the time before an interval by which a spike is judged.
const baseline = 28 * 24 * time.Hour

// Length returns the length of an interval.
func (i Interval) Length() time.Duration {
	switch i {
	case Hour:
		return time.Hour
	case Week:
		return 7 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// usual is the span of a trend that does not name its first day.
func (i Interval) usual() time.Duration {
	switch i {
	case Hour:
		return 3 * 24 * time.Hour
	case Week:
		return 12 * 7 * 24 * time.Hour
	}
	return 30 * 24 * time.Hour
}

// Begin returns the beginning of the interval that holds a moment.
func (i Interval) Begin(at time.Time) time.Time {
	switch i {
	case Hour:
		return at.UTC().Truncate(time.Hour)
	case Week:
		return watchpost.Weekly.Start(at)
	}
	return watchpost.Daily.Start(at)
}

// By is what posts are grouped by.
type By string

// The groupings.
const (
	ByNothing   By = ""
	ByWatchlist By = "watchlist"
	ByKeyword   By = "keyword"
	BySentiment By = "sentiment"
	ByLanguage  By = "language"
	ByLabel     By = "label"
	ByLevel     By = "seniority_level"
)

// Groupings are those that a request may name.
var Groupings = []By{ByWatchlist, ByKeyword, BySentiment, ByLanguage, ByLabel, ByLevel}

// MaxNames bounds the groups that are counted, TextTooManyGroups is the error of more.
const (
	MaxNames          = 2000
	TextTooManyGroups = "Too many keywords or labels, at most %d: name fewer watchlists"
)

// MaxGroups bounds the groups of a reply: those with the most posts.
const MaxGroups = 100

// Names returns the names of the groups that do not depend on the team.
func (b By) Names() []string {
	switch b {
	case BySentiment, ByLevel:
		return slices.Clone(watchpost.PostFilterOf(string(b)).Choices)
	}
	return nil
}

// Group returns the query that selects the posts of a group among those of q. A post may
// be in several groups, or in none.
func (b By) Group(q *watchpost.PostQuery, name string) *watchpost.PostQuery {
	group := &watchpost.PostQuery{Tagging: q.Tagging}
	if b == ByKeyword {
		group.Live = q.Live // matched by one of the watchlists asked for
	}
	b.narrow(group, name)
	return group
}

// narrow sets the filter of a group.
func (b By) narrow(q *watchpost.PostQuery, name string) {
	switch b {
	case ByWatchlist:
		q.Live = map[watchpost.WatchlistID]bool{watchpost.WatchlistID(name): true}
	case ByKeyword:
		q.Keyword = name
	case BySentiment:
		q.Sentiments = []string{name}
	case ByLanguage:
		q.Languages = []string{name}
	case ByLabel:
		q.Labels = []string{name}
	case ByLevel:
		q.Levels = []string{name}
	}
}

// Query is a request to GET /api-trends. Its posts are those of its PostQuery; From
// and To are whole intervals once Span has set them.
type Query struct {
	watchpost.PostQuery
	Interval Interval
	By       By
	Names    []string // of the groups
}

// Span sets From and To to the beginnings of the first interval and of the one behind the
// last. Without From there are as many as is usual, without To the last is that of now.
func (q *Query) Span(now time.Time) error {
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
		return watchpost.Errorf(watchpost.Invalid, "Invalid 'start_date'")
	case q.To.Year() > 2200:
		return watchpost.Errorf(watchpost.Invalid, "Invalid 'end_date'")
	}
	if n := q.To.Sub(q.From) / q.Interval.Length(); n > MaxIntervals {
		return watchpost.Errorf(watchpost.Invalid, "Too many intervals, at most %d: use a longer interval or fewer days", MaxIntervals)
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
func (q *Query) Counted() *watchpost.PostQuery {
	all := q.PostQuery
	all.From = q.From.Add(-baseline)
	return &all
}

// Before returns how many intervals are counted before From.
func (q *Query) Before() int { return int(baseline / q.Interval.Length()) }

// Intervals returns how many intervals are counted.
func (q *Query) Intervals() int {
	return q.Before() + int(q.To.Sub(q.From)/q.Interval.Length())
}

// Trend is the result of a query.
type Trend struct {
	From   time.Time
	Counts []int // of all posts, by interval
	Count  int
	Groups []Group // those with posts, most first, at most MaxGroups
	Left   int     // groups with posts that are left out
	// Mentions are the counts of all groups together, by interval, also of those that are
	// left out: a post counts once for each of its groups.
	Mentions []int
	Spikes   []Spike // the greatest, by time, then by group
}

// Group is a group of a trend.
type Group struct {
	Name   string
	Counts []int // by interval
	Count  int
}

// Spike is an interval with many more posts than the four weeks before give.
type Spike struct {
	Group            string // "" for all posts
	At               time.Time
	Count            int
	Usual, Deviation float64
	Words            []string // new in it, the most frequent first
}

// above returns how many deviations a spike lies above the median.
func (s *Spike) above() float64 { return (float64(s.Count) - s.Usual) / s.Deviation }

// MakeTrend makes the trend of counts: those of all posts, and of each group, by interval
// from the first that is counted.
func (q *Query) MakeTrend(all []int, groups [][]int) Trend {
	t := Trend{From: q.From, Counts: all[q.Before():]}
	t.Count, t.Mentions = sum(t.Counts), make([]int, len(t.Counts))
	t.Spikes = q.spikes("", all)
	for i, counts := range groups {
		g := Group{Name: q.Names[i], Counts: counts[q.Before():]}
		for at, n := range g.Counts {
			t.Mentions[at] += n
		}
		if g.Count = sum(g.Counts); g.Count > 0 {
			t.Groups = append(t.Groups, g)
			t.Spikes = append(t.Spikes, q.spikes(g.Name, counts)...)
		}
	}
	slices.SortFunc(t.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	if t.Left = max(0, len(t.Groups)-MaxGroups); t.Left > 0 {
		t.Groups = t.Groups[:MaxGroups]
	}
	slices.SortFunc(t.Spikes, func(a, b Spike) int {
		return cmp.Or(cmp.Compare(b.above(), a.above()), b.At.Compare(a.At), cmp.Compare(a.Group, b.Group))
	})
	t.Spikes = t.Spikes[:min(len(t.Spikes), maxSpikes)]
	slices.SortFunc(t.Spikes, func(a, b Spike) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Group, b.Group)) })
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
	maxSpikes  = 50
	leastSpike = 5 // posts
)

// spikes returns the intervals with more posts than three deviations above the median of
// those in the four weeks before: of an hour, that hour of each day. The deviation is the
// median one, as that of a normal distribution, and at least that of counts by chance.
// Intervals before the first post do not count, and half of the four weeks must count.
func (q *Query) spikes(group string, counts []int) (found []Spike) {
	first := slices.IndexFunc(counts, func(n int) bool { return n > 0 })
	step := 1
	if q.Interval == Hour {
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
			found = append(found, Spike{Group: group, At: q.From.Add(time.Duration(i-q.Before()) * q.Interval.Length()), Count: counts[i], Usual: usual, Deviation: deviation})
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
func (q *Query) Select(posts []*watchpost.Post) (all []int, groups [][]int) {
	counted, first := q.Counted(), q.Counted().From
	all, groups = make([]int, q.Intervals()), make([][]int, len(q.Names))
	of := make([]*watchpost.PostQuery, len(q.Names))
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
func (t *Trend) Worded() []*Spike {
	all := make([]*Spike, len(t.Spikes))
	for i := range t.Spikes {
		all[i] = &t.Spikes[i]
	}
	slices.SortStableFunc(all, func(a, b *Spike) int { return cmp.Compare(b.above(), a.above()) })
	return all[:min(len(all), MaxWordedSpikes)]
}

// Looked returns the queries of the posts whose words are compared: those of a spike, and
// those of the four weeks before: the latest page of each.
func (q *Query) Looked(s *Spike) (in, before watchpost.PostQuery) {
	in = q.PostQuery
	in.Order, in.Page, in.PageSize = watchpost.RecentFirst, 1, watchpost.MaxPageSize
	if s.Group != "" {
		q.By.narrow(&in, s.Group)
	}
	before = in
	in.From, in.To = s.At, s.At.Add(q.Interval.Length())
	before.From, before.To = s.At.Add(-baseline), s.At
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
