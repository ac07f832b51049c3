package trend

import (
	"slices"
	"time"

	"watchpost/watchpost"
)

// alertSpan is how far back an alert judges days. It counts the posts of all of them, also to
// judge the last one only: whether a watchlist is old enough to be judged depends on where
// counting begins, and a trial has to agree with the messages.
const alertSpan = 90 * 24 * time.Hour

// AlertFrom returns the first of the days that an alert judges at now; ok is false if there
// is none. since is when the first post came that it has not judged: posts of the day before
// may come with it. told is the last day that it has reported, or must not report.
func AlertFrom(since, told, now time.Time) (from time.Time, ok bool) {
	from = later(Day.Begin(since).AddDate(0, 0, -1), AlertTrial(now))
	from = later(from, Day.Begin(told).AddDate(0, 0, 1))
	return from, !from.After(now)
}

// AlertTrial returns the first of the days that an alert may judge at now: it is tried how
// often it would have told since then.
func AlertTrial(now time.Time) time.Time { return Day.Begin(now.Add(-alertSpan)).AddDate(0, 0, 1) }

// AlertQuery returns the query whose counts judge the days of an alert at now. The last day
// is judged by the posts that it has so far.
func AlertQuery(posts watchpost.PostQuery, now time.Time) Query {
	q := Query{PostQuery: posts, Interval: Day}
	q.From, q.To = AlertTrial(now), Day.Begin(now).AddDate(0, 0, 1)
	return q
}

// Alerts returns the days that an alert reports, from that of from on, the oldest first:
// spikes with at least minimum posts. counts are of all posts, by day from the first that is
// counted.
func (q *Query) Alerts(counts []int, from time.Time, minimum int) []Spike {
	return slices.DeleteFunc(q.spikes("", counts), func(s Spike) bool { return s.At.Before(from) || s.Count < minimum })
}
