package httpapi

import (
	"fmt"
	"net/http"

	"github.com/go-fuego/fuego"

	"watchpost"
	"watchpost/actors"
)

const (
	textNoKeywords     = "keywords array is required and must not be empty"
	textPromptOrFields = "Pass either prompt or update fields, not both"
	textPromptOrWords  = "Pass either prompt or keywords, not both"
	textDisabled       = "Watchlist is disabled. Re-enable it before updating."
)

func (s *Server) keywordWatchlistRoutes() {
	const path = "/api-keyword-watchlist"
	fuego.Post(s.api, path, s.createKeywordWatchlist(watchpost.KeywordWatchlist),
		s.operation(teams, "createKeywordWatchlist", "Create a keyword watchlist", tagWatchlists), s.idempotent(),
		withKeywordsBody(), withNewPrompt(), withError(http.StatusPaymentRequired, textWatchlistQuota))
	fuego.Get(s.api, path, s.getKeywordWatchlists(watchpost.KeywordWatchlist),
		s.operation(teams, "getKeywordWatchlist", "List keyword watchlists, or show one", tagWatchlists),
		withShownID())
	fuego.Put(s.api, path, s.updateKeywordWatchlist(watchpost.KeywordWatchlist),
		s.operation(teams, "updateKeywordWatchlist", "Change a keyword watchlist", tagWatchlists),
		withPatchBody(labelTexts...), withPrompt(), withError(http.StatusBadRequest, textPromptOrFields), withError(http.StatusConflict, textDisabled))
	fuego.Delete(s.api, path, s.deleteWatchlist(watchpost.KeywordWatchlist),
		s.operation(teams, "deleteKeywordWatchlist", "Delete a watchlist with the posts that only it collected", tagWatchlists),
		withDeletedID())
}

// withKeywordsBody documents the errors of a body that creates.
func withKeywordsBody() fuego.RouteOption {
	return withWatchlistBody(textNoKeywords, "No valid keywords provided after cleaning", "Invalid 'keywords'",
		fmt.Sprintf("At most %d keywords per watchlist", watchpost.MaxKeywords))
}

type createKeywordWatchlistRequest struct {
	Keywords []keywordEntry `json:"keywords" required:"keywords array is required and must not be empty" validate:"required"`
	newWatchlist

	kept    []watchpost.KeywordEntry // of the keywords, when they were checked
	results []watchpost.KeywordResult
}

// checkField implements fieldChecker.
func (r *createKeywordWatchlistRequest) checkField(name string) (err error) {
	if name != "keywords" {
		return r.newWatchlist.checkField(name)
	}
	r.kept, r.results, err = watchpost.CleanKeywords(keywordEntries(r.Keywords))
	return err
}

type createKeywordWatchlistReply struct {
	ID        watchpost.WatchlistID     `json:"id"`
	Name      string                    `json:"name"`
	Slug      string                    `json:"slug"`
	Type      watchpost.WatchlistType   `json:"type" validate:"oneof=keyword forum"`
	Keywords  []string                  `json:"keywords" validate:"required"`
	Frequency int                       `json:"fetchFreqInHours"`
	Created   bool                      `json:"created"`
	Results   []watchpost.KeywordResult `json:"results,omitempty" description:"of the keywords given; not in prompt mode"`
	Prompt    string                    `json:"prompt,omitempty" description:"in prompt mode"`
	Message   string                    `json:"message,omitempty" description:"in prompt mode"`

	Interpreter string `json:"interpreter,omitempty" example:"rules" description:"in prompt mode: rules, or the name of the model that interpreted"`
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
			return s.createFromPrompt(c.Context(), t, body)
		}
		var request createKeywordWatchlistRequest
		if err := bind(body, &request); err != nil {
			return createKeywordWatchlistReply{}, err
		}
		draft := watchpost.Watchlist{Type: t, Keywords: request.kept}
		if err := request.fill(&draft); err != nil {
			return createKeywordWatchlistReply{}, err
		}
		view, err := create(c.Context(), s, actors.CreateWatchlist{Watchlist: draft})
		if err != nil {
			return createKeywordWatchlistReply{}, err
		}
		watchpost.IdentifyKeywords(request.results, request.kept, view.Watchlist.Keywords)
		return createdKeywordWatchlist(view.Watchlist, request.results), nil
	}
}

// createdKeywordWatchlist is the reply to a create.
func createdKeywordWatchlist(w watchpost.Watchlist, results []watchpost.KeywordResult) createKeywordWatchlistReply {
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
	changedWatchlist
	Keywords  *[]keywordEntry `json:"keywords,omitempty"`
	Append    bool            `json:"append,omitempty" description:"add the keywords instead of replacing them"`
	Labels    *[]labelEntry   `json:"labels,omitempty"`
	Objective *string         `json:"objective,omitempty"`

	kept    []watchpost.KeywordEntry // of the keywords, when they were checked
	results []watchpost.KeywordResult
}

// checkField implements fieldChecker.
func (r *updateKeywordWatchlistRequest) checkField(name string) (err error) {
	switch {
	case name == "keywords" && r.Keywords != nil:
		r.kept, r.results, err = watchpost.CleanKeywords(keywordEntries(*r.Keywords))
	case name == "labels" && r.Labels != nil:
		_, err = watchpost.CleanLabels(labels(*r.Labels))
	default:
		err = r.changedWatchlist.checkField(name)
	}
	return err
}

// updateKeywordWatchlist serves the change of watchlists with keywords.
func (s *Server) updateKeywordWatchlist(t watchpost.WatchlistType) func(fuego.ContextWithBody[updateKeywordWatchlistRequest]) (updateWatchlistReply, error) {
	return func(c fuego.ContextWithBody[updateKeywordWatchlistRequest]) (updateWatchlistReply, error) {
		body, err := readBody(c.Request())
		if err != nil {
			return updateWatchlistReply{}, err
		}
		if body.has("prompt") {
			return s.updateFromPrompt(c.Context(), t, body)
		}
		var request updateKeywordWatchlistRequest
		if err := bind(body, &request); err != nil {
			return updateWatchlistReply{}, err
		}
		patch, err := request.patch(t)
		if err != nil {
			return updateWatchlistReply{}, err
		}
		reply, w, err := s.patchWatchlist(c.Context(), t, request.ID, patch)
		if err == nil && request.results != nil {
			watchpost.IdentifyKeywords(request.results, request.kept, w.Keywords)
			reply.Results = request.results
		}
		return reply, err
	}
}

// patch checks the request as far as that needs no more than the family.
func (r *updateKeywordWatchlistRequest) patch(t watchpost.WatchlistType) (watchpost.WatchlistPatch, error) {
	p, err := r.fields()
	if err != nil {
		return p, err
	}
	p.Objective, p.Append = r.Objective, r.Append
	if r.Keywords != nil {
		p.Keywords = keywordEntries(*r.Keywords)
	}
	if r.Labels != nil {
		given := labels(*r.Labels)
		p.Labels = &given
	}
	return p.Clean(t)
}
