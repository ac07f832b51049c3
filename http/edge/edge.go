// Package edge forwards requests in a cluster. Any node takes a request (the edge), and the
// node that owns the team serves it. The edge looks up whose key or token a request carries;
// the owner authenticates it. A request is forwarded before it is decoded, over mTLS, with
// more headers (peerHeaders), which only the listener for peers reads.
package edge

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"watchpost/actors/root"
	"watchpost/http/endpoint"
	"watchpost/internal/cluster"
	"watchpost/watchpost"
)

// Cluster is what the server needs of a cluster.
type Cluster struct {
	// Node tells where a team is served.
	Node Node
	// TLS is the configuration of a client of the other nodes.
	TLS *tls.Config
	// Transport replaces the connections to the other nodes in simulations; nil: TLS.
	Transport http.RoundTripper
}

// Node is this node as the server uses it.
type Node interface {
	ID() string
	// Lease ends when the database has not answered this node for the time of a lease.
	// After an answer there is another one.
	Lease() context.Context
	// Place returns where a name belongs, and a channel that is closed when that
	// may have changed.
	Place(name string) (cluster.Place, <-chan struct{})
	// HandOver gives a name to another node that has asked for it under a version.
	HandOver(ctx context.Context, name, to string, asked int64) error
	// TakeOver begins with a name that was handed over, and reports whether that holds.
	TakeOver(name string, asked int64) bool
	// Refresh asks for the newest view soon.
	Refresh()
	// Others returns the ids of the other members.
	Others() []string
	// Member reports whether a node is a member of the current view.
	Member(id string) bool
	// NextView begins a view with the same members, so that owners refuse requests
	// that were sent before.
	NextView(ctx context.Context) error
	// StepOut ends the membership until most of the other nodes reach this one.
	StepOut()
	// ReportDead tells that a node refuses connections, or cannot be connected to.
	ReportDead(ctx context.Context, id string, refused bool)
}

// Headers of a forwarded request, and of its refusal.
const (
	headerPlace    = "X-Watchpost-Place"    // the name that it was forwarded for
	headerView     = "X-Watchpost-View"     // the version of the sender's view; in a refusal, the receiver's
	headerClient   = "X-Watchpost-Client"   // the client's address, or "named" and its name
	headerSecure   = "X-Watchpost-Secure"   // 1 when the client uses TLS
	headerDeadline = "X-Watchpost-Deadline" // milliseconds left
	headerAccepted = "X-Watchpost-Accepted" // the quoted name of a person whose code was accepted
	headerDetour   = "X-Watchpost-Detour"   // set when the receiver may pass the request on to the owner
)

var peerHeaders = []string{headerPlace, headerView, headerClient, headerSecure, headerDeadline, headerAccepted, headerDetour}

// Bounds in time of forwarding.
const (
	// holdTime is how long a request waits while its team has no owner.
	holdTime = 8 * time.Second
	// askAgain is the pause before the same owner is asked again.
	askAgain    = 50 * time.Millisecond
	dialTimeout = 500 * time.Millisecond
)

// PeerHandler returns the handler for requests that other nodes forward. Its
// listener admits nodes of the cluster only.
func (e *Edge) PeerHandler() http.Handler {
	api, ops := e.PlainHandler(e.API), e.PlainHandler(e.Ops)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == clockPath && e.testClock != nil {
			e.followClock(w, r)
			return
		}
		if r.URL.Path == contactPath {
			e.contacted(w, r)
			return
		}
		if r.URL.Path == handoverPath {
			e.handOver(w, r)
			return
		}
		p, err := readPeer(r.Header)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		ctx := endpoint.WithPeer(r.Context(), p)
		if left, err := strconv.ParseInt(r.Header.Get(headerDeadline), 10, 64); err == nil {
			bounded, cancel := context.WithTimeout(ctx, time.Duration(left)*time.Millisecond)
			defer cancel()
			ctx = bounded
		}
		place, here := e.awaitOwnership(ctx, p)
		if !here {
			elsewhere := place.View == p.View && place.Owner != e.Node.ID()
			if elsewhere && r.Header.Get(headerDetour) != "" && e.passOn(w, r.WithContext(ctx), place.Owner) {
				return
			}
			e.forwarded.WithLabelValues("refused").Inc()
			w.Header().Set(headerView, strconv.FormatInt(place.View, 10))
			w.WriteHeader(http.StatusMisdirectedRequest)
			return
		}
		for _, name := range peerHeaders {
			r.Header.Del(name)
		}
		handler := api
		if strings.HasPrefix(r.URL.Path, "/admin/") {
			handler = ops
		}
		handler.ServeHTTP(w, r.WithContext(ctx))
	})
}

func readPeer(h http.Header) (*endpoint.Peer, error) {
	p := &endpoint.Peer{Place: h.Get(headerPlace), Client: endpoint.Client{TLS: h.Get(headerSecure) == "1"}}
	var err error
	if p.View, err = strconv.ParseInt(h.Get(headerView), 10, 64); err != nil || p.Place == "" {
		return nil, errors.New("not a forwarded request")
	}
	if name, hidden := strings.CutPrefix(h.Get(headerClient), "named "); hidden {
		p.Client.Named = name
	} else if p.Client.Addr, err = netip.ParseAddr(h.Get(headerClient)); err != nil {
		return nil, errors.New("a forwarded request without a client")
	}
	if quoted := h.Get(headerAccepted); quoted != "" {
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		p.Accepted = &name
	}
	return p, nil
}

