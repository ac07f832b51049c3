package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-fuego/fuego"

	"watchpost/actors"
	"watchpost/actors/changefeed"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

// fromEarliest is the value of cursor that means the oldest change that is kept.
const fromEarliest = "earliest"

func (s changes) routes() {
	text := openapi3.NewStringSchema
	var types []any
	for _, t := range watchpost.ChangeTypes() {
		types = append(types, string(t))
	}
	endpoint.Handle(s.API, http.MethodGet, endpoint.ChangesPath, s.getChanges,
		s.Operation(endpoint.Teams(watchpost.ScopeRead), "getChanges", "Follow what changes", endpoint.TagChanges),
		endpoint.Query("cursor", "`cursor` of an earlier reply; absent: nothing but the cursor of now; `earliest`: from the oldest change that is kept", text()),
		endpoint.Query("limit", "changes at most", openapi3.NewIntegerSchema().WithMin(1).WithMax(watchpost.MaxChangesPage).WithDefault(watchpost.ChangesPage)),
		endpoint.Query("wait", "seconds to wait for the first change", openapi3.NewIntegerSchema().WithMin(0).WithMax(watchpost.MaxChangesWait.Seconds()).WithDefault(0)),
		endpoint.Query("types", "changes of these types only", openapi3.NewArraySchema().WithItems(text().WithEnum(types...))),
		endpoint.Query("watchlist_id", "changes that concern these watchlists only", openapi3.NewArraySchema().WithItems(text())),
		endpoint.WithError(http.StatusBadRequest, "Invalid 'cursor'", "Invalid 'limit'", "Invalid 'wait'", "Invalid 'types'", "Invalid watchlist ID(s)"),
		endpoint.WithError(http.StatusForbidden, watchpost.TextAccessDenied),
		fuego.OptionAddResponse(http.StatusGone, "Changes behind the cursor are lost: begin again from `earliest`",
			fuego.Response{Type: staleCursor{}, ContentTypes: []string{"application/json"}}),
		fuego.OptionMiddleware(s.streaming))
}

// staleCursor is the body of a 410.
type staleCursor struct {
	Error    string `json:"error" validate:"required" example:"Cursor is too old"`
	Earliest string `json:"earliest" validate:"required" example:"AQAAAAAAAAcSrpvVTve01Eo" description:"the cursor from which all that is kept can be read"`
}

// change is a change of the API.
type change struct {
	Cursor    string                 `json:"cursor" example:"AQAAAAAAAAcSrpvVTve01Eo" description:"goes on behind this change"`
	Type      watchpost.ChangeType   `json:"type" validate:"oneof=post task interaction watchlist"`
	Action    watchpost.ChangeAction `json:"action" validate:"oneof=matched updated removed completed failed cancelled done created changed deleted"`
	At        endpoint.Timestamp     `json:"at"`
	ID        string                 `json:"id"`
	Watchlist *watchpost.WatchlistID `json:"watchlist_id" description:"the watchlist that got or lost the post, or the watchlist itself"`
	Data      json.RawMessage        `json:"data" description:"what the change is about as it is now; null when it is gone"`
}

// changesReply documents the fields of a reply. AppendTo writes page instead.
type changesReply struct {
	Changes  []change            `json:"changes" validate:"required" description:"what has changed, in the order in which it became durable"`
	Cursor   string              `json:"cursor" example:"AQAAAAAAAAcSrpvVTve01Eo" description:"goes on behind all of these"`
	More     bool                `json:"more" description:"there are changes behind the cursor already"`
	Earliest *endpoint.Timestamp `json:"earliest_at" description:"when the oldest change was made that is kept; null: there is none"`
	page     *actors.ChangesPage
}

// changesQuery is a request for changes.
type changesQuery struct {
	changefeed.Query
	named []string
	wait  time.Duration
}

func readChangesQuery(r *http.Request) (q changesQuery, err error) {
	p := endpoint.ReadParams(r)
	cursor := p.One("cursor")
	switch cursor {
	case "":
		q.Now = true
	case fromEarliest:
		q.Earliest = true
	default:
		q.From = single(p, "cursor", changefeed.ParseCursor)
	}
	q.Limit = p.Number("limit", watchpost.ChangesPage, watchpost.MaxChangesPage)
	q.wait = readWait(p)
	if types := endpoint.Each(p, "types", watchpost.ParseChangeType); len(types) > 0 {
		q.Types = map[watchpost.ChangeType]bool{}
		for _, t := range types {
			q.Types[t] = true
		}
	}
	q.named = p.List("watchlist_id")
	return q, p.Err
}

