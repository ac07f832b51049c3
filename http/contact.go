package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"time"
)

// The nodes of a cluster ask each other for a sign of life. Membership does not depend
// on it: who reaches the database is a member. But a member that the others cannot
// reach is of no use to their clients:
//
//   - A node that hears nothing from most of the others gives its teams up until it
//     does again.
//   - A request that was forwarded to a node which does not answer is sent to it through
//     another node, or to the next owner, where that does no harm. A new view begins, so
//     that the node refuses what it gets late.
const (
	contactPath  = "/cluster/contact"
	contactEvery = time.Second
	// contactLost is how long a node may be silent.
	contactLost = 3 * time.Second
)

// errSilent means that the node that was asked gives no sign of life.
var errSilent = errors.New("the node gives no sign of life")

// contacts are what this node knows about its contact with the others. Times are by
// realNow.
type contacts struct {
	mu    sync.Mutex
	heard map[string]time.Time // when a node last asked this one
	met   map[string]time.Time // when a node last answered this one, or became known
	// changed is closed and replaced when a node falls silent.
	changed chan struct{}
	last    time.Time // of the last look
}

func newContacts() *contacts {
	return &contacts{heard: map[string]time.Time{}, met: map[string]time.Time{}, changed: make(chan struct{})}
}

// KeepContact asks the other nodes for signs of life until ctx ends.
func (s *Server) KeepContact(ctx context.Context) {
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
		others := s.cluster.Node.Others()
		for _, node := range others {
			asking.Go(func() { s.cluster.contact(ctx, node) })
		}
		apart, fell := s.cluster.contacts.look(others, realNow())
		s.cluster.Node.SetApart(ctx, apart)
		if owed = owed || fell; owed {
			owed = s.cluster.Node.NextView(ctx) != nil // the next turn tries again
		}
	}
}

// contact asks a node for a sign of life.
func (c *clusterEdge) contact(ctx context.Context, node string) {
	ctx, cancel := context.WithTimeout(ctx, contactLost)
	defer cancel()
	target := url.URL{Scheme: "https", Host: node, Path: contactPath, RawQuery: url.Values{"from": {c.Node.ID()}}.Encode()}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return
	}
	reply, err := c.transport.RoundTrip(r)
	switch {
	case err == nil:
		_ = reply.Body.Close() // it is empty
	case errors.Is(err, syscall.ECONNREFUSED):
		// That is a sign of life too when the node starts or stops. If it is gone, the
		// database knows.
		c.reportDead(ctx, node)
	default:
		return // look draws the conclusion
	}
	c.contacts.note(node, false)
}

// contacted answers another node.
func (c *clusterEdge) contacted(w http.ResponseWriter, r *http.Request) {
	c.contacts.note(r.URL.Query().Get("from"), true)
	w.WriteHeader(http.StatusNoContent)
}

// note notes that a node has asked this one, or answered it.
func (k *contacts) note(node string, asked bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if asked {
		k.heard[node] = realNow()
	} else {
		k.met[node] = realNow()
	}
}

// look reports whether most of the other nodes have been silent for too long. A node
// that was never heard does not count: a node of an earlier build does not ask. After a
// pause of this process the count starts again. fell tells that one more node has been
// silent for too long in answering.
func (k *contacts) look(others []string, now time.Time) (apart, fell bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.last
	paused := now.Sub(before) > contactLost/2
	k.last = now
	silent := 0
	heard, met := map[string]time.Time{}, map[string]time.Time{}
	for _, node := range others {
		if last, known := k.heard[node]; known {
			heard[node] = last
			if paused {
				heard[node] = now
			}
			if now.Sub(heard[node]) > contactLost {
				silent++
			}
		}
		met[node] = now
		if last, known := k.met[node]; known && !paused {
			met[node] = last
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
