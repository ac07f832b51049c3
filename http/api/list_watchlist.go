package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/internal/reference"
	"watchpost/watchpost"
)

// What people and company watchlists have in common: both follow a list.

// identifier is an element of profiles or companies. An element that is no string
// is dropped, like a string that names nothing.
type identifier string

// UnmarshalJSON implements json.Unmarshaler.
func (i *identifier) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*i = identifier(s)
	}
	return nil
}

func cleanIdentifiers(t watchpost.WatchlistType, given []identifier) ([]reference.Reference, error) {
	raw := make([]string, len(given))
	for i, g := range given {
		raw[i] = string(g)
	}
	return watchpost.CleanReferences(t, raw)
}

// follow makes a watchlist that follows a list. A list that the team does not
// know may be another team's.
func (s watchlists) follow(ctx context.Context, key *actors.IdempotencyKey, w watchpost.Watchlist, listID string, references []reference.Reference) (actors.Followed, error) {
	w.List = watchpost.ListID(listID)
	made, err := endpoint.SendOnce(ctx, s.Registry, key, actors.Follow{Watchlist: w, References: references})
	if err != nil && watchpost.KindOf(err) == watchpost.NotFound && watchpost.ValidID(listID) {
		if denied := s.Registry.ListAccess(ctx, endpoint.TeamOf(ctx), listID); denied != nil {
			return actors.Followed{}, denied
		}
	}
	return made, err
}

// withListErrors documents what a list that is not the team's leads to.
func withListErrors() fuego.RouteOption {
	return fuego.GroupOptions(
		endpoint.WithError(http.StatusForbidden, watchpost.TextAccessDenied),
		endpoint.WithError(http.StatusNotFound, watchpost.TextListNotFound))
}

type updateListWatchlistRequest struct {
	changedWatchlist
}

// updateListWatchlist serves the change of watchlists that follow a list. A
// disabled one takes every change.
func (s watchlists) updateListWatchlist(t watchpost.WatchlistType) func(*http.Request, updateListWatchlistRequest) (updateWatchlistReply, error) {
	return func(r *http.Request, request updateListWatchlistRequest) (updateWatchlistReply, error) {
		patch, err := request.fields().ForType(t)
		if err != nil {
			return updateWatchlistReply{}, err
		}
		reply, _, err := s.patchWatchlist(r.Context(), t, request.ID, patch)
		return reply, err
	}
}

// followedList is a list in the object of a watchlist that follows it.
type followedList struct {
	ID    watchpost.ListID `json:"id"`
	Name  string           `json:"name"`
	Count int              `json:"count" description:"its profiles or companies"`
}

// listWatchlistDetail is what people and company watchlists both show by
// themselves.
type listWatchlistDetail struct {
	Frequency       int                 `json:"fetchFreqInHours"`
	Lists           []followedList      `json:"lists" validate:"required"`
	Labels          []shownLabel        `json:"labels" validate:"required"`
	SlackURL        *string             `json:"slack_webhook_url"`
	DroppedThisWeek int                 `json:"dropped_this_week"`
	LastScanAt      *endpoint.Timestamp `json:"last_scan_at"`
	NextScanAt      *endpoint.Timestamp `json:"next_scan_at"`
}

func shownListWatchlist(view *actors.WatchlistView) listWatchlistDetail {
	w, l := &view.Watchlist, &view.List
	return listWatchlistDetail{
		Frequency: w.Frequency.Hours(), Lists: []followedList{{l.ID, l.Name, len(l.Entries)}}, Labels: shownLabels(w.Labels),
		SlackURL: textOrNil(w.SlackURL), DroppedThisWeek: view.DroppedThisWeek, LastScanAt: endpoint.TimestampOrNil(view.LastScanAt), NextScanAt: endpoint.TimestampOrNil(view.NextScanAt),
	}
}

// textOrNil returns nil for a text that is not there.
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
