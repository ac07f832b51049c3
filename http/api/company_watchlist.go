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

func (s watchlists) companyRoutes() {
	const path, t = "/api-company-watchlist", watchpost.CompanyWatchlist
	endpoint.HandleCreate(s.API, path, s.createCompanyWatchlist, showCreatedCompanyWatchlist,
		s.Operation(endpoint.Teams, "createCompanyWatchlist", "Create a company watchlist", endpoint.TagWatchlists),
		withWatchlistBody("companies array is required and must not be empty", "No valid company identifiers provided"),
		endpoint.WithError(http.StatusPaymentRequired, "Your plan includes up to 200 tracked companies per watchlist.", textWatchlistQuota),
		withListErrors())
	endpoint.Handle(s.API, http.MethodGet, path, s.getCompanyWatchlists,
		s.Operation(endpoint.Teams, "getCompanyWatchlist", "List company watchlists, or show one", endpoint.TagWatchlists),
		withShownID())
	endpoint.HandleBody(s.API, http.MethodPut, path, s.updateListWatchlist(t),
		s.Operation(endpoint.Teams, "updateCompanyWatchlist", "Change a company watchlist", endpoint.TagWatchlists),
		withPatchBody())
	endpoint.Handle(s.API, http.MethodDelete, path, s.deleteWatchlist(t),
		s.Operation(endpoint.Teams, "deleteCompanyWatchlist", "Delete a company watchlist with the posts that only it collected", endpoint.TagWatchlists),
		withDeletedID())
}

type createCompanyWatchlistRequest struct {
	Companies []identifier `json:"companies" required:"companies array is required and must not be empty" validate:"required" description:"URLs, slugs, URNs or numbers"`
	newWatchlist
	ListID string `json:"list_id,omitempty" description:"a list of companies to follow and add to, instead of a new one"`

	references []reference.Reference
}

// CleanField implements endpoint.FieldCleaner.
func (r *createCompanyWatchlistRequest) CleanField(name string) (err error) {
	if name != "companies" {
		return r.newWatchlist.CleanField(name)
	}
	r.references, err = cleanIdentifiers(watchpost.CompanyWatchlist, r.Companies)
	return err
}

type createCompanyWatchlistReply struct {
	ID        watchpost.WatchlistID   `json:"id"`
	Name      string                  `json:"name"`
	Slug      string                  `json:"slug"`
	Type      watchpost.WatchlistType `json:"type" validate:"oneof=company"`
	Companies int                     `json:"companies_count" description:"companies of the list"`
	Created   bool                    `json:"created"`
	Tasks     int                     `json:"tasks_created" description:"companies that were not in the list before"`
}

func (s watchlists) createCompanyWatchlist(ctx context.Context, key *actors.IdempotencyKey, request createCompanyWatchlistRequest) (actors.Followed, error) {
	return s.follow(ctx, key, request.watchlist(watchpost.CompanyWatchlist), request.ListID, request.references)
}

func showCreatedCompanyWatchlist(_ createCompanyWatchlistRequest, made actors.Followed) createCompanyWatchlistReply {
	w := &made.Watchlist
	return createCompanyWatchlistReply{w.ID, w.Name, w.Slug(), w.Type, len(made.List.Entries), true, made.Added}
}

func (s watchlists) getCompanyWatchlists(r *http.Request) (companyWatchlists, error) {
	one, views, err := s.readWatchlists(r.Context(), r, watchpost.CompanyWatchlist)
	return companyWatchlists{one, views}, err
}

// companyWatchlists is what GET answers: one watchlist, or a list of them.
type companyWatchlists struct {
	one   *actors.WatchlistView
	views []actors.WatchlistView
}

// MarshalJSON implements json.Marshaler.
func (p companyWatchlists) MarshalJSON() ([]byte, error) {
	if p.one != nil {
		return json.Marshal(shownCompanyWatchlist(p.one))
	}
	list := companyWatchlistList{Watchlists: make([]companyWatchlistSummary, len(p.views)), Count: len(p.views)}
	for i := range p.views {
		list.Watchlists[i] = summarisedCompany(&p.views[i])
	}
	return json.Marshal(list)
}

// companyWatchlistSummary is a company watchlist in a list.
type companyWatchlistSummary struct {
	watchlistSummary
	Companies int `json:"companies_count"`
}

type companyWatchlistList struct {
	Watchlists []companyWatchlistSummary `json:"watchlists" validate:"required"`
	Count      int                       `json:"count"`
}

// companyWatchlistDetail is a company watchlist by itself.
type companyWatchlistDetail struct {
	companyWatchlistSummary
	listWatchlistDetail
	Companies []followedCompany `json:"companies" validate:"required"`
}

// followedCompany is a company as the request named it: by one of slug and urn.
type followedCompany struct {
	ID   watchpost.EntryID `json:"id"`
	Slug *string           `json:"slug"`
	URN  *string           `json:"urn"`
}

func summarisedCompany(view *actors.WatchlistView) companyWatchlistSummary {
	return companyWatchlistSummary{commonSummary(&view.Watchlist), len(view.List.Entries)}
}

func shownCompanyWatchlist(view *actors.WatchlistView) companyWatchlistDetail {
	companies := make([]followedCompany, len(view.List.Entries))
	for i, e := range view.List.Entries {
		companies[i] = followedCompany{e.ID, textOrNil(e.Reference.Slug), textOrNil(e.Reference.URN())}
	}
	return companyWatchlistDetail{summarisedCompany(view), shownListWatchlist(view), companies}
}
