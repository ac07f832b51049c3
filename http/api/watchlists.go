package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/actors/root"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// What the four families of watchlists have in common.

const (
	textMissingID      = "Missing required parameter: id"
	textWatchlistQuota = "Your plan includes up to 2 watchlists. Upgrade your plan or delete a watchlist to create another."
	textUpdated        = "Watchlist updated successfully"
	textDeleted        = "Watchlist and all related data deleted successfully"
)

// withForeignErrors documents what a watchlist that is not the team's leads to.
func withForeignErrors() fuego.RouteOption {
	return func(r *fuego.BaseRoute) {
		endpoint.WithError(http.StatusForbidden, watchpost.TextAccessDenied)(r)
		endpoint.WithError(http.StatusNotFound, watchpost.TextWatchlistNotFound)(r)
	}
}

// withShownID documents the parameter of a GET and its errors.
func withShownID() fuego.RouteOption {
	return fuego.GroupOptions(
		endpoint.Query("id", "the watchlist to show; without it all are listed", openapi3.NewStringSchema()),
		endpoint.WithError(http.StatusBadRequest, "Invalid 'id'"), withForeignErrors())
}

// withWatchlistBody documents the errors of a POST.
func withWatchlistBody(texts ...string) fuego.RouteOption {
	return endpoint.WithBody(slices.Concat(texts, fieldTexts, labelTexts)...)
}

// withPatchBody documents the errors of a PUT.
func withPatchBody(texts ...string) fuego.RouteOption {
	own := []string{textMissingID, "No valid update fields provided", "Name cannot be empty", "disable must be a boolean value"}
	return fuego.GroupOptions(endpoint.WithBody(slices.Concat(own, fieldTexts, texts)...), withForeignErrors())
}

// fieldTexts are the errors of the fields that every watchlist has.
var fieldTexts = []string{"Invalid fetchFreqInHours", "Invalid 'name'", "Invalid 'slack_webhook_url'"}

// labelTexts are the errors of labels.
var labelTexts = []string{
	"Invalid 'labels'", "Invalid 'labels': a label must have a name", "Invalid 'labels': a name must not contain a comma", "Invalid 'labels': a name must not contain control characters",
	fmt.Sprintf("Invalid 'labels': a name must be %d characters or fewer", watchpost.MaxLabel),
	fmt.Sprintf("Invalid 'labels': at most %d default labels", watchpost.MaxDefaultLabels),
	fmt.Sprintf("At most %d labels per watchlist", watchpost.MaxLabels),
}

// withDeletedID documents the parameter of a DELETE and its errors.
func withDeletedID() fuego.RouteOption {
	return fuego.GroupOptions(
		endpoint.Query("id", "the watchlist; may be given in a JSON body instead", openapi3.NewStringSchema()),
		endpoint.WithError(http.StatusBadRequest, textMissingID), withForeignErrors())
}

// newWatchlist are the fields that every POST takes.
type newWatchlist struct {
	Name        string       `json:"name,omitempty" example:"Observability" maxLength:"120,own"`
	Description string       `json:"description,omitempty"`
	Labels      []labelEntry `json:"labels,omitempty"`
	Frequency   *float64     `json:"fetchFreqInHours,omitempty" invalid:"Invalid fetchFreqInHours" validate:"oneof=1 3 6 12 24 48 72" example:"12"`
	SlackURL    string       `json:"slack_webhook_url,omitempty"`

	frequency watchpost.FetchFrequency // 0: not given
	labels    []watchpost.Label
}

// CleanField implements endpoint.FieldCleaner.
func (n *newWatchlist) CleanField(name string) (err error) {
	switch name {
	case "name":
		n.Name, err = endpoint.ReadName(n.Name)
	case "labels":
		n.labels, err = watchpost.CleanLabels(labels(n.Labels))
	case "fetchFreqInHours":
		if n.Frequency != nil {
			n.frequency, err = watchpost.ParseFetchFrequency(*n.Frequency)
		}
	case "slack_webhook_url":
		n.SlackURL, err = watchpost.CleanSlackURL(n.SlackURL)
	}
	return err
}

// watchlist returns the watchlist that is asked for. Its name is empty when one
// is to be made up.
func (n *newWatchlist) watchlist(t watchpost.WatchlistType) watchpost.Watchlist {
	return watchpost.Watchlist{
		Type: t, Name: n.Name, Description: n.Description, Labels: n.labels, SlackURL: n.SlackURL,
		Frequency: cmp.Or(n.frequency, watchpost.DefaultFrequency(t)),
	}
}

// changedWatchlist are the fields that every PUT takes.
type changedWatchlist struct {
	ID          string            `json:"id" required:"Missing required parameter: id"`
	Name        *string           `json:"name,omitempty" maxLength:"120,own"`
	Description *string           `json:"description,omitempty"`
	Frequency   *float64          `json:"fetchFreqInHours,omitempty" invalid:"Invalid fetchFreqInHours" validate:"oneof=1 3 6 12 24 48 72" example:"24"`
	Disable     *bool             `json:"disable,omitempty" invalid:"disable must be a boolean value"`
	SlackURL    endpoint.Nullable `json:"slack_webhook_url,omitempty"`
	ScanNow     bool              `json:"scan_now,omitempty" description:"true: scan all entries now, within the allowances"`

	frequency *watchpost.FetchFrequency
}

// CleanField implements endpoint.FieldCleaner.
func (r *changedWatchlist) CleanField(name string) (err error) {
	switch name {
	case "id":
		if r.ID == "" {
			err = watchpost.Errorf(watchpost.Invalid, textMissingID)
		}
	case "name":
		if r.Name != nil {
			*r.Name, err = watchpost.CleanName(*r.Name)
		}
	case "description":
		trim(r.Description)
	case "fetchFreqInHours":
		if r.Frequency != nil {
			var f watchpost.FetchFrequency
			f, err = watchpost.ParseFetchFrequency(*r.Frequency)
			r.frequency = &f
		}
	case "slack_webhook_url":
		r.SlackURL.Value, err = watchpost.CleanSlackURL(r.SlackURL.Value)
	}
	return err
}

