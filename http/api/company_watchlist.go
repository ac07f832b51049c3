package api

import (
	"watchpost/actors"
	"watchpost/internal/reference"
	"watchpost/watchpost"
)

func (s watchlists) companyRoutes() {
	listRoutes(s, listWords{
		t: watchpost.CompanyWatchlist, path: "/api-company-watchlist", name: "Company", noun: "company",
		texts:  []string{"companies array is required and must not be empty", "No valid company identifiers provided"},
		limits: []string{"Your plan includes up to 200 tracked companies per watchlist.", textWatchlistQuota},
	}, createCompanyWatchlistRequest.follow, createdCompany, shownCompanies)
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

func (r createCompanyWatchlistRequest) follow() actors.Follow {
	return follow(r.watchlist(watchpost.CompanyWatchlist), r.ListID, r.references)
}

type createCompanyWatchlistReply struct {
	ID        watchpost.WatchlistID   `json:"id"`
	Name      string                  `json:"name"`
	Slug      string                  `json:"slug"`
	Type      watchpost.WatchlistType `json:"type" validate:"oneof=company"`
	Companies int                     `json:"companies_count" description:"companies of the list"`
	Created   bool                    `json:"created"`
	Tasks     int                     `json:"tasks_created" description:"companies that were not in the list before"`
	scanOutlook
}

func createdCompany(made *actors.Followed) createCompanyWatchlistReply {
	w := &made.Watchlist
	return createCompanyWatchlistReply{w.ID, w.Name, w.Slug(), w.Type, len(made.List.Entries), true, made.Added, outlookOf(&made.WatchlistView)}
}

// companyWatchlists is what GET answers.
type companyWatchlists struct{ oneOrAll }

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

// followedCompany is a company as the request named it.
type followedCompany followedProfile

func summarisedCompany(view *actors.WatchlistView) companyWatchlistSummary {
	return companyWatchlistSummary{commonSummary(view), len(view.List.Entries)}
}

func shownCompanies(one *actors.WatchlistView, all []actors.WatchlistView) companyWatchlists {
	if one != nil {
		return companyWatchlists{oneOrAll{companyWatchlistDetail{summarisedCompany(one), shownListWatchlist(one), entriesOf[followedCompany](&one.List)}}}
	}
	return companyWatchlists{oneOrAll{companyWatchlistList{summaries(all, summarisedCompany), len(all)}}}
}
