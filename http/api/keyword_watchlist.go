package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const (
	textNoKeywords     = "keywords array is required and must not be empty"
	textPromptOrFields = "Pass either prompt or update fields, not both"
	textPromptOrWords  = "Pass either prompt or keywords, not both"
	textDisabled       = "Watchlist is disabled. Re-enable it before updating."
)

func (s watchlists) keywordRoutes() {
	const path = "/api-keyword-watchlist"
	endpoint.HandleCreate(s.API, path, s.createKeywordWatchlist(watchpost.KeywordWatchlist), showCreatedWatchlist,
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "createKeywordWatchlist", "Create a keyword watchlist", endpoint.TagWatchlists),
		withKeywordsBody(), withNewPrompt(), endpoint.WithError(http.StatusPaymentRequired, textWatchlistQuota))
	endpoint.Handle(s.API, http.MethodGet, path, s.getKeywordWatchlists(watchpost.KeywordWatchlist),
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getKeywordWatchlist", "List keyword watchlists, or show one", endpoint.TagWatchlists),
		withShownID())
	endpoint.HandleBody(s.API, http.MethodPut, path, s.updateKeywordWatchlist(watchpost.KeywordWatchlist),
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "updateKeywordWatchlist", "Change a keyword watchlist", endpoint.TagWatchlists),
		withPatchBody(slices.Concat(labelTexts, conditionErrors)...), withPrompt(), endpoint.WithError(http.StatusBadRequest, textPromptOrFields), endpoint.WithError(http.StatusConflict, textDisabled))
	endpoint.Handle(s.API, http.MethodDelete, path, s.deleteWatchlist(watchpost.KeywordWatchlist),
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "deleteKeywordWatchlist", "Delete a watchlist with the posts that only it collected", endpoint.TagWatchlists),
		withDeletedID())
}

// forumRoutes serves the watchlists of the forum, which are those of
// keywords in all but where they look and how often.
func (s watchlists) forumRoutes() {
	const path = "/api-forum-watchlist"
	endpoint.HandleCreate(s.API, path, s.createKeywordWatchlist(watchpost.ForumWatchlist), showCreatedWatchlist,
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "createForumWatchlist", "Create a forum watchlist", endpoint.TagWatchlists),
		withKeywordsBody(), withNewPrompt(), endpoint.WithError(http.StatusPaymentRequired, textWatchlistQuota))
	endpoint.Handle(s.API, http.MethodGet, path, s.getKeywordWatchlists(watchpost.ForumWatchlist),
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getForumWatchlist", "List forum watchlists, or show one", endpoint.TagWatchlists),
		withShownID())
	endpoint.HandleBody(s.API, http.MethodPut, path, s.updateKeywordWatchlist(watchpost.ForumWatchlist),
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "updateForumWatchlist", "Change a forum watchlist", endpoint.TagWatchlists),
		withPatchBody(slices.Concat(labelTexts, conditionErrors)...), withPrompt(), endpoint.WithError(http.StatusBadRequest, textPromptOrFields), endpoint.WithError(http.StatusConflict, textDisabled))
	endpoint.Handle(s.API, http.MethodDelete, path, s.deleteWatchlist(watchpost.ForumWatchlist),
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "deleteForumWatchlist", "Delete a forum watchlist with the posts that only it collected", endpoint.TagWatchlists),
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
	Objective string `json:"objective,omitempty" example:"find teams that replace their monitoring" description:"what the posts are for, in words; counts for their relevance"`
	conditionNames

	kept    []watchpost.KeywordEntry
	results []watchpost.KeywordResult
}

// CleanField implements endpoint.FieldCleaner.
func (r *createKeywordWatchlistRequest) CleanField(name string) (err error) {
	switch name {
	case "keywords":
		r.kept, r.results, err = watchpost.CleanKeywords(keywordEntries(r.Keywords))
	case "objective":
		trim(&r.Objective)
	default:
		var known bool
		if known, err = r.cleanField(name); !known {
			err = r.newWatchlist.CleanField(name)
		}
	}
	return err
}

// made returns the watchlist that is asked for.
func (r *createKeywordWatchlistRequest) made(t watchpost.WatchlistType) watchpost.Watchlist {
	w := r.watchlist(t)
	w.Keywords, w.Objective, w.Conditions = r.kept, r.Objective, r.conditions()
	return w
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
	scanOutlook
}

// newKeywordWatchlist is the body of a POST: the keywords, or a prompt.
type newKeywordWatchlist struct {
	prompt *createByPrompt
	fields createKeywordWatchlistRequest // without a prompt
}

// DecodeObject implements endpoint.ObjectDecoder.
func (n *newKeywordWatchlist) DecodeObject(o endpoint.Object) error {
	if !o.Has("prompt") {
		return endpoint.Bind(o, &n.fields)
	}
	n.prompt = &createByPrompt{}
	return n.prompt.DecodeObject(o)
}

