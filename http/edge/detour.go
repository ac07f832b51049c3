package edge

import (
	"net/http"
	"net/http/httputil"

	"watchpost/internal/cluster"
)

// Two nodes may lose each other while both reach the rest. A request for a team of one
// of them at the other then makes a detour: it goes to a third node, which passes it on
// to the owner under the view of the edge. A node passes on only what an edge marks, and
// removes the mark, so a request passes through one node at most. A third node that does
// not reach the owner either refuses the request, as a node does that is not the owner.

// way returns the node to send a request to so that it reaches its owner. missed is the
// node that the last try did not reach; "" when there was none. The way is "" while the
// owner is silent and so are all others.
func (e *Edge) way(owner, missed string) string {
	silent, _ := e.contacts.Silent(owner)
	if !silent && owner != missed {
		return owner
	}
	var relays []string
	for _, other := range e.Node.Others() {
		if quiet, _ := e.contacts.Silent(other); other != owner && !quiet {
			relays = append(relays, other)
		}
	}
	switch {
	case len(relays) > 0:
		return relays[e.relayed.Add(1)%uint64(len(relays))]
	case silent:
		return ""
	}
	return owner
}

// askToPassOn asks a node that is not the owner to pass a request on.
func askToPassOn(out *http.Request, to string, place cluster.Place) {
	if to != place.Owner {
		out.Header.Set(headerDetour, "1")
	}
}

// passOn sends the request of another node to the owner as it is, and reports whether
// the owner has answered. When the owner may have got the request and its reply is lost,
// the connection ends, and the edge learns no more than that.
func (e *Edge) passOn(w http.ResponseWriter, r *http.Request, owner string) bool {
	if silent, _ := e.contacts.Silent(owner); silent {
		return false
	}
	sent, failure := e.proxy(w, r, owner, e.heldOpen(r), func(p *httputil.ProxyRequest) {
		for _, name := range peerHeaders { // also those that a client's Connection names
			p.Out.Header[name] = p.In.Header[name]
		}
		p.Out.Header.Del(headerDetour)
		setDeadline(p.Out)
	}, nil)
	switch {
	case failure == nil:
		e.forwarded.WithLabelValues("passed").Inc()
	case sent:
		panic(http.ErrAbortHandler)
	default:
		e.noteFailure(r.Context(), owner, failure)
	}
	return failure == nil
}
