package httpapi

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/go-fuego/fuego"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"watchpost/actors"
	"watchpost/internal/cluster"
	"watchpost/watchpost"
)

// In a cluster, any node takes a request (the edge), and the node that owns the
// team serves it. The edge looks up whose key or token a request carries; the
// owner authenticates it. A request is forwarded before it is decoded, over mTLS,
// with more headers (peerHeaders), which only the listener for peers reads.

// Cluster is what the server needs of a cluster.
type Cluster struct {
	// Node tells where a team is served.
	Node Node
	// TLS is the configuration of a client of the other nodes.
	TLS *tls.Config
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

// peer describes a forwarded request, as its sender does.
type peer struct {
	place  string
	view   int64
	client client
	// accepted is the name of a person whose code was accepted; nil otherwise.
	accepted *string
}

type peerKey struct{}

// peerOf returns who has forwarded a request; nil for a client's own request.
func peerOf(ctx context.Context) *peer {
	p, _ := ctx.Value(peerKey{}).(*peer)
	return p
}

// PeerHandler returns the handler for requests that other nodes forward. Its
// listener admits nodes of the cluster only.
func (s *Server) PeerHandler() http.Handler {
	api, ops := s.withState(s.api.Mux), s.withState(s.ops.Mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == clockPath && s.testClock != nil {
			s.followClock(w, r)
			return
		}
		if r.URL.Path == contactPath {
			s.cluster.contacted(w, r)
			return
		}
		if r.URL.Path == handoverPath {
			s.cluster.handOver(w, r)
			return
		}
		p, err := readPeer(r.Header)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		ctx := context.WithValue(r.Context(), peerKey{}, p)
		if left, err := strconv.ParseInt(r.Header.Get(headerDeadline), 10, 64); err == nil {
			bounded, cancel := context.WithTimeout(ctx, time.Duration(left)*time.Millisecond)
			defer cancel()
			ctx = bounded
		}
		place, here := s.cluster.awaitOwnership(ctx, p)
		if !here {
			elsewhere := place.View == p.view && place.Owner != s.cluster.Node.ID()
			if elsewhere && r.Header.Get(headerDetour) != "" && s.passOn(w, r.WithContext(ctx), place.Owner) {
				return
			}
			s.cluster.forwarded.WithLabelValues("refused").Inc()
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

func readPeer(h http.Header) (*peer, error) {
	p := &peer{place: h.Get(headerPlace), client: client{tls: h.Get(headerSecure) == "1"}}
	var err error
	if p.view, err = strconv.ParseInt(h.Get(headerView), 10, 64); err != nil || p.place == "" {
		return nil, errors.New("not a forwarded request")
	}
	if name, hidden := strings.CutPrefix(h.Get(headerClient), "named "); hidden {
		p.client.named = name
	} else if p.client.addr, err = netip.ParseAddr(h.Get(headerClient)); err != nil {
		return nil, errors.New("a forwarded request without a client")
	}
	if quoted := h.Get(headerAccepted); quoted != "" {
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		p.accepted = &name
	}
	return p, nil
}

// awaitOwnership waits until this node serves the name of a forwarded request. It
// gives up, with the place in this node's view, when the sender should ask again: this
// node's view is newer, or it is not the owner.
func (c *clusterEdge) awaitOwnership(ctx context.Context, p *peer) (place cluster.Place, here bool) {
	ctx, cancel := context.WithTimeout(ctx, holdTime/2)
	defer cancel()
	for {
		var changed <-chan struct{}
		place, changed = c.Node.Place(p.place)
		wanted := place
		switch {
		case p.view < place.View:
			return place, false
		case place.Here:
			return place, true
		case p.view > place.View:
			c.Node.Refresh()
			wanted = cluster.Place{}
		case place.Owner != c.Node.ID():
			return place, false
		}
		if c.await(ctx, p.place, wanted, changed) != nil {
			return place, false
		}
	}
}

// errForwarded means that the owner's reply has been sent.
var errForwarded = errors.New("forwarded")

// routed is what a request at the edge keeps for another try.
type routed struct {
	body []byte
	// tooLarge means that the body is not kept, as the owner refuses it.
	tooLarge bool
	// moved means that the name moved away before the request was processed.
	moved bool
}

// serveAtOwner has a request served where its name belongs: by next, or by another
// node. A peer's request is served here, or refused by movedAway.
func (s *Server) serveAtOwner(w http.ResponseWriter, r *http.Request, name string, next http.Handler) {
	if s.cluster == nil {
		next.ServeHTTP(w, r)
		return
	}
	x := stateOf(r.Context())
	if p := peerOf(r.Context()); p != nil {
		if p.place != name {
			s.writeError(r, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, errors.New("forwarded for another name: "+p.place)))
			return
		}
		next.ServeHTTP(w, r)
		return
	}
	body, err := s.readAll(r)
	switch {
	case err != nil && watchpost.KindOf(err) == watchpost.TooLarge: // the owner says so, after its other checks
	case err != nil:
		s.writeError(r, err)
		return
	}
	x.routed = &routed{body: body, tooLarge: err != nil}
	for {
		if err := s.cluster.route(s, r, name, nil); err != nil {
			s.writeError(r, err)
			return
		}
		x.routed.moved = false
		if s.held(r) == nil { // a session stays connected
			x.ctx.within(s.leaseFor(r))
		}
		next.ServeHTTP(w, r)
		x.ctx.alone()
		if !x.routed.moved {
			return
		}
	}
}

// leaseFor returns the lease with which this node's work for a client's request ends; nil
// without one. Nothing tells when the database answers a node without a lease, and the
// client can try another node. The edge of a forwarded request finds that out by itself.
func (s *Server) leaseFor(r *http.Request) context.Context {
	if s.cluster == nil || peerOf(r.Context()) != nil {
		return nil
	}
	return s.cluster.Node.Lease()
}

// movedAway reports whether a request met a name that has just moved to another
// node, and was not processed. A peer asks the new owner; a request at the edge is
// routed again.
func (s *Server) movedAway(x *requestState, err error) bool {
	var elsewhere *actors.ElsewhereError
	if s.cluster == nil || x.sent || !errors.As(err, &elsewhere) {
		return false
	}
	switch p := peerOf(&x.ctx); {
	case p != nil:
		place, _ := s.cluster.Node.Place(p.place)
		x.Header().Set(headerView, strconv.FormatInt(place.View, 10))
		x.WriteHeader(http.StatusMisdirectedRequest)
		x.send()
	case x.routed != nil:
		x.routed.moved = true
	default:
		return false
	}
	return true
}

// placedBy wraps a handler of requests that are served where their name belongs;
// name returns "" for a request that any node can serve. A peer has chosen the
// place: a sign-in goes to the node of sign-in, and from there to that of the team.
func (s *Server) placedBy(name func(*http.Request) string) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.cluster != nil && peerOf(r.Context()) == nil {
				if place := name(r); place != "" {
					s.serveAtOwner(w, r, place, next)
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// placed is placedBy as an option of a route.
func (s *Server) placed(name func(*http.Request) string) fuego.RouteOption {
	return fuego.OptionMiddleware(s.placedBy(name))
}

// Names of requests that carry no key.
func placeOfSignIn(*http.Request) string { return actors.SignInPlace }

// placeOfNewTeam spreads new teams: each is created under an id that its node
// serves.
func (s *Server) placeOfNewTeam(*http.Request) string { return watchpost.NewID(s.clock.Now()) }

func placeOfTeamInPath(r *http.Request) string {
	team, err := teamInPath(r)
	if err != nil {
		return "" // the handler says so
	}
	return string(team)
}

// placeOfSession is the team of a session's token, which withToken has noted.
func placeOfSession(r *http.Request) string { return string(teamOf(r.Context())) }

// signInElsewhere forwards a sign-in whose team is on another node, with the word
// that its code was accepted; other errors are returned as they are.
func (s *Server) signInElsewhere(r *http.Request, request any, err error) error {
	if err == nil {
		return nil
	}
	body, failure := json.Marshal(request)
	if failure != nil {
		return failure
	}
	return s.formElsewhere(r, body, err)
}

// formElsewhere is signInElsewhere for an encoded body.
func (s *Server) formElsewhere(r *http.Request, body []byte, err error) error {
	var elsewhere *actors.ElsewhereError
	if s.cluster == nil || !errors.As(err, &elsewhere) {
		return err
	}
	x := stateOf(r.Context())
	if x.routed == nil {
		x.routed = &routed{}
	}
	x.routed.body = body
	var accepted *string
	if elsewhere.Accepted {
		accepted = &elsewhere.FullName
	}
	if err := s.cluster.route(s, r, string(elsewhere.Team), accepted); err != nil {
		return err
	}
	// The team has come to this node meanwhile: the client signs in again.
	return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, elsewhere)
}

// clusterEdge forwards requests to their owners.
type clusterEdge struct {
	Cluster
	transport *http.Transport
	forwarded *prometheus.CounterVec
	contacts  *contacts
	takeovers singleflight.Group // by name
	reports   singleflight.Group // of dead nodes, by id
}

func newClusterEdge(c Cluster, forwarded *prometheus.CounterVec) *clusterEdge {
	return &clusterEdge{Cluster: c, forwarded: forwarded, contacts: newContacts(), transport: &http.Transport{
		TLSClientConfig: c.TLS, DisableCompression: true,
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout: 2 * dialTimeout,
		// The default of 2 makes most requests of a busy edge shake hands.
		MaxIdleConnsPerHost: 256, IdleConnTimeout: time.Minute,
	}}
}