// awaitOwnership waits until this node serves the name of a forwarded request. It
// gives up, with the place in this node's view, when the sender should ask again: this
// node's view is newer, or it is not the owner.
func (e *Edge) awaitOwnership(ctx context.Context, p *endpoint.Peer) (place cluster.Place, here bool) {
	ctx, cancel := context.WithTimeout(ctx, holdTime/2)
	defer cancel()
	for {
		var changed <-chan struct{}
		place, changed = e.Node.Place(p.Place)
		wanted := place
		switch {
		case p.View < place.View:
			return place, false
		case place.Here:
			return place, true
		case p.View > place.View:
			e.Node.Refresh()
			wanted = cluster.Place{}
		case place.Owner != e.Node.ID():
			return place, false
		}
		if e.awaitOrTakeOver(ctx, p.Place, wanted, changed) != nil {
			return place, false
		}
	}
}

// ServeAtOwner has a request served where its name belongs: by next, or by another
// node. A peer's request is served here, or refused by MovedAway.
func (e *Edge) ServeAtOwner(w http.ResponseWriter, r *http.Request, name string, next http.Handler) {
	x := endpoint.StateOf(r.Context())
	if p := endpoint.PeerOf(r.Context()); p != nil {
		if p.Place != name {
			e.WriteError(r, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, errors.New("forwarded for another name: "+p.Place)))
			return
		}
		next.ServeHTTP(w, r)
		return
	}
	body, err := e.ReadAll(r)
	switch {
	case err != nil && watchpost.KindOf(err) == watchpost.TooLarge: // the owner says so, after its other checks
	case err != nil:
		e.WriteError(r, err)
		return
	}
	x.Routed = &endpoint.Routed{Body: body, TooLarge: err != nil}
	for {
		if err := e.route(r, name, nil); err != nil {
			e.WriteError(r, err)
			return
		}
		x.Routed.Moved = false
		if e.heldOpen(r) == nil || r.URL.Path == endpoint.ChangesPath { // a session stays connected
			x.Within(e.LeaseFor(r))
		}
		next.ServeHTTP(w, r)
		x.Alone()
		if !x.Routed.Moved {
			return
		}
	}
}

// LeaseFor returns the lease with which this node's work for a client's request ends. Nothing tells when the database answers a node without a lease, and the
// client can try another node. The edge of a forwarded request finds that out by itself.
func (e *Edge) LeaseFor(r *http.Request) context.Context {
	if endpoint.PeerOf(r.Context()) != nil {
		return nil
	}
	return e.Node.Lease()
}

// MovedAway reports whether a request met a name that has just moved to another
// node, and was not processed. A peer asks the new owner; a request at the edge is
// routed again.
func (e *Edge) MovedAway(x *endpoint.RequestState, err error) bool {
	var elsewhere *root.ElsewhereError
	if x.Begun() || !errors.As(err, &elsewhere) {
		return false
	}
	switch p := endpoint.PeerOf(x.Context()); {
	case p != nil:
		place, _ := e.Node.Place(p.Place)
		x.Header().Set(headerView, strconv.FormatInt(place.View, 10))
		x.WriteHeader(http.StatusMisdirectedRequest)
		x.Send()
	case x.Routed != nil:
		x.Routed.Moved = true
	default:
		return false
	}
	return true
}

// FormElsewhere forwards a sign-in whose team is on another node, with the word that its
// proof was accepted; other errors are returned as they are.
func (e *Edge) FormElsewhere(r *http.Request, body []byte, err error) error {
	var elsewhere *root.ElsewhereError
	if !errors.As(err, &elsewhere) {
		return err
	}
	x := endpoint.StateOf(r.Context())
	if x.Routed == nil {
		x.Routed = &endpoint.Routed{}
	}
	x.Routed.Body = body
	var accepted *string
	if elsewhere.Accepted {
		accepted = &elsewhere.FullName
	}
	if err := e.route(r, string(elsewhere.Team), accepted); err != nil {
		return err
	}
	// The team has come to this node meanwhile: the client signs in again.
	return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, elsewhere)
}

// Edge forwards requests to their owners.
type Edge struct {
	*endpoint.Server
	Cluster
	testClock endpoint.TestClock // nil without one
	// stopping is closed when the requests that are held open have to end.
	stopping  <-chan struct{}
	transport http.RoundTripper
	forwarded *prometheus.CounterVec
	contacts  *cluster.Contacts
	relayed   atomic.Uint64      // counts the detours
	takeovers singleflight.Group // by name
	reports   singleflight.Group // of dead nodes, by id
}

// New makes the edge of a node; stopping ends the requests that other nodes hold open
// for it.
func New(s *endpoint.Server, c Cluster, testClock endpoint.TestClock, forwarded *prometheus.CounterVec, stopping <-chan struct{}) *Edge {
	e := &Edge{Server: s, Cluster: c, testClock: testClock, stopping: stopping, forwarded: forwarded, contacts: cluster.NewContacts(), transport: c.Transport}
	if e.transport == nil {
		e.transport = overTLS(c.TLS)
	}
	return e
}

func overTLS(config *tls.Config) *http.Transport {
	return &http.Transport{
		TLSClientConfig: config, DisableCompression: true,
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout: 2 * dialTimeout,
		// The default of 2 makes most requests of a busy edge shake hands.
		MaxIdleConnsPerHost: 256, IdleConnTimeout: time.Minute,
	}
}

// NewForwarded registers the metric of forwarded requests.
func NewForwarded(registry *prometheus.Registry) (*prometheus.CounterVec, error) {
	forwarded := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "watchpost_cluster_forwarded_total", Help: "Requests forwarded to the node that serves their team (served, failed), passed on for another node, sockets, and peers' requests refused.",
	}, []string{"outcome"})
	for _, outcome := range []string{"served", "failed", "passed", "sockets", "refused"} {
		forwarded.WithLabelValues(outcome) // shown before the first, for alerts
	}
	return forwarded, registry.Register(forwarded)
}