// createKeywordWatchlist serves the creation of watchlists with keywords: of
// keyword and of forum watchlists.
func (s watchlists) createKeywordWatchlist(t watchpost.WatchlistType) func(context.Context, *actors.IdempotencyKey, newKeywordWatchlist) (actors.WatchlistView, error) {
	fromPrompt := s.createFromPrompt(t)
	return func(ctx context.Context, key *actors.IdempotencyKey, body newKeywordWatchlist) (actors.WatchlistView, error) {
		if body.prompt != nil {
			return fromPrompt(ctx, key, *body.prompt)
		}
		w := body.fields.made(t)
		warnings, err := s.phraseWarnings(ctx, w.Keywords)
		if err != nil {
			return actors.WatchlistView{}, err
		}
		return endpoint.SendOnce(ctx, s.Registry, key, actors.CreateWatchlist{Watchlist: w, Warnings: warnings})
	}
}

// showCreatedWatchlist is the reply to a POST.
func showCreatedWatchlist(body newKeywordWatchlist, view actors.WatchlistView) createKeywordWatchlistReply {
	if body.prompt != nil {
		return showPromptedWatchlist(*body.prompt, view)
	}
	results := body.fields.results
	watchpost.IdentifyKeywords(results, body.fields.kept, view.Watchlist.Keywords)
	return createdKeywordWatchlist(&view, results)
}

// createdKeywordWatchlist is the reply to a create.
func createdKeywordWatchlist(view *actors.WatchlistView, results []watchpost.KeywordResult) createKeywordWatchlistReply {
	w := &view.Watchlist
	return createKeywordWatchlistReply{
		ID: w.ID, Name: w.Name, Slug: w.Slug(), Type: w.Type, Keywords: watchpost.KeywordTexts(w.Keywords),
		Frequency: w.Frequency.Hours(), Created: true, Results: results, scanOutlook: outlookOf(view),
	}
}

// getKeywordWatchlists serves the reading of watchlists with keywords.
func (s watchlists) getKeywordWatchlists(t watchpost.WatchlistType) func(*http.Request) (keywordWatchlists, error) {
	return func(r *http.Request) (keywordWatchlists, error) {
		one, views, err := s.readWatchlists(r.Context(), r, t)
		return keywordWatchlists{one, views}, err
	}
}

type updateKeywordWatchlistRequest struct {
	changedWatchlist
	Keywords  *[]keywordEntry `json:"keywords,omitempty"`
	Append    bool            `json:"append,omitempty" description:"add the keywords instead of replacing them"`
	Labels    *[]labelEntry   `json:"labels,omitempty"`
	Objective *string         `json:"objective,omitempty"`
	conditionNames

	kept    []watchpost.KeywordEntry
	results []watchpost.KeywordResult
	labels  []watchpost.Label
}

// CleanField implements endpoint.FieldCleaner.
func (r *updateKeywordWatchlistRequest) CleanField(name string) (err error) {
	switch {
	case name == "keywords" && r.Keywords != nil:
		r.kept, r.results, err = watchpost.CleanKeywords(keywordEntries(*r.Keywords))
	case name == "labels" && r.Labels != nil:
		r.labels, err = watchpost.CleanLabels(labels(*r.Labels))
	case name == "objective":
		trim(r.Objective)
	default:
		var known bool
		if known, err = r.cleanField(name); !known {
			err = r.changedWatchlist.CleanField(name)
		}
	}
	return err
}

// changedKeywordWatchlist is the body of a PUT: the fields to change, or a prompt.
type changedKeywordWatchlist struct {
	prompt *updateByPrompt
	fields updateKeywordWatchlistRequest // without a prompt
}

// DecodeObject implements endpoint.ObjectDecoder.
func (c *changedKeywordWatchlist) DecodeObject(o endpoint.Object) error {
	if !o.Has("prompt") {
		return endpoint.Bind(o, &c.fields)
	}
	c.prompt = &updateByPrompt{}
	return c.prompt.DecodeObject(o)
}

// updateKeywordWatchlist serves the change of watchlists with keywords.
func (s watchlists) updateKeywordWatchlist(t watchpost.WatchlistType) func(*http.Request, changedKeywordWatchlist) (updateWatchlistReply, error) {
	fromPrompt := s.updateFromPrompt(t)
	return func(r *http.Request, body changedKeywordWatchlist) (updateWatchlistReply, error) {
		if body.prompt != nil {
			return fromPrompt(r, *body.prompt)
		}
		request := &body.fields
		patch, err := request.patch(t)
		if err != nil {
			return updateWatchlistReply{}, err
		}
		reply, w, err := s.patchWatchlist(r.Context(), t, request.ID, patch)
		if err == nil && request.results != nil {
			watchpost.IdentifyKeywords(request.results, request.kept, w.Keywords)
			reply.Results = request.results
			err = s.addPhraseWarnings(r.Context(), &reply, request.kept)
		}
		return reply, err
	}
}

// patch returns the patch that the request makes of a watchlist of that family.
func (r *updateKeywordWatchlistRequest) patch(t watchpost.WatchlistType) (watchpost.WatchlistPatch, error) {
	p := r.fields()
	p.Objective, p.Append, p.Keywords = r.Objective, r.Append, r.kept
	p.Languages, p.Levels, p.Types = r.Languages, r.Levels, r.Types
	if r.Labels != nil {
		p.Labels = &r.labels
	}
	return p.ForType(t)
}
