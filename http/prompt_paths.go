package httpapi

import (
	"net/http"

	"github.com/go-fuego/fuego"

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
	handleCreate(s.api, path, s.createFromPrompt(t), showPromptedWatchlist,
		s.operation(teams, "create"+id, "Create "+what+" from a prompt", tagDeprecated), fuego.OptionDeprecated(),
		withBody("Invalid fetchFreqInHours", "Invalid 'name'"), withNewPrompt(),
		withError(http.StatusPaymentRequired, textWatchlistQuota))
	handleBody(s.api, http.MethodPut, path, s.updateFromPrompt(t),
		s.operation(teams, "update"+id, "Change "+what+" by a prompt", tagDeprecated), fuego.OptionDeprecated(),
		withBody(textMissingID), withForeignErrors(), withPrompt(),
		withError(http.StatusBadRequest, textPromptOrFields), withError(http.StatusConflict, textDisabled))
}
