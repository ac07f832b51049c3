package httpapi

import (
	"net/http"

	"github.com/go-fuego/fuego"

	"watchpost"
	"watchpost/actors"
)

const (
	textNoKeywords     = "keywords array is required and must not be empty"
	textPromptOrFields = "Pass either prompt or update fields, not both"
	textPromptOrWords  = "Pass either prompt or keywords, not both"
	textNoPromptMode   = "Prompt mode is not available"
	textDisabled       = "Watchlist is disabled. Re-enable it before updating."
)

func (s *Server) keywordWatchlistRoutes() {
	const path = "/api-keyword-watchlist"
	fuego.Post(s.api, path, s.createKeywordWatchlist(watchpost.KeywordWatchlist),
		s.operation(teams, "createKeywordWatchlist", "Create a keyword watchlist", tagWatchlists),
		takesKeywords(), fails(http.StatusPaymentRequired, textWatchlistQuota))
	fuego.Get(s.api, path, s.getKeywordWatchlists(watchpost.KeywordWatchlist),
		s.operation(teams, "getKeywordWatchlist", "List keyword watchlists, or show one", tagWatchlists),
		takesShownID())
	fuego.Put(s.api, path, s.updateKeywordWatchlist(watchpost.KeywordWatchlist),
		s.operation(teams, "updateKeywordWatchlist", "Change a keyword watchlist", tagWatchlists),
		takesPatch(), fails(http.StatusConflict, textDisabled))
	fuego.Delete(s.api, path, s.deleteWatchlist(watchpost.KeywordWatchlist),
		s.operation(teams, "deleteKeywordWatchlist", "Delete a watchlist with the posts that only it collected", tagWatchlists),
		takesDeletedID())
}

// takesKeywords documents the errors of a body that creates.
func takesKeywords() fuego.RouteOption {
	return takesBody(textNoKeywords, "No valid keywords provided after cleaning", "Invalid fetchFreqInHours", "Invalid 'name'")
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
	Type      watchpost.WatchlistType   `json:"type" validate:"oneof=keyword forum"`
	Keywords  []string                  `json:"keywords" validate:"required"`
	Frequency int                       `json:"fetchFreqInHours"`
	Created   bool                      `json:"created"`
	Results   []watchpost.KeywordResult `json:"results" validate:"required"`
}

// createKeywordWatchlist serves the creation of watchlists with keywords: of
// keyword and of forum watchlists.
func (s *Server) createKeywordWatchlist(t watchpost.WatchlistType) func(fuego.ContextWithBody[createKeywordWatchlistRequest]) (createKeywordWatchlistReply, error) {
	return func(c fuego.ContextWithBody[createKeywordWatchlistRequest]) (createKeywordWatchlistReply, error) {
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
		draft, results, err := request.watchlist(t)
		if err != nil {
			return createKeywordWatchlistReply{}, err
		}
		view, err := actors.Ask[actors.WatchlistView](c.Context(), s.registry, teamOf(c.Context()), actors.CreateWatchlist{Watchlist: draft})
		if err != nil {
			return createKeywordWatchlistReply{}, err
		}
		return createdKeywordWatchlist(view.Watchlist, results), nil
	}
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

// getKeywordWatchlists serves the reading of watchlists with keywords.
func (s *Server) getKeywordWatchlists(t watchpost.WatchlistType) func(fuego.ContextNoBody) (keywordWatchlists, error) {
	return func(c fuego.ContextNoBody) (keywordWatchlists, error) {
		one, views, err := s.readWatchlists(c.Context(), c.Request(), t)
		return keywordWatchlists{one, views}, err
	}
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

// updateKeywordWatchlist serves the change of watchlists with keywords.
func (s *Server) updateKeywordWatchlist(t watchpost.WatchlistType) func(fuego.ContextWithBody[updateKeywordWatchlistRequest]) (updateWatchlistReply, error) {
	return func(c fuego.ContextWithBody[updateKeywordWatchlistRequest]) (updateWatchlistReply, error) {
		body, err := readBody(c.Request())
		if err != nil {
			return updateWatchlistReply{}, err
		}
		if body.has("prompt") {
			return updateWatchlistReply{}, refusePrompt(body.hasFieldOf(updateKeywordWatchlistRequest{}, "id"), textPromptOrFields)
		}
		var request updateKeywordWatchlistRequest
		if err := bind(body, &request); err != nil {
			return updateWatchlistReply{}, err
		}
		patch, err := request.patch(t)
		if err != nil {
			return updateWatchlistReply{}, err
		}
		return s.patchWatchlist(c.Context(), t, request.ID, patch)
	}
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

// refusePrompt is where prompt mode begins: what a body with a prompt is told.
func refusePrompt(mixed bool, text string) error {
	if mixed {
		return watchpost.Errorf(watchpost.Invalid, "%s", text)
	}
	return watchpost.Errorf(watchpost.Invalid, textNoPromptMode)
}
