package trend

import (
	"slices"
	"time"

	"watchpost/watchpost"
)

// AlertTrial is how far back it is tried how often an alert would have told.
const AlertTrial = 90 * 24 * time.Hour

// AlertFrom returns the first of the days that an alert judges at now; ok is false if there
// is none. since is when the first post came that it has not judged: posts of the day before
// may come with it. told is the last day that it has told of, or must not tell of.
func AlertFrom(since, told, now time.Time) (from time.Time, ok bool) {
	from = later(Day.Begin(since), Day.Begin(now.Add(-AlertTrial))).AddDate(0, 0, -1)
	from = later(from, Day.Begin(told).AddDate(0, 0, 1))
	return from, !from.After(now)
}

// AlertQuery returns the query whose counts judge the days of an alert, from that of from to
// that of now. The last day is judged by the posts that it has so far.
func AlertQuery(posts watchpost.PostQuery, from, now time.Time) Query {
	q := Query{PostQuery: posts, Interval: Day}
	q.From, q.To = Day.Begin(from), Day.Begin(now).AddDate(0, 0, 1)
	return q
}

// Alerts returns the days of which an alert tells, the oldest first: spikes with at least
// minimum posts. counts are of all posts, by day from the first that is counted.
func (q *Query) Alerts(counts []int, minimum int) []Spike {
	return slices.DeleteFunc(q.spikes("", counts), func(s Spike) bool { return s.Count < minimum })
}
