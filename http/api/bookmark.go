package api

import (
	"net/http"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const textBookmark = "bookmark must be a boolean value"

func (s bookmarks) routes() {
	endpoint.HandleBody(s.API, http.MethodPut, "/api-posts", s.bookmark, s.Operation(endpoint.Teams(watchpost.ScopeWatchlists), "bookmarkPost", "Save a post, or no longer", endpoint.TagPosts),
		endpoint.WithBody(textMissingID, textBookmark), endpoint.WithError(http.StatusNotFound, textPostNotFound))
}

type bookmarkRequest struct {
	ID       filled `json:"id" required:"Missing required parameter: id"`
	Bookmark bool   `json:"bookmark" required:"bookmark must be a boolean value"`
}

type bookmarkReply struct {
	ID       watchpost.PostID `json:"id"`
	Bookmark bool             `json:"bookmark"`
	Updated  bool             `json:"updated"`
}

func (s bookmarks) bookmark(r *http.Request, request bookmarkRequest) (bookmarkReply, error) {
	id := watchpost.PostID(request.ID)
	_, err := actors.Ask(r.Context(), s.Registry, endpoint.TeamOf(r.Context()), actors.BookmarkPost{Post: id, Bookmark: request.Bookmark})
	return bookmarkReply{id, request.Bookmark, true}, err
}
