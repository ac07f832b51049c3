package api

import (
	"net/http"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

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
		withPatchBody(labelTexts...), withPrompt(), endpoint.WithError(http.StatusBadRequest, textPromptOrFields), endpoint.WithError(http.StatusConflict, textDisabled))
	endpoint.Handle(s.API, http.MethodDelete, path, s.deleteWatchlist(watchpost.ForumWatchlist),
		s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "deleteForumWatchlist", "Delete a forum watchlist with the posts that only it collected", endpoint.TagWatchlists),
		withDeletedID())
}
