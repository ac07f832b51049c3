package httpapi

import (
	"context"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost"
	"watchpost/actors"
)

const (
	tagWatchlists      = "Watchlists"
	textMissingID      = "Missing required parameter: id"
	textNoKeywords     = "keywords array is required and must not be empty"
	textPromptOrFields = "Pass either prompt or update fields, not both"
	textPromptOrWords  = "Pass either prompt or keywords, not both"
	textNoPromptMode   = "Prompt mode is not available"
	textUpdated        = "Watchlist updated successfully"
	textDeleted        = "Watchlist and all related data deleted successfully"
	textDisabled       = "Watchlist is disabled. Re-enable it before updating."
)

func (s *Server) keywordWatchlistRoutes() {
	const path = "/api-keyword-watchlist"
	fuego.Post(s.api, path, s.createKeywordWatchlist,
		s.operation(teams, "createKeywordWatchlist", "Create a keyword watchlist", tagWatchlists), s.idempotent(),
		takesBody(textNoKeywords, "No valid keywords provided after cleaning", "Invalid fetchFreqInHours", "Invalid 'name'"),
		fails(http.StatusPaymentRequired, "Your plan includes up to 2 watchlists. Upgrade your plan or delete a watchlist to create another."))
	fuego.Get(s.api, path, s.getKeywordWatchlists,
		s.operation(teams, "getKeywordWatchlist", "List keyword watchlists, or show one", tagWatchlists),
		query("id", "the watchlist to show; without it all are listed", openapi3.NewStringSchema()),
		fails(http.StatusBadRequest, "Invalid 'id'"), failsForeign())
	fuego.Put(s.api, path, s.updateKeywordWatchlist,
		s.operation(teams, "updateKeywordWatchlist", "Change a keyword watchlist", tagWatchlists),
		takesBody(textMissingID, "No valid update fields provided", "Name cannot be empty", "disable must be a boolean value"), failsForeign(),
		fails(http.StatusConflict, textDisabled))
	fuego.Delete(s.api, path, s.deleteKeywordWatchlist,
		s.operation(teams, "deleteKeywordWatchlist", "Delete a watchlist with the posts that only it collected", tagWatchlists),
		query("id", "the watchlist; may be given in a JSON body instead", openapi3.NewStringSchema()),
		fails(http.StatusBadRequest, textMissingID), failsForeign())
}

// failsForeign documents what a watchlist that is not the team's leads to.
func failsForeign() fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		fails(http.StatusForbidden, watchpost.TextAccessDenied)(r)
		fails(http.StatusNotFound, watchpost.TextWatchlistNotFound)(r)
	}
}

type createKeywordWatchlistRequest struct {
	Keywords    []keywordEntry `json:"keywords" required:"keywords array is required and must not be empty" validate:"required"`
	Name        string         `json:"name,omitempty" example:"Observability"`
	Description string         `json:"description,omitempty"`
	Labels      []labelEntry   `json:"labels,omitempty"`
	Frequency   *float64       `json:"fetchFreqInHours,omitempty" invalid:"Invalid fetchFreqInHours" validate:"oneof=1 3 6 12 24 48 72" example:"12"`
	SlackURL    string         `json:"slack_webhook_url,omitempty"`
}

type createKeywordWatchlistReply struct {
	ID        watchpost.WatchlistID     `json:"id"`
	Name      string                    `json:"name"`
	Slug      string                    `json:"slug"`
	Type      watchpost.WatchlistType   `json:"type" validate:"oneof=keyword"`
	Keywords  []string                  `json:"keywords" validate:"required"`
	Frequency int                       `json:"fetchFreqInHours"`
	Created   bool                      `json:"created"`
	Results   []watchpost.KeywordResult `json:"results" validate:"required"`
}

func (s *Server) createKeywordWatchlist(c fuego.ContextWithBody[createKeywordWatchlistRequest]) (createKeywordWatchlistReply, error) {
	body, err := readBody(c.Request())
	if err != nil {
		return createKeywordWatchlistReply{}, err
	}
	if body.has("prompt") {
		return createKeywordWatchlistReply{}, refusePrompt(body.has("keywords"), textPromptOrWords)
	}
	var request createKeywordWatchlistRequest
	if err := bind(body, &request); err != nil {
		return createKeywordWatchlistReply{}, err
	}
	draft, results, err := request.watchlist(watchpost.KeywordWatchlist)
	if err != nil {
		return createKeywordWatchlistReply{}, err
	}
	view, err := create[actors.WatchlistView](c.Context(), s, actors.CreateWatchlist{Watchlist: draft})
	if err != nil {
		return createKeywordWatchlistReply{}, err
	}
	return createdKeywordWatchlist(view.Watchlist, results), nil
}

