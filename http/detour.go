package httpapi

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httputil"
	"strconv"

	"watchpost/internal/cluster"
)

// Two nodes may lose each other while both reach the rest. A request for a team of one
// of them at the other then makes a detour: it goes to a third node, which passes it on
// to the owner under the view of the edge. A node passes on only what an edge marks, and
// removes the mark, so a request passes through one node at most.

// statusNotReached is the reply, with headerView, of a node that could not pass a
// request on: no owner has got it.
const statusNotReached = http.StatusBadGateway

// errNotReached means that a third node does not reach the owner either.
var errNotReached = errors.New("the owner is not reached through this node")

// maxDetours is how many other nodes are asked in turn to pass a request on.
const maxDetours = 2

// ways returns the nodes to send a request to, one after the other, so that it reaches
// its owner. missed is the owner that it did not reach before; "" at the first try.
func (c *clusterEdge) ways(owner, missed string) (ways []string) {
	silent, _ := c.contacts.silent(owner)
	if !silent && owner != missed {
		return []string{owner}
	}
	for _, other := range c.Node.Others() {
		if quiet, _ := c.contacts.silent(other); other != owner && !quiet {
			ways = append(ways, other)
		}
	}
	rand.Shuffle(len(ways), func(i, k int) { ways[i], ways[k] = ways[k], ways[i] }) //nolint:gosec // it spreads load
	ways = ways[:min(len(ways), maxDetours)]
	if !silent {
		ways = append(ways, owner)
	}
	return ways
}

// mark asks a node that is not the owner to pass a request on.
func mark(out *http.Request, to string, place cluster.Place) {
	if to != place.Owner {
		out.Header.Set(headerDetour, "1")
	}
}

// passOn sends the request of another node to the owner as it is.
func (s *Server) passOn(w http.ResponseWriter, r *http.Request, place cluster.Place) {
	c := s.cluster
	sent, failure := false, errSilent
	if silent, _ := c.contacts.silent(place.Owner); !silent {
		sent, failure = c.proxy(w, r, place.Owner, s.held(r), func(p *httputil.ProxyRequest) {
			for _, name := range peerHeaders { // also those that a client's Connection names
				p.Out.Header[name] = p.In.Header[name]
			}
			p.Out.Header.Del(headerDetour)
			setDeadline(p.Out)
		}, nil)
	}
	switch {
	case failure == nil:
		c.forwarded.WithLabelValues("passed").Inc()
	case sent:
		panic(http.ErrAbortHandler) // the owner may have processed it: the edge learns no more than that
	default:
		c.learn(r.Context(), place.Owner, failure)
		w.Header().Set(headerView, strconv.FormatInt(place.View, 10))
		w.WriteHeader(statusNotReached)
	}
}
