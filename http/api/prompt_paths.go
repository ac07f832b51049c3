package api

import (
	"net/http"

	"github.com/go-fuego/fuego"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// The paths of prompts from before creating and updating took both keywords and
// prompts. They serve clients that still call them.

func (s watchlists) promptRoutes() {
	s.promptPath(watchpost.KeywordWatchlist, "/api-keyword-watchlist-prompt", "KeywordWatchlistFromPrompt", "a keyword watchlist")
	s.promptPath(watchpost.ForumWatchlist, "/api-forum-watchlist-prompt", "ForumWatchlistFromPrompt", "a forum watchlist")
}

// promptPath adds the two operations of one family.
func (s watchlists) promptPath(t watchpost.WatchlistType, path, id, what string) {
	endpoint.HandleCreate(s.API, path, s.createFromPrompt(t), showPromptedWatchlist,
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "create"+id, "Create "+what+" from a prompt", endpoint.TagDeprecated), fuego.OptionDeprecated(),
		endpoint.WithBody("Invalid fetchFreqInHours", "Invalid 'name'"), withNewPrompt(),
		endpoint.WithError(http.StatusPaymentRequired, textWatchlistQuota))
	endpoint.HandleBody(s.API, http.MethodPut, path, s.updateFromPrompt(t),
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "update"+id, "Change "+what+" by a prompt", endpoint.TagDeprecated), fuego.OptionDeprecated(),
		endpoint.WithBody(textMissingID), withForeignErrors(), withPrompt(),
		endpoint.WithError(http.StatusBadRequest, textPromptOrFields), endpoint.WithError(http.StatusConflict, textDisabled))
}
