package api

import (
	"fmt"
	"math"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/actors/insight"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const textFailedLeads = "Failed to fetch leads"

func (s leads) routes() {
	endpoint.Handle(s.API, http.MethodGet, "/api-leads", s.getLeads,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getLeads", "Read the authors of the posts that watchlists collected", endpoint.TagPosts),
		leadParams(),
		postErrors("Invalid 'min_posts'", "Invalid 'contacted'"),
		endpoint.WithError(http.StatusInternalServerError, textFailedLeads))
}

// leadParams documents the parameters of GET /api-leads.
func leadParams() fuego.RouteOption {
	whole := func(absent float64) *openapi3.Schema {
		return openapi3.NewIntegerSchema().WithMin(1).WithDefault(absent)
	}
	order := openapi3.NewStringSchema()
	for _, o := range watchpost.LeadOrders {
		order.Enum = append(order.Enum, string(o))
	}
	return fuego.GroupOptions(
		watchlistParam(),
		endpoint.Query("page", "from 1; the alias `current_page` is accepted", whole(1)),
		endpoint.Query("page_size", fmt.Sprintf("leads per page; above %d it is %d", watchpost.MaxPageSize, watchpost.MaxPageSize), whole(watchpost.PageSize)),
		filterParams(),
		leadFilterParams(),
		endpoint.Query("sort_by", "order of the leads", order.WithDefault(string(watchpost.LeadOrders[0]))))
}

// leadFilterParams documents the filters of leads.
func leadFilterParams() fuego.RouteOption {
	return fuego.GroupOptions(
		endpoint.Query("min_posts", "posts that an author has at least", openapi3.NewIntegerSchema().WithMin(1).WithDefault(1.0)),
		endpoint.Query("contacted", "`true`: people to whom the team sent a message or an invitation; `false`: all others", openapi3.NewBoolSchema()))
}

// lead is the lead object of the API.
type lead struct {
	AuthorURL     string                  `json:"author_url"`
	Name          string                  `json:"name" description:"name of the author"`
	Headline      string                  `json:"headline"`
	Seniority     string                  `json:"seniority_level"`
	Kind          watchpost.LeadKind      `json:"kind" validate:"oneof=person company" description:"person or company"`
	Posts         int                     `json:"posts" description:"posts of the author that the filters select"`
	FirstAt       endpoint.Timestamp      `json:"first_at"`
	LastAt        endpoint.Timestamp      `json:"last_at"`
	BestRelevance float64                 `json:"best_relevance"`
	Sentiment     string                  `json:"sentiment"`
	Watchlists    []watchpost.WatchlistID `json:"watchlists" validate:"required"`
	LastPost      watchpost.PostID        `json:"last_post_id"`
	Interacted    bool                    `json:"interacted"`
	Contacted     bool                    `json:"contacted"`
	Connected     bool                    `json:"connected" description:"a member of the team is connected to the person"`
}

type leadsReply struct {
	Data  []lead `json:"data" validate:"required"`
	Count int    `json:"count" description:"leads on all pages"`
}

func (s leads) getLeads(r *http.Request) (leadsReply, error) {
	p := endpoint.ReadParams(r)
	named, q, err := readLeadQuery(p)
	if err != nil {
		return leadsReply{}, err
	}
	page, err := s.Registry.Leads(r.Context(), endpoint.TeamOf(r.Context()), named, q)
	if err != nil {
		return leadsReply{}, endpoint.Failed(textFailedLeads, err)
	}
	reply := leadsReply{Data: make([]lead, len(page.Leads)), Count: page.Count}
	for i := range page.Leads {
		reply.Data[i] = shownLead(&page.Leads[i])
	}
	return reply, nil
}

// readLeadQuery reads the parameters of GET /api-leads.
func readLeadQuery(p *endpoint.Params) (named []string, q watchpost.LeadQuery, err error) {
	named = readPostFilters(p, &q.PostQuery)
	q.MinPosts = p.Number("min_posts", 1, math.MaxInt32)
	if p.One("contacted") != "" {
		contacted := p.Flag("contacted")
		q.OnlyContacted = &contacted
	}
	q.By = single(p, "sort_by", watchpost.ParseLeadOrder)
	return named, q, p.Err
}

func shownLead(l *insight.Lead) lead {
	return lead{
		AuthorURL: l.AuthorURL, Name: l.Name, Headline: l.Headline, Seniority: l.Seniority, Kind: l.Kind,
		Posts: l.Posts, FirstAt: endpoint.TimestampOf(l.FirstAt), LastAt: endpoint.TimestampOf(l.LastAt),
		BestRelevance: l.BestRelevance, Sentiment: l.Sentiment, Watchlists: endpoint.Whole(l.Watchlists), LastPost: l.LastPost,
		Interacted: l.Interacted, Contacted: l.Contacted, Connected: l.Connected,
	}
}
