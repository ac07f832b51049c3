package edge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// clockPath is where a node takes over the test clock of another, at the listener for
// peers.
const clockPath = "/cluster/clock"

// ShareClock sets the test clocks of the other nodes forward to this one's.
func (e *Edge) ShareClock(ctx context.Context) error {
	query := url.Values{"offset": {strconv.FormatInt(int64(e.testClock.Offset()), 10)}}.Encode()
	for _, node := range e.Node.Others() {
		target := url.URL{Scheme: "https", Host: node, Path: clockPath, RawQuery: query}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), http.NoBody)
		if err != nil {
			return err
		}
		reply, err := e.transport.RoundTrip(r)
		if err != nil {
			return fmt.Errorf("set the clock of %s: %w", node, err)
		}
		_ = reply.Body.Close() // it is empty
		if reply.StatusCode != http.StatusNoContent {
			return fmt.Errorf("set the clock of %s: %s", node, reply.Status)
		}
	}
	return nil
}

func (e *Edge) followClock(w http.ResponseWriter, r *http.Request) {
	offset, err := strconv.ParseInt(r.URL.Query().Get("offset"), 10, 64)
	if err == nil {
		err = e.testClock.Follow(time.Duration(offset))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
