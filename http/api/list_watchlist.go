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

// listWords are what tells people and company watchlists apart, which both follow a
// list: they are one resource in two vocabularies.
type listWords struct {
	t                watchpost.WatchlistType
	path, name, noun string
	texts, limits    []string // errors of the entries, and of plans
}

// listRoutes serves watchlists that follow a list. B is the body of a POST, M its
// reply, A what GET answers: one watchlist, or all of them.
func listRoutes[B, M, A any](s watchlists, w listWords, asks func(B) actors.Follow, made func(*actors.Followed) M, shown func(one *actors.WatchlistView, all []actors.WatchlistView) A) {
	endpoint.HandleCreate(s.API, w.path, func(ctx context.Context, key *actors.IdempotencyKey, body B) (actors.Followed, error) {
		return s.follow(ctx, key, asks(body))
	}, func(_ B, m actors.Followed) M { return made(&m) },
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "create"+w.name+"Watchlist", "Create a "+w.noun+" watchlist", endpoint.TagWatchlists),
		withWatchlistBody(w.texts...), endpoint.WithError(http.StatusPaymentRequired, w.limits...), withListErrors())
	endpoint.Handle(s.API, http.MethodGet, w.path, func(r *http.Request) (A, error) {
		one, all, err := s.readWatchlists(r.Context(), r, w.t)
		if err != nil {
			var none A
			return none, err
		}
		return shown(one, all), nil
	}, s.Operation(endpoint.Teams(watchpost.ScopeRead), "get"+w.name+"Watchlist", "List "+w.noun+" watchlists, or show one", endpoint.TagWatchlists), withShownID())
	endpoint.HandleBody(s.API, http.MethodPut, w.path, s.updateListWatchlist(w.t),
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "update"+w.name+"Watchlist", "Change a "+w.noun+" watchlist", endpoint.TagWatchlists), withPatchBody(), endpoint.WithError(http.StatusConflict, textDisabled))
	endpoint.Handle(s.API, http.MethodDelete, w.path, s.deleteWatchlist(w.t),
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "delete"+w.name+"Watchlist", "Delete a "+w.noun+" watchlist with the posts that only it collected", endpoint.TagWatchlists), withDeletedID())
}

// oneOrAll is what GET answers: one watchlist, or a list of them.
type oneOrAll struct{ shown any }

// MarshalJSON implements json.Marshaler.
func (o oneOrAll) MarshalJSON() ([]byte, error) { return json.Marshal(o.shown) }

func summaries[S any](views []actors.WatchlistView, summary func(*actors.WatchlistView) S) []S {
	all := make([]S, len(views))
	for i := range views {
		all[i] = summary(&views[i])
	}
	return all
}

// entriesOf are the entries of a list as the requests named them.
func entriesOf[E followedProfile | followedCompany](l *watchpost.List) []E {
	entries := make([]E, len(l.Entries))
	for i, e := range l.Entries {
		entries[i] = E(followedProfile{e.ID, textOrNil(e.Reference.Slug), textOrNil(e.Reference.URN())})
	}
	return entries
}

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

// follow is the request for a watchlist that follows a list.
func follow(w watchpost.Watchlist, list string, references []reference.Reference) actors.Follow {
	w.List = watchpost.ListID(list)
	return actors.Follow{Watchlist: w, References: references}
}

// follow makes a watchlist that follows a list. A list that the team does not
// know may be another team's.
func (s watchlists) follow(ctx context.Context, key *actors.IdempotencyKey, request actors.Follow) (actors.Followed, error) {
	made, err := endpoint.SendOnce(ctx, s.Registry, key, request)
	if list := string(request.Watchlist.List); err != nil && watchpost.KindOf(err) == watchpost.NotFound && watchpost.ValidID(list) {
		if denied := s.Registry.ListAccess(ctx, endpoint.TeamOf(ctx), list); denied != nil {
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
