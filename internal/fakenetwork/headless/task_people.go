package headless

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"watchpost/internal/fakenetwork/page"
	"watchpost/watchpost"
)

// foundProfile is an element of the output of agent_profiles_search.
type foundProfile struct {
	Name        string     `json:"name"`
	Headline    string     `json:"headline"`
	Location    string     `json:"location"`
	ProfileSlug string     `json:"profile_slug"`
	ProfileURN  string     `json:"profile_urn"`
	Degree      int        `json:"degree"`
	ConnectedAt *time.Time `json:"connected_at,omitempty"` // connections only
}

// foundProfiles converts the members of a page.
func foundProfiles(people []page.Person) []foundProfile {
	out := []foundProfile{}
	for _, p := range people {
		out = append(out, foundProfile{
			Name: p.Name, Headline: p.Headline, Location: p.Location, ProfileSlug: p.Slug, ProfileURN: p.URN,
			Degree: p.Degree, ConnectedAt: p.ConnectedAt,
		})
	}
	return out
}

// searchProfiles implements agent_profiles_search.
func searchProfiles(ctx context.Context, r *run) (any, error) {
	var in watchpost.SearchInput
	if err := decode(r.in, &in); err != nil {
		return nil, err
	}
	query := url.Values{
		"geo_urn": in.GeoURN, "current_company": in.CurrentCompany, "industry": in.Industry,
		"past_company": in.PastCompany, "profile_language": in.ProfileLanguage,
	}
	for name, value := range map[string]string{
		"keywords": in.Keywords, "title": in.Title, "company": in.Company,
		"first_name": in.FirstName, "last_name": in.LastName, "school": in.School, "location": in.Location,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if in.Count > 0 {
		query.Set("count", strconv.Itoa(in.Count))
	}
	data, err := r.net.get(ctx, "/search/people", query, page.KindPeople)
	if err != nil {
		return nil, err
	}
	return struct {
		Profiles []foundProfile `json:"profiles"`
		Total    int            `json:"total"`
	}{foundProfiles(data.People), data.Paging.Total}, nil
}

// fetchConnections implements agent_connections_fetch.
func fetchConnections(ctx context.Context, r *run) (any, error) {
	var in watchpost.ConnectionsInput
	if err := decode(r.in, &in); err != nil {
		return nil, err
	}
	query := url.Values{"keyword": {in.Keyword}, "sort": {in.SortType}, "start": {strconv.Itoa(in.Start)}}
	if in.Count > 0 {
		query.Set("count", strconv.Itoa(in.Count))
	}
	data, err := r.net.get(ctx, "/connections", query, page.KindConnections)
	if err != nil {
		return nil, err
	}
	return struct {
		Connections []foundProfile `json:"connections"`
		Total       int            `json:"total"`
	}{foundProfiles(data.People), data.Paging.Total}, nil
}
