package edge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"watchpost/internal/cluster"
)

// A node that sees a new view gives the teams that move up a few at a time. The next
// owner of a team does not wait for all of them: with the first request it asks the
// last owner for that team alone.
const handoverPath = "/cluster/handover"

// awaitOrTakeOver waits until Place may answer otherwise for a name that was not here: until
// another owner may be asked again, or this one has taken the name over. The node that
// probably serves the name is asked once for all requests.
func (e *Edge) awaitOrTakeOver(ctx context.Context, name string, place cluster.Place, changed <-chan struct{}) error {
	switch {
	case place.Owner != "" && place.Owner != e.Node.ID():
		pause := askAgain
		if silent, _ := e.contacts.Silent(place.Owner); silent {
			pause = cluster.ContactEvery // it does not change before
		}
		return wait(ctx, changed, pause)
	case place.From == "":
		return wait(ctx, changed, 0)
	}
	asked := e.takeovers.DoChan(name, func() (any, error) {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), holdTime)
		defer cancel()
		return nil, e.ask(bounded, name, place)
	})
	select {
	case reply := <-asked:
		if reply.Err != nil {
			return wait(ctx, changed, 0) // until every member has confirmed the view
		}
	case <-changed:
	case <-ctx.Done():
	}
	return ctx.Err() // and not by chance when several have happened
}

// ask has a node hand a name over to this one.
func (e *Edge) ask(ctx context.Context, name string, place cluster.Place) error {
	query := url.Values{"name": {name}, "to": {e.Node.ID()}, "view": {strconv.FormatInt(place.View, 10)}}
	target := url.URL{Scheme: "https", Host: place.From, Path: handoverPath, RawQuery: query.Encode()}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), http.NoBody)
	if err != nil {
		return err
	}
	reply, err := e.transport.RoundTrip(r)
	if err != nil {
		return err
	}
	_ = reply.Body.Close() // the status is enough
	if reply.StatusCode != http.StatusNoContent || !e.Node.TakeOver(name, place.View) {
		return fmt.Errorf("%s does not hand over %s: %s", place.From, name, reply.Status)
	}
	return nil
}

// handOver answers another node that asks for a name.
func (e *Edge) handOver(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	view, err := strconv.ParseInt(query.Get("view"), 10, 64)
	if err == nil {
		ctx, cancel := context.WithTimeout(r.Context(), holdTime)
		defer cancel()
		err = e.Node.HandOver(ctx, query.Get("name"), query.Get("to"), view)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// wait returns nil after a change or a pause; 0 is no pause. It returns an error
// when ctx has ended, also if there was a change: which of them was first is chance after a
// long forward.
func wait(ctx context.Context, changed <-chan struct{}, pause time.Duration) error {
	var over <-chan time.Time
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-changed:
	case <-over:
	case <-ctx.Done():
	}
	return ctx.Err()
}
