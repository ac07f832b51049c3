package api

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const (
	textNoWatchlist        = "watchlist_id is required and must be a string"
	textInvalidKind        = "Invalid 'interaction_type'"
	textFailedInteractions = "Failed to fetch interactions"
)

func (s interactions) routes() {
	const path = "/api-interactions"
	refusals := func(r *fuego.BaseRoute) {
		endpoint.WithError(http.StatusBadRequest, textNoWatchlist, "Invalid watchlist ID: <id>", textInvalidKind, "Invalid 'page'", "Invalid 'page_size'", "Too many values for 'actor_ids', at most 200")(r)
		endpoint.WithError(http.StatusForbidden, watchpost.TextAccessDenied)(r)
		endpoint.WithError(http.StatusInternalServerError, textFailedInteractions)(r)
	}
	endpoint.Handle(s.API, http.MethodGet, path, s.getInteractions,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getInteractions", "Read what the team did on a watchlist's posts", endpoint.TagEngagement),
		interactionParams(),
		endpoint.Query("page", "from 1; the alias `current_page` is accepted", openapi3.NewIntegerSchema().WithMin(1).WithDefault(1)),
		endpoint.Query("page_size", "interactions per page; above 100 it is 100", openapi3.NewIntegerSchema().WithMin(1).WithDefault(watchpost.InteractionPageSize)),
		refusals)
	endpoint.HandleBody(s.API, http.MethodPost, path, s.postInteractions,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "queryInteractions", "Read what the team did on a watchlist's posts, asked for in a body", endpoint.TagEngagement),
		endpoint.WithBody(), refusals)
}

// interactionParams documents the watchlist and the filters.
func interactionParams() fuego.RouteOption {
	text := openapi3.NewStringSchema
	return fuego.GroupOptions(
		endpoint.Query("watchlist_id", "the watchlist whose posts are meant", text()), endpoint.Required(),
		endpoint.Query("interaction_type", "likes or comments only", text().WithEnum("like", "comment")),
		endpoint.Query("actor_ids", "authors: ids of members, titles of companies", openapi3.NewArraySchema().WithItems(text())))
}

type interactionsRequest struct {
	Watchlist filled   `json:"watchlist_id" required:"watchlist_id is required and must be a string"`
	Kind      *string  `json:"interaction_type,omitempty" validate:"oneof=like comment"`
	Actors    texts    `json:"actor_ids,omitempty" description:"authors: ids of members, titles of companies"`
	Page      *float64 `json:"page,omitempty" example:"1"`
	Current   *float64 `json:"current_page,omitempty" description:"an alias of page" example:"1"`
	PageSize  *float64 `json:"page_size,omitempty" example:"10"`
}

// CleanField implements endpoint.FieldCleaner.
func (r *interactionsRequest) CleanField(name string) (err error) {
	switch name {
	case "interaction_type":
		if r.Kind != nil && *r.Kind != "" {
			_, err = parseInteractionKind(*r.Kind)
		}
	case "actor_ids":
		if len(r.Actors) > endpoint.MaxValues {
			err = endpoint.ErrTooMany(name)
		}
	case "page":
		err = wholeIn(r.Page, name, 1, math.MaxInt32)
	case "current_page":
		err = wholeIn(r.Current, name, 1, math.MaxInt32)
	case "page_size":
		err = wholeIn(r.PageSize, name, 1, math.MaxInt32)
	}
	return err
}

// texts is a list of texts, or one text with commas.
type texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *texts) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '"' {
		return json.Unmarshal(raw, (*[]string)(l))
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			*l = append(*l, item)
		}
	}
	return nil
}

type interactionsReply struct {
	Data       []interaction    `json:"data" validate:"required"`
	Pagination interactionPages `json:"pagination"`
	Graph      []interactionDay `json:"graph" validate:"required" description:"the last 7 days, the oldest first"`
}

type interaction struct {
	ID        watchpost.TaskID          `json:"id"`
	Text      string                    `json:"text"`
	Kind      watchpost.InteractionKind `json:"interaction_type" validate:"oneof=like comment"`
	CreatedAt int64                     `json:"created_at" description:"milliseconds since 1970"`
	Author    interactionAuthor         `json:"author"`
	Post      post                      `json:"post"`
}

type interactionAuthor struct {
	ID       string              `json:"id"`
	FullName string              `json:"full_name"`
	Slug     string              `json:"author_slug"`
	Headline string              `json:"headline"`
	Type     watchpost.ActorType `json:"author_type" validate:"oneof=user company"`
}

type interactionPages struct {
	Page     int `json:"page"`
	PageSize int `json:"page_size"`
	Total    int `json:"total"`
	Likes    int `json:"total_likes"`
	Comments int `json:"total_comments"`
}

type interactionDay struct {
	Date     string `json:"date" example:"2030-01-07"`
	Likes    int    `json:"likes"`
	Comments int    `json:"comments"`
}

func (s interactions) getInteractions(r *http.Request) (interactionsReply, error) {
	id, q, err := readInteractionQuery(endpoint.ReadParams(r))
	if err != nil {
		return interactionsReply{}, err
	}
	return s.interactions(r, id, q)
}

func (s interactions) postInteractions(r *http.Request, request interactionsRequest) (interactionsReply, error) {
	q := watchpost.InteractionQuery{Actors: request.Actors, Page: 1, PageSize: watchpost.InteractionPageSize}
	if request.Kind != nil {
		q.Kind = watchpost.InteractionKind(*request.Kind)
	}
	if page := cmp.Or(request.Page, request.Current); page != nil {
		q.Page = int(*page)
	}
	if request.PageSize != nil {
		q.PageSize = boundedPage(int(*request.PageSize))
	}
	return s.interactions(r, string(request.Watchlist), q)
}

func parseInteractionKind(s string) (watchpost.InteractionKind, error) {
	switch k := watchpost.InteractionKind(s); k {
	case watchpost.InteractionLike, watchpost.InteractionComment:
		return k, nil
	}
	return "", watchpost.Errorf(watchpost.Invalid, textInvalidKind)
}

// boundedPage is the size of a page; one that is too large is the largest.
func boundedPage(n int) int { return min(n, watchpost.MaxInteractionPage) }

func (s interactions) interactions(r *http.Request, watchlist string, q watchpost.InteractionQuery) (interactionsReply, error) {
	page, err := s.Registry.Interactions(r.Context(), endpoint.TeamOf(r.Context()), watchlist, q)
	if err != nil {
		return interactionsReply{}, endpoint.Failed(textFailedInteractions, err)
	}
	sum := page.Summary
	reply := interactionsReply{
		Data:       make([]interaction, len(page.Interactions)),
		Pagination: interactionPages{q.Page, q.PageSize, sum.Total, sum.Likes, sum.Comments},
	}
	for i := range page.Interactions {
		reply.Data[i] = shownInteraction(&page.Interactions[i], &page)
	}
	for _, day := range sum.Graph {
		reply.Graph = append(reply.Graph, interactionDay{day.Date, day.Likes, day.Comments})
	}
	return reply, nil
}

func shownInteraction(found *watchpost.Interaction, page *actors.InteractionsPage) interaction {
	return interaction{
		ID: found.ID, Text: found.Text, Kind: found.Kind, CreatedAt: found.At.UnixMilli(),
		Author: interactionAuthor{found.Author.ID, cmp.Or(found.Author.FullName, found.Author.Slug), found.Author.Slug, found.Author.Headline, found.Author.Type},
		Post:   shownPost(page.Posts[found.Target], page.Asked, page.Tagging),
	}
}