// watchlist checks the request and makes of it the watchlist that is asked for.
func (r *createKeywordWatchlistRequest) watchlist(t watchpost.WatchlistType) (watchpost.Watchlist, []watchpost.KeywordResult, error) {
	w := watchpost.Watchlist{Type: t, Description: r.Description, Frequency: watchpost.DefaultFrequency(t)}
	kept, results, err := watchpost.CleanKeywords(keywordEntries(r.Keywords))
	if err != nil {
		return w, nil, err
	}
	w.Keywords = kept
	if r.Frequency != nil {
		if w.Frequency, err = watchpost.ParseFetchFrequency(*r.Frequency); err != nil {
			return w, nil, err
		}
	}
	if w.Name = r.Name; !isBlank(w.Name) {
		if w.Name, err = watchpost.CleanName(w.Name); err != nil {
			return w, nil, err
		}
	} else {
		w.Name = "" // one is made up
	}
	if w.Labels, err = watchpost.CleanLabels(labels(r.Labels)); err != nil {
		return w, nil, err
	}
	w.SlackURL, err = watchpost.CleanSlackURL(r.SlackURL)
	return w, results, err
}

// createdKeywordWatchlist completes the results with the ids that the entries
// were given.
func createdKeywordWatchlist(w watchpost.Watchlist, results []watchpost.KeywordResult) createKeywordWatchlistReply {
	next := 0
	for i := range results {
		if results[i].Success && next < len(w.Keywords) {
			results[i].KeywordID = w.Keywords[next].ID
			next++
		}
	}
	return createKeywordWatchlistReply{
		ID: w.ID, Name: w.Name, Slug: w.Slug(), Type: w.Type, Keywords: watchpost.KeywordTexts(w.Keywords),
		Frequency: w.Frequency.Hours(), Created: true, Results: results,
	}
}

func (s *Server) getKeywordWatchlists(c fuego.ContextNoBody) (keywordWatchlists, error) {
	p := readParams(c.Request())
	id := p.one("id")
	if p.err != nil {
		return keywordWatchlists{}, p.err
	}
	ctx := c.Context()
	if id == "" {
		views, err := actors.Ask[[]actors.WatchlistView](ctx, s.registry, teamOf(ctx), actors.ListWatchlists{Type: watchpost.KeywordWatchlist})
		return keywordWatchlists{views: views}, err
	}
	view, err := askWatchlist[actors.WatchlistView](ctx, s, id, actors.GetWatchlist{Type: watchpost.KeywordWatchlist, ID: watchpost.WatchlistID(id)})
	return keywordWatchlists{one: &view}, err
}

type updateKeywordWatchlistRequest struct {
	ID          string          `json:"id" required:"Missing required parameter: id"`
	Name        *string         `json:"name,omitempty"`
	Description *string         `json:"description,omitempty"`
	Frequency   *float64        `json:"fetchFreqInHours,omitempty" invalid:"Invalid fetchFreqInHours" validate:"oneof=1 3 6 12 24 48 72" example:"24"`
	Disable     *bool           `json:"disable,omitempty" invalid:"disable must be a boolean value"`
	Keywords    *[]keywordEntry `json:"keywords,omitempty"`
	Append      bool            `json:"append,omitempty" description:"add the keywords instead of replacing them"`
	Labels      *[]labelEntry   `json:"labels,omitempty"`
	SlackURL    nullable        `json:"slack_webhook_url,omitempty"`
	Objective   *string         `json:"objective,omitempty"`
}

type updateKeywordWatchlistReply struct {
	ID        watchpost.WatchlistID `json:"id"`
	Name      string                `json:"name"`
	Frequency int                   `json:"fetchFreqInHours"`
	Disable   bool                  `json:"disable"`
	Updated   bool                  `json:"updated"`
	Message   string                `json:"message" example:"Watchlist updated successfully"`
}

