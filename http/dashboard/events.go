package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"watchpost/actors/root"
)

const (
	// heartbeat is how often a stream without news shows that it is alive, and that
	// its session is.
	heartbeat = 20 * time.Second
	// writeTime bounds a write to a stream.
	writeTime = 30 * time.Second
)

// streamEvent is the data of a change event.
type streamEvent struct {
	Topic root.Topic `json:"topic"`
	ID    string     `json:"id,omitempty"`
}

// events streams what changes in the team's data. Events have no content: a page
// asks for the parts that it shows, so there is one renderer and one check of
// rights. The first event means everything, as a page cannot know the missed events.
func (d *Dashboard) events(w http.ResponseWriter, r *http.Request, v *visit) error {
	news, err := d.Registry.Subscribe(v.session.Team, v.member.ID)
	if err != nil {
		return err
	}
	defer news.Close()
	open, leave := context.WithCancel(r.Context())
	defer leave()
	go func() {
		select {
		case <-d.Closing:
			leave()
		case <-open.Done():
		}
	}()
	h, out := w.Header(), http.NewResponseController(w)
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	_ = out.SetReadDeadline(time.Time{}) // a connection that cannot ends earlier, and the browser comes back
	for {
		ctx, cancel := context.WithTimeout(open, heartbeat)
		changes, more := news.Next(ctx)
		quiet := ctx.Err() != nil && open.Err() == nil
		cancel()
		if !more && !quiet {
			return nil
		}
		if _, err := d.Registry.WebSession(r.Context(), v.token); err != nil {
			return nil // signed out elsewhere: the stream ends
		}
		_ = out.SetWriteDeadline(time.Now().Add(writeTime))
		_, err := w.Write(eventsOf(changes))
		if err := errors.Join(err, out.Flush()); err != nil {
			return nil // the browser has gone
		}
	}
}

// eventsOf writes changes as events; none are a comment that keeps the stream open.
func eventsOf(changes []root.Change) []byte {
	if len(changes) == 0 {
		return []byte(": alive\n\n")
	}
	var out []byte
	for _, c := range changes {
		data, err := json.Marshal(streamEvent{c.Topic, c.ID})
		if err != nil {
			continue // a topic and an id are always encoded
		}
		out = append(append(append(out, "event: change\ndata: "...), data...), "\n\n"...)
	}
	return out
}
