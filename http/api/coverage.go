package api

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/actors/insight"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const (
	textFailedCoverage = "Failed to fetch coverage"
	coverageDays       = 7 // without a range
)

func (s coverage) routes() {
	number, text := openapi3.NewIntegerSchema, openapi3.NewStringSchema
	endpoint.Handle(s.API, http.MethodGet, "/api-coverage", s.getCoverage,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getCoverage", "Ask what the scans of watchlists have seen, by day", endpoint.TagPosts),
		endpoint.Query("watchlist_id", "watchlists that are asked for; none: all", openapi3.NewArraySchema().WithItems(text())),
		endpoint.Query("start_date", fmt.Sprintf("first day (UTC): a date, or a moment whose day counts; absent: %d days up to the last", coverageDays), text()),
		endpoint.Query("end_date", "last day (UTC): a date, or a moment whose day counts; absent: today", text()),
		endpoint.Query("page", "from 1; the alias `current_page` is accepted", number().WithMin(1).WithDefault(1)),
		endpoint.Query("page_size", fmt.Sprintf("rows per page; above %d it is %d", watchpost.MaxPageSize, watchpost.MaxPageSize), number().WithMin(1).WithDefault(watchpost.MaxPageSize)),
		endpoint.WithError(http.StatusBadRequest, "Invalid watchlist ID(s)", "Invalid 'start_date'", "Invalid 'end_date'", "Invalid 'page'", "Invalid 'page_size'",
			textTooManyDays),
		endpoint.WithError(http.StatusForbidden, watchpost.TextAccessDenied),
		endpoint.WithError(http.StatusInternalServerError, textFailedCoverage))
}

// textTooManyDays refuses a longer range of days than is kept.
var textTooManyDays = fmt.Sprintf("Too many days, at most %d", watchpost.CoverageDays)

// coverageScans are the scans of a day.
type coverageScans struct {
	Planned   int                      `json:"planned" description:"scans that the watchlist asked for in a whole day, when the last one ended; without one, what it asks for now"`
	Done      int                      `json:"done" description:"scans that ended in the day; those of its list, for people and companies"`
	Shared    int                      `json:"shared" description:"of those done, scans that other watchlists had too"`
	Failed    int                      `json:"failed" description:"scans that failed in the day"`
	Waiting   int                      `json:"waiting" description:"scans that are due now, also those under way; 0 of earlier days"`
	Why       *watchpost.PendingReason `json:"waiting_reason" description:"why they wait; null: none does"`
	NotBefore *endpoint.Timestamp      `json:"not_before" description:"when that may change at the earliest, if it is known"`
}

// coveragePosts are the posts that the scans of a day brought: each that was found is
// kept, known or dropped.
type coveragePosts struct {
	Found     int `json:"found" description:"posts that the network showed; each scan counts them again"`
	Kept      int `json:"kept" description:"posts that were new to the watchlist"`
	Known     int `json:"known" description:"posts that the watchlist had, or had dropped, before"`
	Dropped   int `json:"dropped" description:"the other posts: the words of the watchlist do not match, its conditions are not met, or the limit of the week was reached"`
	OverLimit int `json:"over_limit" description:"of those dropped, posts beyond the limit of the week"`
}

// coverageRow is a day of a watchlist.
type coverageRow struct {
	Day       string                `json:"day" example:"2030-01-31" description:"the day (UTC)"`
	Watchlist watchpost.WatchlistID `json:"watchlist_id"`
	Name      string                `json:"watchlist_name" description:"name of the watchlist"`
	Scans     coverageScans         `json:"scans" description:"scans of the day"`
	Posts     coveragePosts         `json:"posts" description:"posts that the scans of the day brought"`
	Complete  bool                  `json:"complete" description:"every post of the day was searched for until its end: when there is none, nobody posted"`
	Until     *endpoint.Timestamp   `json:"complete_until" description:"from the beginning of the day until then every post was searched for; null: not from the beginning"`
}

type coverageReply struct {
	Data  []coverageRow `json:"data" validate:"required" description:"days of watchlists, the newest day first"`
	Count int           `json:"count" description:"rows on all pages"`
}

func (s coverage) getCoverage(r *http.Request) (coverageReply, error) {
	p := endpoint.ReadParams(r)
	named := p.List("watchlist_id")
	q := insight.CoverageQuery{Page: p.Page(), PageSize: min(p.Number("page_size", watchpost.MaxPageSize, math.MaxInt), watchpost.MaxPageSize)}
	q.From, q.To = readDays(p)
	if p.Err != nil {
		return coverageReply{}, p.Err
	}
	if err := completeDays(&q, s.Clock.Now()); err != nil {
		return coverageReply{}, err
	}
	page, err := s.Registry.Coverage(r.Context(), endpoint.TeamOf(r.Context()), named, q)
	if err != nil {
		return coverageReply{}, endpoint.Failed(textFailedCoverage, err)
	}
	reply := coverageReply{Data: make([]coverageRow, len(page.Days)), Count: page.Count}
	for i := range page.Days {
		reply.Data[i] = showCoverage(&page.Days[i])
	}
	return reply, nil
}

// completeDays fills in the range of days that a request does not name. No day is after
// today.
func completeDays(q *insight.CoverageQuery, now time.Time) error {
	tomorrow := watchpost.Daily.Reset(now)
	if q.To.IsZero() || q.To.After(tomorrow) {
		q.To = tomorrow
	}
	if q.From.IsZero() {
		q.From = q.To.AddDate(0, 0, -coverageDays)
	}
	if q.To.Sub(q.From) > watchpost.CoverageDays*24*time.Hour {
		return watchpost.Errorf(watchpost.Invalid, "%s", textTooManyDays)
	}
	return nil
}

func showCoverage(c *insight.Coverage) coverageRow {
	row := coverageRow{
		Day: c.Day.Format(time.DateOnly), Watchlist: c.Watchlist.ID, Name: c.Watchlist.Name, Complete: c.Complete(),
		Scans: coverageScans{
			Planned: c.Scans.Planned, Done: c.Scans.Done, Shared: c.Scans.Shared, Failed: c.Scans.Failed,
			Waiting: c.State.Waiting, NotBefore: endpoint.TimestampOrNil(c.State.NotBefore),
		},
		Posts: coveragePosts{
			Found: c.Posts.Found, Kept: c.Posts.Kept, Known: c.Posts.Known,
			Dropped: c.Posts.Found - c.Posts.Kept - c.Posts.Known, OverLimit: c.Posts.Dropped,
		},
		Until: endpoint.TimestampOrNil(c.Until),
	}
	if c.State.Why != "" {
		row.Scans.Why = &c.State.Why
	}
	return row
}