func (s *Server) updateKeywordWatchlist(c fuego.ContextWithBody[updateKeywordWatchlistRequest]) (updateKeywordWatchlistReply, error) {
	body, err := readBody(c.Request())
	if err != nil {
		return updateKeywordWatchlistReply{}, err
	}
	if body.has("prompt") {
		return updateKeywordWatchlistReply{}, refusePrompt(body.hasFieldOf(updateKeywordWatchlistRequest{}, "id"), textPromptOrFields)
	}
	var request updateKeywordWatchlistRequest
	if err := bind(body, &request); err != nil {
		return updateKeywordWatchlistReply{}, err
	}
	patch, err := request.patch(watchpost.KeywordWatchlist)
	if err != nil {
		return updateKeywordWatchlistReply{}, err
	}
	view, err := askWatchlist[actors.WatchlistView](c.Context(), s, request.ID,
		actors.UpdateWatchlist{Type: watchpost.KeywordWatchlist, ID: watchpost.WatchlistID(request.ID), Patch: patch})
	if err != nil {
		return updateKeywordWatchlistReply{}, err
	}
	w := view.Watchlist
	return updateKeywordWatchlistReply{w.ID, w.Name, w.Frequency.Hours(), w.Disabled, true, textUpdated}, nil
}

// patch checks the request as far as that needs no more than the family.
func (r *updateKeywordWatchlistRequest) patch(t watchpost.WatchlistType) (watchpost.WatchlistPatch, error) {
	p := watchpost.WatchlistPatch{
		Name: r.Name, Description: r.Description, Disable: r.Disable, Objective: r.Objective, Append: r.Append,
	}
	if r.ID == "" {
		return p, watchpost.Errorf(watchpost.Invalid, textMissingID)
	}
	if r.Frequency != nil {
		frequency, err := watchpost.ParseFetchFrequency(*r.Frequency)
		if err != nil {
			return p, err
		}
		p.Frequency = &frequency
	}
	if r.SlackURL.Set {
		p.SlackURL = &r.SlackURL.Value
	}
	if r.Keywords != nil {
		p.Keywords = keywordEntries(*r.Keywords)
	}
	if r.Labels != nil {
		given := labels(*r.Labels)
		p.Labels = &given
	}
	return p.Clean(t)
}

type deleteWatchlistReply struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
	Message string `json:"message" example:"Watchlist and all related data deleted successfully"`
}

func (s *Server) deleteKeywordWatchlist(c fuego.ContextNoBody) (deleteWatchlistReply, error) {
	id, err := idOfDelete(c.Request())
	if err != nil {
		return deleteWatchlistReply{}, err
	}
	_, err = askWatchlist[actors.Done](c.Context(), s, id,
		actors.DeleteWatchlist{Type: watchpost.KeywordWatchlist, ID: watchpost.WatchlistID(id)})
	if err != nil {
		return deleteWatchlistReply{}, err
	}
	return deleteWatchlistReply{id, true, textDeleted}, nil
}

// idOfDelete reads the id from the query or, without one there, from the body.
func idOfDelete(r *http.Request) (string, error) {
	p := readParams(r)
	id := p.one("id")
	if p.err != nil || id != "" {
		return id, p.err
	}
	if r.ContentLength == 0 {
		return "", watchpost.Errorf(watchpost.Invalid, textMissingID)
	}
	request, err := decode[struct {
		ID string `json:"id" required:"Missing required parameter: id"`
	}](r)
	if err == nil && request.ID == "" {
		err = watchpost.Errorf(watchpost.Invalid, textMissingID)
	}
	return request.ID, err
}

// askWatchlist asks the team for something of one watchlist. What the team
// does not know may be another team's.
func askWatchlist[R any](ctx context.Context, s *Server, id string, request any) (R, error) {
	var none R
	if !watchpost.ValidID(id) {
		return none, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound)
	}
	reply, err := actors.Ask[R](ctx, s.registry, teamOf(ctx), request)
	if err != nil && watchpost.KindOf(err) == watchpost.NotFound {
		if denied := s.registry.WatchlistAccess(ctx, teamOf(ctx), id); denied != nil {
			return none, denied
		}
	}
	return reply, err
}

// refusePrompt is where prompt mode begins: what a body with a prompt is told.
func refusePrompt(mixed bool, text string) error {
	if mixed {
		return watchpost.Errorf(watchpost.Invalid, "%s", text)
	}
	return watchpost.Errorf(watchpost.Invalid, textNoPromptMode)
}
