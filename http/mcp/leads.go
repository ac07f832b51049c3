package mcp

import (
	"slices"
	"strconv"

	"watchpost/watchpost"
)

// lead is what the tools show of an author.
type lead struct {
	Kind        string   `json:"kind"`
	Posts       int      `json:"posts"`
	LastAt      string   `json:"last_at"`
	LastPost    string   `json:"last_post_id"`
	Relevance   float64  `json:"best_relevance"`
	Sentiment   string   `json:"sentiment"`
	Seniority   string   `json:"author_level,omitempty"`
	Watchlists  []string `json:"watchlists"`
	Interacted  bool     `json:"interacted,omitempty"`
	Contacted   bool     `json:"contacted,omitempty"`
	Connected   bool     `json:"connected,omitempty"`
	ForeignText leadText `json:"content_of_others"`
}

// leadText is what the author wrote.
type leadText struct {
	Name     string `json:"name"`
	Headline string `json:"headline,omitempty"`
	URL      string `json:"author_url"`
}

// apiLead is a lead of the API.
type apiLead struct {
	lead
	Seniority string `json:"seniority_level"`
	Name      string `json:"name"`
	Headline  string `json:"headline"`
	URL       string `json:"author_url"`
}

var leadTools = []tool{{
	name: "list_leads", title: "List leads", does: reads, routes: []string{"GET /api-leads"},
	about: "List the authors of the posts that filters select, with how often and how relevant they wrote, and whether the team engaged, contacted or is connected.",
	params: slices.Concat(postFilters, []param{
		{name: "min_posts", kind: number},
		{name: "contacted", kind: flag, about: "false: not yet contacted only"},
		{name: "sort_by", kind: text, allowed: leadOrders()},
		pageParam,
		pageSizeParam,
	}),
	run: listLeads,
}}

// leadOrders are those of the API.
func leadOrders() (orders []string) {
	for _, o := range watchpost.LeadOrders {
		orders = append(orders, string(o))
	}
	return orders
}

func listLeads(c *call) (result, error) {
	q := query(c.args)
	size := c.number("page_size", 1, pageSize, maxPageSize)
	q.Set("page_size", strconv.Itoa(size))
	var reply struct {
		Data  []apiLead
		Count int
	}
	if err := c.get("/api-leads", q, &reply); err != nil {
		return result{}, err
	}
	shown := make([]lead, len(reply.Data))
	for i, l := range reply.Data {
		shown[i] = l.lead
		shown[i].Seniority = l.Seniority
		shown[i].ForeignText = leadText{foreign(l.Name), foreign(l.Headline), foreign(l.URL)}
	}
	return result{note: c.pageNote("leads", reply.Count, len(shown), size), data: shown, foreign: true}, nil
}
