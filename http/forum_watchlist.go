package httpapi

import (
	"net/http"

	"watchpost/watchpost"
)

// forumWatchlistRoutes serves the watchlists of the forum, which are those of
// keywords in all but where they look and how often.
func (s *Server) forumWatchlistRoutes() {
	const path = "/api-forum-watchlist"
	handleCreate(s, path, s.createKeywordWatchlist(watchpost.ForumWatchlist), showCreatedWatchlist,
		s.operation(teams, "createForumWatchlist", "Create a forum watchlist", tagWatchlists),
		withKeywordsBody(), withNewPrompt(), withError(http.StatusPaymentRequired, textWatchlistQuota))
	handle(s, s.api, http.MethodGet, path, s.getKeywordWatchlists(watchpost.ForumWatchlist),
		s.operation(teams, "getForumWatchlist", "List forum watchlists, or show one", tagWatchlists),
		withShownID())
	handleBody(s, s.api, http.MethodPut, path, s.updateKeywordWatchlist(watchpost.ForumWatchlist),
		s.operation(teams, "updateForumWatchlist", "Change a forum watchlist", tagWatchlists),
		withPatchBody(labelTexts...), withPrompt(), withError(http.StatusBadRequest, textPromptOrFields), withError(http.StatusConflict, textDisabled))
	handle(s, s.api, http.MethodDelete, path, s.deleteWatchlist(watchpost.ForumWatchlist),
		s.operation(teams, "deleteForumWatchlist", "Delete a forum watchlist with the posts that only it collected", tagWatchlists),
		withDeletedID())
}
