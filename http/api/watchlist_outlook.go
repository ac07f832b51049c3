package api

import (
	"context"
	"math"
	"strings"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/internal/text"
	"watchpost/watchpost"
)

// scanOutlook is the forecast of the scans in replies to a create and an update.
type scanOutlook struct {
	ScansPerDay    int      `json:"scans_per_day" example:"4" description:"scans that the watchlist needs in a day; 0 while it is disabled"`
	CapacityPerDay *int     `json:"capacity_per_day" example:"60" description:"such scans that the team's accounts, those active within 48 hours, may do in a day, for all watchlists; null: there is no limit"`
	Warnings       []string `json:"warnings" validate:"required" description:"where this will do less than the request says"`
}

// scanWait tells in replies to a read how often the entries are scanned, and what the scans
// that are due wait for.
type scanWait struct {
	Reason    *watchpost.PendingReason `json:"waiting_reason" description:"why scans that are due are not done, as pending_reason of a task; null: none is due"`
	NotBefore *endpoint.Timestamp      `json:"not_before" description:"until when they wait at least; null: not known"`
	Interval  *float64                 `json:"scan_interval_hours" example:"20" description:"hours between two scans of an entry, as the allowances of the team's active accounts and its other watchlists let them be; null: no scan can be expected"`
}

func waitOf(view *actors.WatchlistView) (w scanWait) {
	if view.Waits != "" {
		w.Reason, w.NotBefore = &view.Waits, endpoint.TimestampOrNil(view.NotBefore)
	}
	if view.Outlook.Interval > 0 {
		hours := math.Round(view.Outlook.Interval.Hours()*10) / 10
		w.Interval = &hours
	}
	return w
}

func outlookOf(view *actors.WatchlistView) scanOutlook {
	o := scanOutlook{ScansPerDay: view.Outlook.PerDay, Warnings: endpoint.Whole(view.Warnings)}
	if view.Outlook.Limited {
		o.CapacityPerDay = &view.Outlook.Capacity
	}
	return o
}

// addPhraseWarnings adds to the warnings of an update.
func (s watchlists) addPhraseWarnings(ctx context.Context, reply *updateWatchlistReply, entries []watchpost.KeywordEntry) error {
	warnings, err := s.phraseWarnings(ctx, entries)
	reply.Warnings = append(reply.Warnings, warnings...)
	return err
}

// phraseWarnings warns of keywords of several words that no stored post contains.
func (s watchlists) phraseWarnings(ctx context.Context, entries []watchpost.KeywordEntry) (warnings []string, err error) {
	stored := -1
	for _, e := range entries {
		phrase, err := text.ParseSearch(`"` + e.Keyword + `"`)
		if !e.Phrase() || strings.Contains(e.Keyword, `"`) || err != nil || phrase.Zero() {
			continue
		}
		if stored < 0 {
			all, err := s.Registry.Posts(ctx, endpoint.TeamOf(ctx), nil, watchpost.PostQuery{PageSize: 1})
			if err != nil {
				return nil, err
			}
			stored = all.Count
		}
		if stored == 0 {
			break
		}
		found, err := s.Registry.Posts(ctx, endpoint.TeamOf(ctx), nil, watchpost.PostQuery{PageSize: 1, Search: phrase})
		if err != nil {
			return nil, err
		}
		if found.Count == 0 {
			warnings = append(warnings, watchpost.PhraseWarning(e.Keyword, stored))
		}
	}
	return warnings, nil
}
