package mcp

import (
	"fmt"

	"watchpost/watchpost/trend"
)

var figureTools = []tool{{
	name: "get_trends", title: "Show trends", does: reads, routes: []string{"GET /api-trends"},
	about: "Count posts by hour, day or week (UTC), in groups; spikes are intervals far above the four weeks before, with words that are new in them.",
	params: []param{
		{name: "interval", kind: text, allowed: namesOf(trend.Intervals), about: "default day"},
		{name: "by", kind: text, allowed: namesOf(trend.Groupings)},
		{name: "watchlist_id", kind: list},
		{name: "search_term", kind: text},
		{name: "start_date", kind: text, about: "default: 30 days ago"},
		{name: "end_date", kind: text},
	},
	run: getTrends,
}, {
	name: "get_forecast", title: "Forecast tasks", does: reads, routes: []string{"GET /api-forecast"},
	about: "Say when waiting tasks will be done within the accounts' allowances, and tasks that you think of adding. Ask before many.",
	params: []param{
		{name: "add", kind: list, about: "as agent_profile_fetch:300"},
	},
	run: getForecast,
}, {
	name: "get_coverage", title: "Show coverage", does: reads, routes: []string{"GET /api-coverage"},
	about: "Say by watchlist and day (UTC) which scans were done, failed or wait, and what they found. Only a complete day without posts means that nobody posted.",
	params: []param{
		{name: "watchlist_id", kind: list},
		{name: "start_date", kind: text, about: "default: 7 days"},
		{name: "end_date", kind: text},
		{name: "page", kind: number},
	},
	run: getCoverage,
}}

func namesOf[T ~string](of []T) (names []string) {
	for _, name := range of {
		names = append(names, string(name))
	}
	return names
}

// trendReply is what the tools show of a trend.
type trendReply struct {
	Intervals []map[string]any `json:"intervals"` // those with posts
	Groups    []trendGroup     `json:"groups,omitempty"`
	Spikes    []trendSpike     `json:"spikes,omitempty"`
}

type trendGroup struct {
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Share float64 `json:"share"`
}

type trendSpike struct {
	Group *string    `json:"group"` // nil: all posts
	At    string     `json:"at"`
	Count int        `json:"count"`
	Usual float64    `json:"usual"`
	Words trendWords `json:"content_of_others"`
}

type trendWords struct {
	New []string `json:"new_words,omitempty"`
}

// maxShownGroups bounds the groups that are shown: those with the most posts.
const maxShownGroups = 20

func getTrends(c *call) (result, error) {
	var reply struct {
		trendReply
		Intervals []struct {
			At    string
			Count int
		} `json:"intervals"`
		Spikes []struct {
			trendSpike
			Words []string `json:"words"`
		} `json:"spikes"`
		Count int
	}
	if err := c.get("/api-trends", query(c.args), &reply); err != nil {
		return result{}, err
	}
	shown := trendReply{Groups: reply.Groups[:min(len(reply.Groups), maxShownGroups)], Intervals: []map[string]any{}}
	for _, interval := range reply.Intervals {
		if interval.Count > 0 {
			shown.Intervals = append(shown.Intervals, map[string]any{"at": interval.At, "count": interval.Count})
		}
	}
	for _, s := range reply.Spikes {
		for _, word := range s.Words {
			s.trendSpike.Words.New = append(s.trendSpike.Words.New, foreign(word))
		}
		shown.Spikes = append(shown.Spikes, s.trendSpike)
	}
	note := fmt.Sprintf("%d posts; intervals without posts are left out, and %d of %d groups are shown.", reply.Count, len(shown.Groups), len(reply.Groups))
	return result{note: note, data: shown, foreign: true}, nil
}

func getForecast(c *call) (result, error) {
	var reply struct {
		Actions []map[string]any
	}
	if err := c.get("/api-forecast", query(c.args), &reply); err != nil {
		return result{}, err
	}
	shown := []map[string]any{}
	for _, a := range reply.Actions {
		if a["waiting"] != 0.0 || a["added"] != 0.0 {
			shown = append(shown, a)
		}
	}
	return result{note: "done_at is the earliest moment at which the last may begin; expiring ones would not begin within seven days. Actions without work are left out.", data: shown}, nil
}

func getCoverage(c *call) (result, error) {
	var reply struct {
		Data  []map[string]any
		Count int
	}
	if err := c.get("/api-coverage", query(c.args), &reply); err != nil {
		return result{}, err
	}
	for _, row := range reply.Data {
		if scans, _ := row["scans"].(map[string]any); scans["waiting"] == 0.0 {
			delete(scans, "waiting_reason")
			delete(scans, "not_before")
		}
	}
	return result{note: fmt.Sprintf("%d of %d rows, the newest day first.", len(reply.Data), reply.Count), data: reply.Data}, nil
}