// readWait reads for how long a request may wait.
func readWait(p *endpoint.Params) time.Duration {
	value := p.One("wait")
	if value == "" {
		return 0
	}
	seconds, err := strconv.Atoi(value)
	if wait := time.Duration(seconds) * time.Second; err == nil && seconds >= 0 && wait <= watchpost.MaxChangesWait {
		return wait
	}
	p.Refuse("wait")
	return 0
}

func (s changes) getChanges(r *http.Request) (changesReply, error) {
	q, err := readChangesQuery(r)
	if err != nil {
		return changesReply{}, err
	}
	page, _, err := s.await(r, &q, q.wait)
	if err != nil {
		return changesReply{}, staleReply(err)
	}
	return changesReply{page: &page}, nil
}

// staleReply gives a cursor that cannot be read from its reply.
func staleReply(err error) error {
	var stale *changefeed.StaleError
	if !errors.As(err, &stale) {
		return err
	}
	return &endpoint.ReplyError{Status: http.StatusGone, Body: staleCursor{stale.Text, stale.Earliest.String()}, Cause: err}
}

// AppendTo implements endpoint.AppendedReply.
func (r changesReply) AppendTo(b []byte) []byte {
	b = append(b, `{"changes":[`...)
	for i := range r.page.Changes {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendChange(b, r.page, i)
	}
	b = append(append(append(b, `],"cursor":"`...), r.page.Cursor.String()...), `","more":`...)
	b = append(strconv.AppendBool(b, r.page.More), `,"earliest_at":`...)
	b = appendOrNull(b, string(endpoint.TimestampOf(r.page.Kept.At)), !r.page.Kept.At.IsZero())
	return append(b, '}')
}

// appendOrNull appends a text without characters that JSON escapes, or null.
func appendOrNull(b []byte, text string, there bool) []byte {
	if !there {
		return append(b, "null"...)
	}
	return append(append(append(b, '"'), text...), '"')
}

// appendChange appends a change of a page.
func appendChange(b []byte, page *actors.ChangesPage, i int) []byte {
	c := &page.Changes[i]
	member := func(name, value string) {
		b = append(append(append(append(b, name...), value...), '"'), ',')
	}
	member(`{"cursor":"`, page.Places[i].String())
	member(`"type":"`, string(c.Type))
	member(`"action":"`, string(c.Action))
	member(`"at":"`, string(endpoint.TimestampOf(c.At)))
	member(`"id":"`, c.ID)
	b = appendOrNull(append(b, `"watchlist_id":`...), string(c.Watchlist), c.Watchlist != "")
	return append(appendData(append(b, `,"data":`...), page, c), '}')
}

// appendData appends what a change is about.
func appendData(b []byte, page *actors.ChangesPage, c *watchpost.Change) []byte {
	var shown any
	switch task := watchpost.TaskID(c.ID); {
	case c.Type == watchpost.ChangePost:
		if p := page.Posts[watchpost.PostID(c.ID)]; p != nil {
			return p.Append(b, page.Asked, page.Tagging)
		}
	case c.Type == watchpost.ChangeWatchlist:
		if view, there := page.Watchlists[c.Watchlist]; there {
			shown = shownWatchlist(&view)
		}
	case c.Type == watchpost.ChangeInteraction && c.Action == watchpost.InteractionDone:
		if i := page.Interactions[task]; i != nil {
			_, shown = Exported(*i)
		}
	default:
		if view, there := page.Tasks[task]; there {
			shown = shownTask(view)
		}
	}
	data, err := json.Marshal(shown)
	if err != nil {
		panic(err) // our own types
	}
	return append(b, data...)
}

// shownWatchlist shows a watchlist of any kind as its GET does.
func shownWatchlist(view *actors.WatchlistView) any {
	switch view.Watchlist.Type {
	case watchpost.PeopleWatchlist:
		return shownPeople(view, nil)
	case watchpost.CompanyWatchlist:
		return shownCompanies(view, nil)
	}
	return shownKeywordWatchlist(*view)
}
