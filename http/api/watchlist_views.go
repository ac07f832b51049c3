package api

import (
	"encoding/json"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// keywordWatchlists is what GET answers: one watchlist, or a list of them.
type keywordWatchlists struct {
	one   *actors.WatchlistView
	views []actors.WatchlistView
}

// MarshalJSON implements json.Marshaler.
func (w keywordWatchlists) MarshalJSON() ([]byte, error) {
	if w.one != nil {
		return json.Marshal(shownKeywordWatchlist(*w.one))
	}
	return json.Marshal(listedKeywordWatchlists(w.views))
}

// watchlistSummary is what watchlists of all types show in a list.
type watchlistSummary struct {
	ID          watchpost.WatchlistID   `json:"id"`
	Name        string                  `json:"name"`
	Slug        string                  `json:"slug"`
	Type        watchpost.WatchlistType `json:"type"`
	Description string                  `json:"description"`
	Disabled    bool                    `json:"disabled"`
	CreatedAt   endpoint.Timestamp      `json:"createdAt"`
	scanWait
}

func commonSummary(view *actors.WatchlistView) watchlistSummary {
	w := &view.Watchlist
	return watchlistSummary{
		scanWait: waitOf(view), ID: w.ID, Name: w.Name, Slug: w.Slug(), Type: w.Type, Description: w.Description, Disabled: w.Disabled, CreatedAt: endpoint.TimestampOf(w.CreatedAt),
	}
}

// keywordWatchlistSummary is a keyword or forum watchlist in a list.
type keywordWatchlistSummary struct {
	watchlistSummary
	Frequency int      `json:"fetchFreqInHours"`
	Keywords  []string `json:"keywords" validate:"required"`
}

type keywordWatchlistList struct {
	Watchlists []keywordWatchlistSummary `json:"watchlists" validate:"required"`
	Count      int                       `json:"count"`
}

// keywordWatchlistDetail is a keyword watchlist by itself.
type keywordWatchlistDetail struct {
	keywordWatchlistSummary
	Tracking  []trackedKeyword `json:"keyword_tracking" validate:"required"`
	Labels    []shownLabel     `json:"labels" validate:"required"`
	Objective string           `json:"objective"`
	shownWatchlistConditions
	Prompt          string              `json:"prompt,omitempty"`
	SlackURL        *string             `json:"slack_webhook_url"`
	DroppedThisWeek int                 `json:"dropped_this_week"`
	LastScanAt      *endpoint.Timestamp `json:"last_scan_at"`
	NextScanAt      *endpoint.Timestamp `json:"next_scan_at"`
}

// shownWatchlistConditions are the conditions of a watchlist in replies.
type shownWatchlistConditions struct {
	Languages []string `json:"languages" validate:"required" description:"codes of languages, any of them; empty: all"`
	Levels    []string `json:"seniority_levels" validate:"required"`
	Types     []string `json:"post_types" validate:"required" description:"kinds of post, any of them; empty: all"`
}

func showWatchlistConditions(c *watchpost.WatchlistConditions) shownWatchlistConditions {
	return shownWatchlistConditions{textsOrNone(c.Languages), textsOrNone(c.Levels), textsOrNone(c.Types)}
}

type trackedKeyword struct {
	ID       watchpost.EntryID `json:"keyword_id"`
	Keyword  string            `json:"keyword"`
	Required []string          `json:"required_keywords" validate:"required"`
	Excluded []string          `json:"exclude_keywords" validate:"required"`
	All      bool              `json:"include_all_required" description:"false: one of required_keywords is enough"`
}

type shownLabel struct {
	Key         string `json:"key"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Default     bool   `json:"default"`
}

func listedKeywordWatchlists(views []actors.WatchlistView) keywordWatchlistList {
	list := keywordWatchlistList{Watchlists: make([]keywordWatchlistSummary, len(views)), Count: len(views)}
	for i := range views {
		list.Watchlists[i] = summarised(&views[i])
	}
	return list
}

func summarised(view *actors.WatchlistView) keywordWatchlistSummary {
	w := &view.Watchlist
	return keywordWatchlistSummary{commonSummary(view), w.Frequency.Hours(), watchpost.KeywordTexts(w.Keywords)}
}

func shownKeywordWatchlist(view actors.WatchlistView) keywordWatchlistDetail {
	w := &view.Watchlist
	detail := keywordWatchlistDetail{
		keywordWatchlistSummary:  summarised(&view),
		Tracking:                 make([]trackedKeyword, len(w.Keywords)),
		Labels:                   shownLabels(w.Labels),
		Objective:                w.Objective,
		shownWatchlistConditions: showWatchlistConditions(&w.Conditions),
		Prompt:                   w.Prompt,
		SlackURL:                 textOrNil(w.SlackURL),
		LastScanAt:               endpoint.TimestampOrNil(view.LastScanAt),
		NextScanAt:               endpoint.TimestampOrNil(view.NextScanAt),
		DroppedThisWeek:          view.DroppedThisWeek,
	}
	for i, e := range w.Keywords {
		detail.Tracking[i] = trackedKeyword{e.ID, e.Keyword, endpoint.Whole(e.Required), endpoint.Whole(e.Excluded), !e.AnyRequired}
	}
	return detail
}

func shownLabels(list []watchpost.Label) []shownLabel {
	shown := make([]shownLabel, len(list))
	for i, l := range list {
		shown[i] = shownLabel{l.Name, l.Name, l.Description, l.Default}
	}
	return shown
}
