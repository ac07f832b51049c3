package api

import (
	"watchpost/actors"
	"watchpost/internal/reference"
	"watchpost/watchpost"
)

func (s watchlists) peopleRoutes() {
	listRoutes(s, listWords{
		t: watchpost.PeopleWatchlist, path: "/api-people-watchlist", name: "People", noun: "people",
		texts: []string{"profiles array is required and must not be empty", "No valid profile identifiers provided"},
		limits: []string{"Your plan does not include tracked profiles. Upgrade your plan to track profiles.",
			"Your plan includes up to 200 tracked profiles per watchlist.", textWatchlistQuota},
	}, createPeopleWatchlistRequest.follow, createdPeople, shownPeople)
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

func (r createPeopleWatchlistRequest) follow() actors.Follow {
	return follow(r.watchlist(watchpost.PeopleWatchlist), r.ListID, r.references)
}

type createPeopleWatchlistReply struct {
	ID       watchpost.WatchlistID   `json:"id"`
	Name     string                  `json:"name"`
	Slug     string                  `json:"slug"`
	Type     watchpost.WatchlistType `json:"type" validate:"oneof=people"`
	Profiles int                     `json:"profiles_count" description:"profiles of the list"`
	Created  bool                    `json:"created"`
	Tasks    int                     `json:"tasks_created" description:"profiles that were not in the list before"`
	scanOutlook
}

func createdPeople(made *actors.Followed) createPeopleWatchlistReply {
	w := &made.Watchlist
	return createPeopleWatchlistReply{w.ID, w.Name, w.Slug(), w.Type, len(made.List.Entries), true, made.Added, outlookOf(&made.WatchlistView)}
}

// peopleWatchlists is what GET answers.
type peopleWatchlists struct{ oneOrAll }

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
	return peopleWatchlistSummary{commonSummary(view), len(view.List.Entries)}
}

func shownPeople(one *actors.WatchlistView, all []actors.WatchlistView) peopleWatchlists {
	if one != nil {
		return peopleWatchlists{oneOrAll{peopleWatchlistDetail{summarisedPeople(one), shownListWatchlist(one), entriesOf[followedProfile](&one.List)}}}
	}
	return peopleWatchlists{oneOrAll{peopleWatchlistList{summaries(all, summarisedPeople), len(all)}}}
}