// trim trims a text that is given.
func trim(s *string) {
	if s != nil {
		*s = strings.TrimSpace(*s)
	}
}

// fields returns the patch that they make.
func (r *changedWatchlist) fields() watchpost.WatchlistPatch {
	p := watchpost.WatchlistPatch{Name: r.Name, Description: r.Description, Disable: r.Disable, Frequency: r.frequency, ScanNow: r.ScanNow}
	if r.SlackURL.Set {
		p.SlackURL = &r.SlackURL.Value
	}
	return p
}

// readWatchlists returns the watchlist that a GET names or, when it names
// none, all of the type.
func (s watchlists) readWatchlists(ctx context.Context, r *http.Request, t watchpost.WatchlistType) (*actors.WatchlistView, []actors.WatchlistView, error) {
	p := endpoint.ReadParams(r)
	id := p.One("id")
	if p.Err != nil {
		return nil, nil, p.Err
	}
	if id == "" {
		views, err := actors.Ask(ctx, s.Registry, endpoint.TeamOf(ctx), actors.ListWatchlists{Type: t})
		return nil, views, err
	}
	view, err := askWatchlist(ctx, s.Registry, id, actors.GetWatchlist{Type: t, ID: watchpost.WatchlistID(id)})
	return &view, nil, err
}

type updateWatchlistReply struct {
	ID        watchpost.WatchlistID `json:"id"`
	Name      string                `json:"name,omitempty"`
	Frequency int                   `json:"fetchFreqInHours,omitempty"`
	Disable   *bool                 `json:"disable,omitempty"`
	Updated   bool                  `json:"updated"`
	Message   string                `json:"message" example:"Watchlist updated successfully"`
	Prompt    string                `json:"prompt,omitempty" description:"in prompt mode, with the keywords and in place of the other fields"`
	Keywords  []string              `json:"keywords,omitempty" description:"in prompt mode"`

	Interpreter string `json:"interpreter,omitempty" example:"rules" description:"in prompt mode: rules, or the name of the model that interpreted"`

	Results []watchpost.KeywordResult `json:"results,omitempty" description:"of the keywords given; not in prompt mode"`
	scanOutlook
}

// patchWatchlist changes a watchlist by fields.
func (s watchlists) patchWatchlist(ctx context.Context, t watchpost.WatchlistType, id string, patch watchpost.WatchlistPatch) (updateWatchlistReply, watchpost.Watchlist, error) {
	view, err := askWatchlist(ctx, s.Registry, id, actors.UpdateWatchlist{Type: t, ID: watchpost.WatchlistID(id), Patch: patch})
	if err != nil {
		return updateWatchlistReply{}, watchpost.Watchlist{}, err
	}
	w := view.Watchlist
	return updateWatchlistReply{
		ID: w.ID, Name: w.Name, Frequency: w.Frequency.Hours(), Disable: &w.Disabled, Updated: true, Message: textUpdated, scanOutlook: outlookOf(&view),
	}, w, nil
}

type deleteWatchlistReply struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
	Message string `json:"message" example:"Watchlist and all related data deleted successfully"`
}

// deleteWatchlist serves the deletion of watchlists of any type.
func (s watchlists) deleteWatchlist(t watchpost.WatchlistType) func(*http.Request) (deleteWatchlistReply, error) {
	return func(r *http.Request) (deleteWatchlistReply, error) {
		id, err := idOfDelete(s.Server, r)
		if err != nil {
			return deleteWatchlistReply{}, err
		}
		_, err = askWatchlist(r.Context(), s.Registry, id, actors.DeleteWatchlist{Type: t, ID: watchpost.WatchlistID(id)})
		if err != nil {
			return deleteWatchlistReply{}, err
		}
		return deleteWatchlistReply{id, true, textDeleted}, nil
	}
}

// idOfDelete reads the id from the query or, without one there, from the body.
func idOfDelete(s *endpoint.Server, r *http.Request) (string, error) {
	p := endpoint.ReadParams(r)
	id := p.One("id")
	if p.Err != nil || id != "" {
		return id, p.Err
	}
	if r.ContentLength == 0 {
		return "", watchpost.Errorf(watchpost.Invalid, textMissingID)
	}
	request, err := endpoint.ReadBody[watchlistID](s, r)
	return request.ID, err
}

// watchlistID names the watchlist that a request is for.
type watchlistID struct {
	ID string `json:"id" required:"Missing required parameter: id"`
}

// CleanField implements endpoint.FieldCleaner.
func (w *watchlistID) CleanField(string) error {
	if w.ID == "" {
		return watchpost.Errorf(watchpost.Invalid, textMissingID)
	}
	return nil
}

// askWatchlist asks the team for something of one watchlist. What the team
// does not know may be another team's.
func askWatchlist[R any](ctx context.Context, registry *actors.Registry, id string, request root.Request[R]) (R, error) {
	var none R
	if !watchpost.ValidID(id) {
		return none, watchpost.Errorf(watchpost.NotFound, watchpost.TextWatchlistNotFound)
	}
	reply, err := actors.Ask(ctx, registry, endpoint.TeamOf(ctx), request)
	if err != nil && watchpost.KindOf(err) == watchpost.NotFound {
		if denied := registry.WatchlistAccess(ctx, endpoint.TeamOf(ctx), id); denied != nil {
			return none, denied
		}
	}
	return reply, err
}
