package httpapi

import (
	"net/http"

	"github.com/go-fuego/fuego"

	"watchpost"
)

// forumWatchlistRoutes serves the watchlists of the forum, which are those of
// keywords in all but where they look and how often.
func (s *Server) forumWatchlistRoutes() {
	const path = "/api-forum-watchlist"
	fuego.Post(s.api, path, s.createKeywordWatchlist(watchpost.ForumWatchlist),
		s.operation(teams, "createForumWatchlist", "Create a forum watchlist", tagWatchlists), s.idempotent(),
		withKeywordsBody(), withNewPrompt(), withError(http.StatusPaymentRequired, textWatchlistQuota))
	fuego.Get(s.api, path, s.getKeywordWatchlists(watchpost.ForumWatchlist),
		s.operation(teams, "getForumWatchlist", "List forum watchlists, or show one", tagWatchlists),
		withShownID())
	fuego.Put(s.api, path, s.updateKeywordWatchlist(watchpost.ForumWatchlist),
		s.operation(teams, "updateForumWatchlist", "Change a forum watchlist", tagWatchlists),
		withPatchBody(labelTexts...), withPrompt(), withError(http.StatusBadRequest, textPromptOrFields), withError(http.StatusConflict, textDisabled))
	fuego.Delete(s.api, path, s.deleteWatchlist(watchpost.ForumWatchlist),
		s.operation(teams, "deleteForumWatchlist", "Delete a forum watchlist with the posts that only it collected", tagWatchlists),
		withDeletedID())
}
