package httpapi

import (
	"net/http"

	"watchpost/watchpost"
)

// forumRoutes serves the watchlists of the forum, which are those of
// keywords in all but where they look and how often.
func (s watchlists) forumRoutes() {
	const path = "/api-forum-watchlist"
	handleCreate(s.api, path, s.createKeywordWatchlist(watchpost.ForumWatchlist), showCreatedWatchlist,
		s.operation(teams, "createForumWatchlist", "Create a forum watchlist", tagWatchlists),
		withKeywordsBody(), withNewPrompt(), withError(http.StatusPaymentRequired, textWatchlistQuota))
	handle(s.api, http.MethodGet, path, s.getKeywordWatchlists(watchpost.ForumWatchlist),
		s.operation(teams, "getForumWatchlist", "List forum watchlists, or show one", tagWatchlists),
		withShownID())
	handleBody(s.api, http.MethodPut, path, s.updateKeywordWatchlist(watchpost.ForumWatchlist),
		s.operation(teams, "updateForumWatchlist", "Change a forum watchlist", tagWatchlists),
		withPatchBody(labelTexts...), withPrompt(), withError(http.StatusBadRequest, textPromptOrFields), withError(http.StatusConflict, textDisabled))
	handle(s.api, http.MethodDelete, path, s.deleteWatchlist(watchpost.ForumWatchlist),
		s.operation(teams, "deleteForumWatchlist", "Delete a forum watchlist with the posts that only it collected", tagWatchlists),
		withDeletedID())
}
