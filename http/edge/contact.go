package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"watchpost/http/endpoint"
)

// The nodes of a cluster ask each other for a sign of life. Membership does not depend
// on it: who reaches the database is a member. But a member that the others cannot
// reach is of no use to their clients:
//
//   - A node joins when most of the others have connected to it at its address, and so
//     has it itself. A member that hears nothing from most of the others steps out, and
//     joins again in the same way.
//   - A request that was forwarded to a node which does not answer is sent to it through
//     another node, or to the next owner, where that does no harm. A new view begins, so
//     that the node refuses what it gets late.
const (
	contactPath  = "/cluster/contact"
	contactEvery = time.Second
	// contactLost is how long a node may be silent.
	contactLost = 3 * time.Second
)

// headerNode is the id of the node that gives a sign of life.
const headerNode = "X-Watchpost-Node"

// errSilent means that the node that was asked gives no sign of life.
var errSilent = errors.New("the node gives no sign of life")

// contacts are what this node knows about its contact with the others. Times are by
// RealNow.
type contacts struct {
	mu    sync.Mutex
	heard map[string]time.Time // when a node last asked this one, or became known
	met   map[string]time.Time // when a node last answered this one, or became known
	// changed is closed and replaced when a node falls silent.
	changed chan struct{}
	last    time.Time // of the last look
}

func newContacts() *contacts {
	return &contacts{heard: map[string]time.Time{}, met: map[string]time.Time{}, changed: make(chan struct{})}
}

// KeepContact asks the other nodes for signs of life until ctx ends.
func (e *Edge) KeepContact(ctx context.Context) {
	var asking sync.WaitGroup
	defer asking.Wait()
	ticker := time.NewTicker(contactEvery)
	defer ticker.Stop()
	owed := false // a view, because a node fell silent
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		others := e.Node.Others()
		for _, node := range others {
			asking.Go(func() { e.contact(ctx, node) })
		}
		apart, fell := e.contacts.look(others, e.Node.Member(e.Node.ID()), endpoint.RealNow())
		if apart {
			e.Node.StepOut()
		}
		if owed = owed || fell; owed {
			owed = e.Node.NextView(ctx) != nil // the next turn tries again
		}
	}
}

// contact asks another node for a sign of life.
func (e *Edge) contact(ctx context.Context, node string) {
	err := e.sign(ctx, node, false)
	switch {
	case err == nil:
		e.contacts.note(node, false)
	case ctx.Err() == nil: // look draws the conclusion, unless the database knows that it is gone
		e.reportDead(ctx, node, err)
	}
}

// sign asks a node for a sign of life. With back, that node has to get one from this node
// at its address too.
func (e *Edge) sign(ctx context.Context, node string, back bool) error {
	ctx, cancel := context.WithTimeout(ctx, contactLost)
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
	defer func() { _ = reply.Body.Close() }()                          // what has come is enough
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
	e.contacts.note(from, true)
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
	failures = slices.DeleteFunc(failures, func(err error) bool { return err == nil })
	if 2*len(failures) > len(others) {
		return errors.Join(failures...)
	}
	return nil
}

// note notes that a node has asked this one, or answered it.
func (k *contacts) note(node string, asked bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if asked {
		k.heard[node] = endpoint.RealNow()
	} else {
		k.met[node] = endpoint.RealNow()
	}
}

// look reports whether most of the other nodes have not asked this one, a member, for too
// long. After a pause of this process the count starts again. fell tells that one more
// node has been silent for too long in answering.
func (k *contacts) look(others []string, member bool, now time.Time) (apart, fell bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.last
	paused := now.Sub(before) > contactLost/2
	k.last = now
	silent := 0
	heard, met := map[string]time.Time{}, map[string]time.Time{}
	since := func(of map[string]time.Time, node string, counts bool) time.Time {
		if last, known := of[node]; known && counts && !paused {
			return last
		}
		return now
	}
	for _, node := range others {
		heard[node] = since(k.heard, node, member)
		met[node] = since(k.met, node, true)
		if now.Sub(heard[node]) > contactLost {
			silent++
		}
		if now.Sub(met[node]) > contactLost {
			close(k.changed)
			k.changed = make(chan struct{})
			fell = fell || before.Sub(met[node]) <= contactLost
		}
	}
	k.heard, k.met = heard, met
	return 2*silent > len(others), fell
}

// silent reports whether a node has given no sign of life for too long, and returns a
// channel that is closed when one falls silent.
func (k *contacts) silent(node string) (bool, <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	last, known := k.met[node]
	return known && k.last.Sub(last) > contactLost, k.changed
}
