package httpapi

import (
	"net/http"

	"github.com/go-fuego/fuego"

	"watchpost"
)

// The paths of prompts from before creating and updating took both keywords and
// prompts. They serve clients that still call them.

const tagDeprecated = "Deprecated"

func (s *Server) promptRoutes() {
	s.promptPath(watchpost.KeywordWatchlist, "/api-keyword-watchlist-prompt", "KeywordWatchlistFromPrompt", "a keyword watchlist")
	s.promptPath(watchpost.ForumWatchlist, "/api-forum-watchlist-prompt", "ForumWatchlistFromPrompt", "a forum watchlist")
}

// promptPath adds the two operations of one family.
func (s *Server) promptPath(t watchpost.WatchlistType, path, id, what string) {
	fuego.Post(s.api, path, s.createByPromptOnly(t),
		s.operation(teams, "create"+id, "Create "+what+" from a prompt", tagDeprecated), s.idempotent(), deprecated(),
		withBody("Invalid fetchFreqInHours", "Invalid 'name'"), withNewPrompt(),
		withError(http.StatusPaymentRequired, textWatchlistQuota))
	fuego.Put(s.api, path, s.updateByPromptOnly(t),
		s.operation(teams, "update"+id, "Change "+what+" by a prompt", tagDeprecated), deprecated(),
		withBody(textMissingID), withForeignErrors(), withPrompt(),
		withError(http.StatusBadRequest, textPromptOrFields), withError(http.StatusConflict, textDisabled))
}

func deprecated() fuego.RouteOption {
	return func(r *fuego.BaseRoute) { r.Operation.Deprecated = true }
}

func (s *Server) createByPromptOnly(t watchpost.WatchlistType) func(fuego.ContextWithBody[createByPrompt]) (createKeywordWatchlistReply, error) {
	return func(c fuego.ContextWithBody[createByPrompt]) (createKeywordWatchlistReply, error) {
		body, err := readBody(c.Request())
		if err != nil {
			return createKeywordWatchlistReply{}, err
		}
		return s.createFromPrompt(c.Context(), t, body)
	}
}

func (s *Server) updateByPromptOnly(t watchpost.WatchlistType) func(fuego.ContextWithBody[updateByPrompt]) (updateWatchlistReply, error) {
	return func(c fuego.ContextWithBody[updateByPrompt]) (updateWatchlistReply, error) {
		body, err := readBody(c.Request())
		if err != nil {
			return updateWatchlistReply{}, err
		}
		return s.updateFromPrompt(c.Context(), t, body)
	}
}
