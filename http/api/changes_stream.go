package api

import (
	"errors"
	"net/http"
	"time"

	"watchpost/actors"
	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const (
	// streamComment is how often a stream without changes shows that it is alive.
	streamComment = 15 * time.Second
	// streamWrite bounds a write to a stream.
	streamWrite = 30 * time.Second
)

// streaming serves requests that accept events.
func (s changes) streaming(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !endpoint.Streams(r) {
			next.ServeHTTP(w, r)
			return
		}
		if err := s.stream(w, r); err != nil {
			s.WriteError(r, err)
		}
	})
}

// stream writes changes as server-sent events as they come. An error is one from before
// the first event. Later the stream ends, and the client comes back with Last-Event-ID.
func (s changes) stream(w http.ResponseWriter, r *http.Request) error {
	if last := r.Header.Get("Last-Event-Id"); last != "" {
		query := r.URL.Query()
		query.Set("cursor", last)
		copied := *r.URL
		copied.RawQuery = query.Encode()
		r = r.WithContext(r.Context())
		r.URL = &copied
	}
	q, err := readChangesQuery(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	team := endpoint.TeamOf(ctx)
	page, err := s.Registry.Changes(ctx, team, q.named, q.Query)
	if err != nil {
		return staleReply(err)
	}
	events := &eventWriter{w: w, out: http.NewResponseController(w)}
	events.begin()
	for more := true; more && events.write(&page); { // else the client has gone
		q.Now, q.Earliest, q.From = false, false, page.Cursor
		page, more = s.next(r, &q)
	}
	return nil
}

// next waits for the next page of a stream, which has no changes when it is time for a
// comment; more is false when the stream ends.
func (s changes) next(r *http.Request, q *changesQuery) (page actors.ChangesPage, more bool) {
	page, closes, err := s.await(r, q, streamComment)
	return page, err == nil && !closes
}

// eventWriter writes events.
type eventWriter struct {
	w   http.ResponseWriter
	out *http.ResponseController
	at  string // the id of the last event
}

func (e *eventWriter) begin() {
	h := e.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	_ = e.out.SetReadDeadline(time.Time{}) // a connection that cannot ends earlier, and the client comes back
}

// write writes the changes of a page; none are a comment that keeps the stream open. An
// event without data moves the client's id past changes that it has not asked for.
func (e *eventWriter) write(page *actors.ChangesPage) bool {
	var b []byte
	for i := range page.Changes {
		b = append(append(append(b, "id: "...), page.Places[i].String()...), "\nevent: change\ndata: "...)
		b = append(appendChange(b, page, i), "\n\n"...)
		e.at = page.Places[i].String()
	}
	if at := page.Cursor.String(); at != e.at {
		b = append(append(append(b, "id: "...), at...), "\n\n"...)
		e.at = at
	}
	if len(page.Changes) == 0 {
		b = append(b, ": alive\n\n"...)
	}
	_ = e.out.SetWriteDeadline(endpoint.RealNow().Add(streamWrite))
	_, err := e.w.Write(b) //nolint:gosec // the type is that of events: no browser shows them as a page
	return errors.Join(err, e.out.Flush()) == nil
}

// await waits for changes, for so long at most. closes reports that the service closes. The
// error is also that of a key which has lost its right to wait: it gets no change then.
func (s changes) await(r *http.Request, q *changesQuery, most time.Duration) (page actors.ChangesPage, closes bool, err error) {
	ctx, until := r.Context(), endpoint.RealNow().Add(most)
	for left := most; ; left = until.Sub(endpoint.RealNow()) {
		held, done, err := endpoint.Held(s.Server, r, watchpost.ScopeRead, left)
		if err != nil {
			return page, false, err
		}
		page, err = s.Registry.AwaitChanges(ctx, held, endpoint.TeamOf(ctx), q.named, q.Query)
		again, closes := endpoint.KeysChanged(held), endpoint.Closes(held)
		done()
		if err == nil && most > 0 {
			err = endpoint.StillHeld(s.Server, r, watchpost.ScopeRead)
		}
		if err != nil || !again || len(page.Changes) > 0 || page.More {
			return page, closes, err
		}
		q.Now, q.Earliest, q.From = false, false, page.Cursor
	}
}
