package headless

import (
	"context"

	"watchpost/internal/fakenetwork/page"
	"watchpost/watchpost"
)

// companyOutput is the output of agent_company_fetch.
type companyOutput struct {
	Name          string   `json:"name"`
	Slug          string   `json:"slug"`
	CompanyURN    string   `json:"company_urn"`
	Industry      string   `json:"industry"`
	Description   string   `json:"description"`
	EmployeeCount int      `json:"employee_count"`
	Headquarters  string   `json:"headquarters"`
	Website       string   `json:"website"`
	Followers     int      `json:"followers"`
	LogoURL       string   `json:"logo_url"`
	Specialties   []string `json:"specialties"`
}

// fetchCompany implements agent_company_fetch.
func fetchCompany(ctx context.Context, r *run) (any, error) {
	var in watchpost.CompanyInput
	if err := decode(r.in, &in); err != nil {
		return nil, err
	}
	path, err := companyPath(in.Slug)
	if err != nil {
		return nil, err
	}
	data, err := r.net.get(ctx, path, nil, page.KindCompany)
	if err != nil {
		return nil, err
	}
	c := data.Company
	return companyOutput{
		Name: c.Name, Slug: c.Slug, CompanyURN: c.URN, Industry: c.Industry, Description: c.Description,
		EmployeeCount: c.EmployeeCount, Headquarters: c.Headquarters, Website: c.Website, Followers: c.Followers,
		LogoURL: r.net.absolute(c.Logo), Specialties: orNone(c.Specialties),
	}, nil
}
