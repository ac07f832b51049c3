package headless

import (
	"context"

	"watchpost/internal/fakenetwork/page"
	"watchpost/watchpost"
)

// profileOutput is the output of agent_profile_fetch.
type profileOutput struct {
	Name        string           `json:"name"`
	Headline    string           `json:"headline"`
	Location    string           `json:"location"`
	ProfileURL  string           `json:"profile_url"`
	Connections int              `json:"connections"`
	Followers   int              `json:"followers"`
	About       string           `json:"about"`
	Experience  []page.Position  `json:"experience"`
	Education   []page.Education `json:"education"`
	Skills      []string         `json:"skills"`
	ProfileURN  string           `json:"profile_urn"`
	ProfileSlug string           `json:"profile_slug"`
	Profile     profileCard      `json:"profile"`
}

// profileCard is the profile part of that output.
type profileCard struct {
	ProfileURN  string         `json:"profile_urn"`
	ProfileSlug string         `json:"profile_slug"`
	FullName    string         `json:"full_name"`
	Headline    string         `json:"headline"`
	Location    string         `json:"location"`
	Positions   []cardPosition `json:"positions"`
}

type cardPosition struct {
	Title       string `json:"title"`
	CompanyName string `json:"company_name"`
	Location    string `json:"location"`
	StartYear   int    `json:"start_year"`
	StartMonth  int    `json:"start_month"`
	EndYear     int    `json:"end_year"`
	EndMonth    int    `json:"end_month"`
	IsCurrent   bool   `json:"is_current"`
}

// fetchProfile implements agent_profile_fetch.
func fetchProfile(ctx context.Context, r *run) (any, error) {
	var in watchpost.ProfileInput
	if err := decode(r.in, &in); err != nil {
		return nil, err
	}
	path, err := memberPath(in.Slug)
	if err != nil {
		return nil, err
	}
	data, err := r.net.get(ctx, path, nil, page.KindProfile)
	if err != nil {
		return nil, err
	}
	p := data.Profile
	out := profileOutput{
		Name: p.Name, Headline: p.Headline, Location: p.Location, ProfileURL: r.net.absolute("/in/" + p.Slug),
		Connections: p.Connections, Followers: p.Followers, About: p.About,
		Experience: orNone(p.Positions), Education: orNone(p.Education), Skills: orNone(p.Skills),
		ProfileURN: p.URN, ProfileSlug: p.Slug,
		Profile: profileCard{
			ProfileURN: p.URN, ProfileSlug: p.Slug, FullName: p.Name, Headline: p.Headline, Location: p.Location,
			Positions: []cardPosition{},
		},
	}
	for _, pos := range p.Positions {
		out.Profile.Positions = append(out.Profile.Positions, cardPosition{
			Title: pos.Title, CompanyName: pos.CompanyName, Location: pos.Location, IsCurrent: pos.IsCurrent,
			StartYear: pos.StartYear, StartMonth: pos.StartMonth, EndYear: pos.EndYear, EndMonth: pos.EndMonth,
		})
	}
	return out, nil
}

// orNone replaces a nil list by an empty one, which JSON does not show as null.
func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
