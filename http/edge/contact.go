package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"watchpost/http/endpoint"
	"watchpost/internal/cluster"
)

// contactPath is where a node asks another for a sign of life (cluster.Contacts).
const contactPath = "/cluster/contact"

// headerNode is the id of the node that gives a sign of life.
const headerNode = "X-Watchpost-Node"

// errSilent means that the node that was asked gives no sign of life.
var errSilent = errors.New("the node gives no sign of life")

// KeepContact asks the other nodes for signs of life until ctx ends.
func (e *Edge) KeepContact(ctx context.Context) { e.contacts.Keep(ctx, e.Node, e.contact) }

// contact asks another node for a sign of life.
func (e *Edge) contact(ctx context.Context, node string) {
	err := e.sign(ctx, node, false)
	switch {
	case err == nil:
		e.contacts.Answered(node, endpoint.RealNow())
	case ctx.Err() == nil: // the review draws the conclusion, unless the database knows that it is gone
		e.reportDead(ctx, node, err)
	}
}

// sign asks a node for a sign of life. With back, that node has to get one from this node
// at its address too.
func (e *Edge) sign(ctx context.Context, node string, back bool) error {
	ctx, cancel := context.WithTimeout(ctx, cluster.ContactLost)
	defer cancel()
	query := url.Values{"from": {e.Node.ID()}}
	if back {
		query.Set("back", "1")
	}
	target := url.URL{Scheme: "https", Host: node, Path: contactPath, RawQuery: query.Encode()}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return err
	}
	reply, err := e.transport.RoundTrip(r)
	if err != nil {
		return err
	}
	defer func() { _ = reply.Body.Close() }()                          // the part that has arrived is enough
	if who := reply.Header.Get(headerNode); who != "" && who != node { // an earlier build does not say
		return fmt.Errorf("another node answers there: %s", who)
	}
	if reply.StatusCode != http.StatusNoContent {
		why, _ := io.ReadAll(io.LimitReader(reply.Body, maxReason)) // a part of it will do
		return &unreachedError{node, strings.TrimSpace(string(why))}
	}
	return nil
}

// maxReason bounds the reason of another node in bytes.
const maxReason = 1 << 10

// unreachedError is the reply of a node that cannot connect to this one.
type unreachedError struct{ node, why string }

// Error implements error.
func (e *unreachedError) Error() string {
	return fmt.Sprintf("node %s does not reach this one: %s", e.node, e.why)
}

// contacted answers another node.
func (e *Edge) contacted(w http.ResponseWriter, r *http.Request) {
	from := r.URL.Query().Get("from")
	w.Header().Set(headerNode, e.Node.ID())
	if r.URL.Query().Get("back") != "" {
		if err := e.sign(r.Context(), from, false); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
	}
	e.contacts.AskedBy(from, endpoint.RealNow())
	w.WriteHeader(http.StatusNoContent)
}

// Reached returns why this node itself, or most of the others, cannot connect to it at its
// address; nil if they can (cluster.Options.Reached).
func (e *Edge) Reached(ctx context.Context, others []string) error {
	if err := e.sign(ctx, e.Node.ID(), false); err != nil {
		return fmt.Errorf("this node does not reach itself at its address %s: %w", e.Node.ID(), err)
	}
	failures := make([]error, len(others))
	var asking sync.WaitGroup
	for i, node := range others {
		asking.Go(func() {
			var unreached *unreachedError
			if failures[i] = e.sign(ctx, node, true); failures[i] != nil && !errors.As(failures[i], &unreached) && ctx.Err() == nil {
				e.reportDead(ctx, node, failures[i])
			}
		})
	}
	asking.Wait()
	return cluster.MostFailed(failures)
}
