package api

import (
	"context"
	"encoding/json"
	"net/http"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/internal/reference"
	"watchpost/watchpost"
)

func (s watchlists) peopleRoutes() {
	const path, t = "/api-people-watchlist", watchpost.PeopleWatchlist
	endpoint.HandleCreate(s.API, path, s.createPeopleWatchlist, showCreatedPeopleWatchlist,
		s.Operation(endpoint.Teams, "createPeopleWatchlist", "Create a people watchlist", endpoint.TagWatchlists),
		withWatchlistBody("profiles array is required and must not be empty", "No valid profile identifiers provided"),
		endpoint.WithError(http.StatusPaymentRequired, "Your plan does not include tracked profiles. Upgrade your plan to track profiles.",
			"Your plan includes up to 200 tracked profiles per watchlist.", textWatchlistQuota),
		withListErrors())
	endpoint.Handle(s.API, http.MethodGet, path, s.getPeopleWatchlists,
		s.Operation(endpoint.Teams, "getPeopleWatchlist", "List people watchlists, or show one", endpoint.TagWatchlists),
		withShownID())
	endpoint.HandleBody(s.API, http.MethodPut, path, s.updateListWatchlist(t),
		s.Operation(endpoint.Teams, "updatePeopleWatchlist", "Change a people watchlist", endpoint.TagWatchlists),
		withPatchBody())
	endpoint.Handle(s.API, http.MethodDelete, path, s.deleteWatchlist(t),
		s.Operation(endpoint.Teams, "deletePeopleWatchlist", "Delete a people watchlist with the posts that only it collected", endpoint.TagWatchlists),
		withDeletedID())
}

type createPeopleWatchlistRequest struct {
	Profiles []identifier `json:"profiles" required:"profiles array is required and must not be empty" validate:"required" description:"URLs, slugs, URNs or URN ids"`
	newWatchlist
	ListID string `json:"list_id,omitempty" description:"a list of profiles to follow and add to, instead of a new one"`

	references []reference.Reference
}

// CleanField implements endpoint.FieldCleaner.
func (r *createPeopleWatchlistRequest) CleanField(name string) (err error) {
	if name != "profiles" {
		return r.newWatchlist.CleanField(name)
	}
	r.references, err = cleanIdentifiers(watchpost.PeopleWatchlist, r.Profiles)
	return err
}

type createPeopleWatchlistReply struct {
	ID       watchpost.WatchlistID   `json:"id"`
	Name     string                  `json:"name"`
	Slug     string                  `json:"slug"`
	Type     watchpost.WatchlistType `json:"type" validate:"oneof=people"`
	Profiles int                     `json:"profiles_count" description:"profiles of the list"`
	Created  bool                    `json:"created"`
	Tasks    int                     `json:"tasks_created" description:"profiles that were not in the list before"`
}

func (s watchlists) createPeopleWatchlist(ctx context.Context, key *actors.IdempotencyKey, request createPeopleWatchlistRequest) (actors.Followed, error) {
	return s.follow(ctx, key, request.watchlist(watchpost.PeopleWatchlist), request.ListID, request.references)
}

func showCreatedPeopleWatchlist(_ createPeopleWatchlistRequest, made actors.Followed) createPeopleWatchlistReply {
	w := &made.Watchlist
	return createPeopleWatchlistReply{w.ID, w.Name, w.Slug(), w.Type, len(made.List.Entries), true, made.Added}
}

func (s watchlists) getPeopleWatchlists(r *http.Request) (peopleWatchlists, error) {
	one, views, err := s.readWatchlists(r.Context(), r, watchpost.PeopleWatchlist)
	return peopleWatchlists{one, views}, err
}

// peopleWatchlists is what GET answers: one watchlist, or a list of them.
type peopleWatchlists struct {
	one   *actors.WatchlistView
	views []actors.WatchlistView
}

// MarshalJSON implements json.Marshaler.
func (p peopleWatchlists) MarshalJSON() ([]byte, error) {
	if p.one != nil {
		return json.Marshal(shownPeopleWatchlist(p.one))
	}
	list := peopleWatchlistList{Watchlists: make([]peopleWatchlistSummary, len(p.views)), Count: len(p.views)}
	for i := range p.views {
		list.Watchlists[i] = summarisedPeople(&p.views[i])
	}
	return json.Marshal(list)
}

// peopleWatchlistSummary is a people watchlist in a list.
type peopleWatchlistSummary struct {
	watchlistSummary
	Profiles int `json:"profiles_count"`
}

type peopleWatchlistList struct {
	Watchlists []peopleWatchlistSummary `json:"watchlists" validate:"required"`
	Count      int                      `json:"count"`
}

// peopleWatchlistDetail is a people watchlist by itself.
type peopleWatchlistDetail struct {
	peopleWatchlistSummary
	listWatchlistDetail
	Profiles []followedProfile `json:"profiles" validate:"required"`
}

// followedProfile is a profile as the request named it: by one of slug and urn.
type followedProfile struct {
	ID   watchpost.EntryID `json:"id"`
	Slug *string           `json:"slug"`
	URN  *string           `json:"urn"`
}

func summarisedPeople(view *actors.WatchlistView) peopleWatchlistSummary {
	return peopleWatchlistSummary{commonSummary(&view.Watchlist), len(view.List.Entries)}
}

func shownPeopleWatchlist(view *actors.WatchlistView) peopleWatchlistDetail {
	profiles := make([]followedProfile, len(view.List.Entries))
	for i, e := range view.List.Entries {
		profiles[i] = followedProfile{e.ID, textOrNil(e.Reference.Slug), textOrNil(e.Reference.URN())}
	}
	return peopleWatchlistDetail{summarisedPeople(view), shownListWatchlist(view), profiles}
}
