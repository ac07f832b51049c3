package httpapi

import (
	"context"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost"
	"watchpost/actors"
)

// What the four families of watchlists have in common.

const (
	tagWatchlists      = "Watchlists"
	textMissingID      = "Missing required parameter: id"
	textWatchlistQuota = "Your plan includes up to 2 watchlists. Upgrade your plan or delete a watchlist to create another."
	textUpdated        = "Watchlist updated successfully"
	textDeleted        = "Watchlist and all related data deleted successfully"
)

// failsForeign documents what a watchlist that is not the team's leads to.
func failsForeign() fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		fails(http.StatusForbidden, watchpost.TextAccessDenied)(r)
		fails(http.StatusNotFound, watchpost.TextWatchlistNotFound)(r)
	}
}

// takesShownID documents the parameter of a GET and its errors.
func takesShownID() fuego.RouteOption {
	return fuego.GroupOptions(
		query("id", "the watchlist to show; without it all are listed", openapi3.NewStringSchema()),
		fails(http.StatusBadRequest, "Invalid 'id'"), failsForeign())
}

// takesPatch documents the errors of a PUT.
func takesPatch() fuego.RouteOption {
	return fuego.GroupOptions(
		takesBody(textMissingID, "No valid update fields provided", "Name cannot be empty", "disable must be a boolean value"), failsForeign())
}

// takesDeletedID documents the parameter of a DELETE and its errors.
func takesDeletedID() fuego.RouteOption {
	return fuego.GroupOptions(
		query("id", "the watchlist; may be given in a JSON body instead", openapi3.NewStringSchema()),
		fails(http.StatusBadRequest, textMissingID), failsForeign())
}

// readWatchlists returns the watchlist that a GET names or, when it names
// none, all of the type.
func (s *Server) readWatchlists(ctx context.Context, r *http.Request, t watchpost.WatchlistType) (*actors.WatchlistView, []actors.WatchlistView, error) {
	p := readParams(r)
	id := p.one("id")
	if p.err != nil {
		return nil, nil, p.err
	}
	if id == "" {
		views, err := actors.Ask[[]actors.WatchlistView](ctx, s.registry, teamOf(ctx), actors.ListWatchlists{Type: t})
		return nil, views, err
	}
	view, err := askWatchlist[actors.WatchlistView](ctx, s, id, actors.GetWatchlist{Type: t, ID: watchpost.WatchlistID(id)})
	return &view, nil, err
}

type updateWatchlistReply struct {
	ID        watchpost.WatchlistID `json:"id"`
	Name      string                `json:"name"`
	Frequency int                   `json:"fetchFreqInHours"`
	Disable   bool                  `json:"disable"`
	Updated   bool                  `json:"updated"`
	Message   string                `json:"message" example:"Watchlist updated successfully"`
}

// patchWatchlist changes a watchlist by fields.
func (s *Server) patchWatchlist(ctx context.Context, t watchpost.WatchlistType, id string, patch watchpost.WatchlistPatch) (updateWatchlistReply, error) {
	view, err := askWatchlist[actors.WatchlistView](ctx, s, id, actors.UpdateWatchlist{Type: t, ID: watchpost.WatchlistID(id), Patch: patch})
	if err != nil {
		return updateWatchlistReply{}, err
	}
	w := view.Watchlist
	return updateWatchlistReply{w.ID, w.Name, w.Frequency.Hours(), w.Disabled, true, textUpdated}, nil
}

type deleteWatchlistReply struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
	Message string `json:"message" example:"Watchlist and all related data deleted successfully"`
}

// deleteWatchlist serves the deletion of watchlists of any type.
func (s *Server) deleteWatchlist(t watchpost.WatchlistType) func(fuego.ContextNoBody) (deleteWatchlistReply, error) {
	return func(c fuego.ContextNoBody) (deleteWatchlistReply, error) {
		id, err := idOfDelete(c.Request())
		if err != nil {
			return deleteWatchlistReply{}, err
		}
		_, err = askWatchlist[actors.Done](c.Context(), s, id, actors.DeleteWatchlist{Type: t, ID: watchpost.WatchlistID(id)})
		if err != nil {
			return deleteWatchlistReply{}, err
		}
		return deleteWatchlistReply{id, true, textDeleted}, nil
	}
}

// idOfDelete reads the id from the query or, without one there, from the body.
func idOfDelete(r *http.Request) (string, error) {
	p := readParams(r)
	id := p.one("id")
	if p.err != nil || id != "" {
		return id, p.err
	}
	if r.ContentLength == 0 {
		return "", watchpost.Errorf(watchpost.Invalid, textMissingID)
	}
	request, err := decode[struct {
		ID string `json:"id" required:"Missing required parameter: id"`
	}](r)
	if err == nil && request.ID == "" {
		err = watchpost.Errorf(watchpost.Invalid, textMissingID)
	}
	return request.ID, err
}

// askWatchlist asks the team for something of one watchlist. What the team
// does not know may be another team's.
func askWatchlist[R any](ctx context.Context, s *Server, id string, request any) (R, error) {
	var none R
	if !watchpost.ValidID(id) {
		return none, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound)
	}
	reply, err := actors.Ask[R](ctx, s.registry, teamOf(ctx), request)
	if err != nil && watchpost.KindOf(err) == watchpost.NotFound {
		if denied := s.registry.WatchlistAccess(ctx, teamOf(ctx), id); denied != nil {
			return none, denied
		}
	}
	return reply, err
}
