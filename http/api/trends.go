package api

import (
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
	"watchpost/watchpost/trend"
)

const textFailedTrends = "Failed to fetch trends"

func (s trends) routes() {
	text := openapi3.NewStringSchema
	endpoint.Handle(s.API, http.MethodGet, "/api-trends", s.getTrends,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getTrends", "Count the posts that watchlists collected, by time and group", endpoint.TagPosts),
		watchlistParam(),
		endpoint.Query("interval", "length of the intervals, which begin in UTC", text().WithEnum(endpoint.TextsOf(trend.Intervals...)...).WithDefault("day")),
		endpoint.Query("by", "what posts are grouped by; absent: nothing", text().WithEnum(endpoint.TextsOf(trend.Groupings...)...)),
		filterParams(),
		filterErrors("Invalid 'interval': use "+endpoint.InWords(trend.Intervals, "or"), "Invalid 'by': use "+endpoint.InWords(trend.Groupings, "or"), "Invalid 'end_date'",
			fmt.Sprintf("Too many intervals, at most %d: use a longer interval or fewer days", trend.MaxIntervals),
			fmt.Sprintf(trend.TextTooManyGroups, trend.MaxNames)),
		endpoint.WithError(http.StatusInternalServerError, textFailedTrends))
}

// trendInterval is an interval of a trend.
type trendInterval struct {
	At    endpoint.Timestamp `json:"at" description:"when the interval begins"`
	Count int                `json:"count" description:"posts of the interval that the filters select"`
}

// trendGroup is a group of a trend.
type trendGroup struct {
	Name   string  `json:"name" description:"the id of a watchlist, keyword, sentiment, language, label or level"`
	Count  int     `json:"count" description:"posts of the group in all intervals"`
	Share  float64 `json:"share" description:"of all posts that the filters select, from 0 to 1"`
	Counts []int   `json:"counts" validate:"required" description:"posts of the group in each of intervals"`
}

// trendSpike is a spike of a trend.
type trendSpike struct {
	Group     *string            `json:"group" description:"name of the group; null: all posts"`
	At        endpoint.Timestamp `json:"at" description:"when the interval begins"`
	Count     int                `json:"count" description:"posts of the interval"`
	Usual     float64            `json:"usual" description:"median of the intervals of the four weeks before; of hours: of the same hour of the day"`
	Deviation float64            `json:"deviation" description:"median deviation of them, as that of a normal distribution, at least the root of usual; a spike is more than three above usual"`
	Words     []string           `json:"words" validate:"required" description:"up to five words that are new in the posts of the spike; only the ten greatest spikes have some"`
}

type trendsReply struct {
	Intervals []trendInterval `json:"intervals" validate:"required" description:"all intervals, the oldest first"`
	Groups    []trendGroup    `json:"groups" validate:"required" description:"groups with posts, those with most first, at most 100"`
	Left      int             `json:"groups_left_out" description:"groups with posts beyond these"`
	Spikes    []trendSpike    `json:"spikes" validate:"required" description:"intervals with many more posts than the four weeks before give, the oldest first; of more than 50 the greatest"`
	Count     int             `json:"count" description:"posts of all intervals"`
}

func (s trends) getTrends(r *http.Request) (trendsReply, error) {
	named, q, err := readTrendQuery(endpoint.ReadParams(r))
	if err != nil {
		return trendsReply{}, err
	}
	found, err := s.Registry.Trends(r.Context(), endpoint.TeamOf(r.Context()), named, q)
	if err != nil {
		return trendsReply{}, endpoint.Failed(textFailedTrends, err)
	}
	return showTrend(&found, q.Interval), nil
}

// readTrendQuery reads the parameters of GET /api-trends.
func readTrendQuery(p *endpoint.Params) (named []string, q trend.Query, err error) {
	named = readPostFilters(p, &q.PostQuery)
	q.Interval = trend.Day
	if given := trend.Interval(p.One("interval")); given != "" {
		if q.Interval = given; !slices.Contains(trend.Intervals, given) {
			p.RefuseValue("interval", namesOf(trend.Intervals))
		}
	}
	if q.By = trend.By(p.One("by")); q.By != "" && !slices.Contains(trend.Groupings, q.By) {
		p.RefuseValue("by", namesOf(trend.Groupings))
	}
	return named, q, p.Err
}

func namesOf[T ~string](of []T) (all []string) {
	for _, v := range of {
		all = append(all, string(v))
	}
	return all
}

func showTrend(t *trend.Trend, interval trend.Interval) trendsReply {
	reply := trendsReply{
		Intervals: make([]trendInterval, len(t.Counts)), Groups: make([]trendGroup, len(t.Groups)), Left: t.Left,
		Spikes: make([]trendSpike, len(t.Spikes)), Count: t.Count,
	}
	at := t.From
	for i, n := range t.Counts {
		reply.Intervals[i] = trendInterval{endpoint.TimestampOf(at), n}
		at = at.Add(interval.Length())
	}
	for i, g := range t.Groups {
		reply.Groups[i] = trendGroup{g.Name, g.Count, rounded(float64(g.Count) / float64(t.Count)), g.Counts}
	}
	for i := range t.Spikes {
		s := &t.Spikes[i]
		shown := trendSpike{nil, endpoint.TimestampOf(s.At), s.Count, s.Usual, rounded(s.Deviation), endpoint.Whole(s.Words)}
		if s.Group != "" {
			shown.Group = &s.Group
		}
		reply.Spikes[i] = shown
	}
	return reply
}

// rounded returns a number with four decimal places.
func rounded(n float64) float64 { return math.Round(n*1e4) / 1e4 }
