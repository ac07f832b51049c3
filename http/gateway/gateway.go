// Package gateway is where sessions connect. A connection is a conn, carried by a
// WebSocket (socket.go) or by long polls (poll.go); both hand the frames of a session to
// its actors.Link and carry back what the link delivers. The socket of a session whose team
// another node serves is relayed to that node (relay.go).
package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-fuego/fuego"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

const (
	textNoUpgrade  = "WebSocket upgrade required"
	textHelloFirst = "Not connected: begin with hello"
	textReplaced   = "Replaced by a newer connection"

	textShuttingDown = "shutting down"
)

// maxUnauthenticated is how many connections one client address may have that were
// not welcomed yet.
const maxUnauthenticated = 64

// Routes adds the ways to connect to the API.
func (g *Gateway) Routes() {
	g.API.Get(endpoint.SocketPath, g.openSocket,
		g.Operation(endpoint.Sessions, "openSocket", "Connect a session by WebSocket", endpoint.TagSessions), fuego.OptionHide())
	endpoint.HandleBody(g.API, http.MethodPost, endpoint.PollPath, g.poll,
		g.Operation(endpoint.Sessions, "poll", "Exchange a session's messages by long poll", endpoint.TagSessions), g.Guard(g.CheckPoll), g.Placed(endpoint.PlaceOfSession), endpoint.WithBody(textInvalidMessages),
		endpoint.WithError(http.StatusUnauthorized, endpoint.TextBadToken), endpoint.WithError(http.StatusForbidden, endpoint.TextOrigin, endpoint.TextNoTLS),
		endpoint.WithError(http.StatusConflict, textHelloFirst, textReplaced))
}

// Gateway holds the connections of sessions.
type Gateway struct {
	*endpoint.Server
	max int // Options.MaxSessions
	// Dial connects a socket to the node that owns its team; nil without a cluster.
	Dial DialOwner
	// refused counts the connections without a hello refused since the last line about them.
	refused  atomic.Int64
	refusals rate.Sometimes

	connections *prometheus.GaugeVec
	notAdmitted *prometheus.CounterVec

	mu              sync.Mutex
	closing         bool
	closed          chan struct{}  // closed when closing is set
	unauthenticated map[string]int // by client.key
	arriving        int            // admitted, and not in open yet
	open            map[*conn]struct{}
	polls           map[tokenHash]*poller
	running         sync.WaitGroup // sockets and pollers
}

// Reasons of refused connections of sessions.
const (
	refusedFull        = "full"
	refusedBeforeHello = "before_hello"
)

// New makes a gateway without connections, and registers its metrics; limit is at how many
// connections new ones are asked to come later, 0: never.
func New(s *endpoint.Server, limit int, registry *prometheus.Registry) (*Gateway, error) {
	g := &Gateway{
		Server: s, max: limit, closed: make(chan struct{}),
		unauthenticated: map[string]int{}, refusals: rate.Sometimes{Interval: refusalsLogged},
		open:  map[*conn]struct{}{},
		polls: map[tokenHash]*poller{},
	}
	return g, g.register(registry)
}

func (g *Gateway) register(registry *prometheus.Registry) error {
	g.connections = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "watchpost_gateway_connections", Help: "Connections of sessions, also those before welcome.",
	}, []string{"carrier"})
	g.notAdmitted = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "watchpost_gateway_refused_total", Help: "Connections of sessions that were asked to come later: full (--max-sessions), or before_hello (too many of one client).",
	}, []string{"reason"})
	for _, reason := range []string{refusedFull, refusedBeforeHello} {
		g.notAdmitted.WithLabelValues(reason)
	}
	bound := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "watchpost_gateway_max_connections", Help: "Connections of sessions from which on new ones are asked to come later; 0: no bound.",
	})
	bound.Set(float64(g.max))
	for _, c := range []prometheus.Collector{g.connections, g.notAdmitted, bound} {
		if err := registry.Register(c); err != nil {
			return err
		}
	}
	return nil
}

// Connections that would take too much. One line of the log stands for many of them.
var (
	errTooManyUnauthenticated = fmt.Errorf("%w: too many connections before hello", endpoint.ErrRefused)
	errTooManySessions        = fmt.Errorf("%w: too many sessions (--max-sessions)", endpoint.ErrRefused)
)

// refusalsLogged is the least time between two lines about refused connections.
const refusalsLogged = time.Minute

// admit gives a client's connection a place.
func (g *Gateway) admit(c endpoint.Client) (*admission, error) {
	key := c.Key()
	a, err := g.take(key)
	if errors.Is(err, endpoint.ErrRefused) {
		reason := refusedBeforeHello
		if errors.Is(err, errTooManySessions) {
			reason = refusedFull
		}
		g.notAdmitted.WithLabelValues(reason).Inc()
		g.refused.Add(1)
		g.refusals.Do(func() {
			g.Log.Warn("connections refused", "reason", err, "client", key, "refused", g.refused.Swap(0))
		})
	}
	return a, err
}

// admission is the place of a connection from its arrival until its welcome. leave must
// be called when it is welcome, or has gone.
type admission struct {
	g    *Gateway
	key  string
	kept bool // the place is that of an open connection
}

// take gives a client one more place, unless too many are taken.
func (g *Gateway) take(key string) (*admission, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closing:
		return nil, watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
	case g.max > 0 && len(g.open)+g.arriving >= g.max:
		return nil, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, errTooManySessions)
	case g.unauthenticated[key] >= maxUnauthenticated:
		return nil, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, errTooManyUnauthenticated)
	}
	g.unauthenticated[key]++
	g.arriving++
	return &admission{g: g, key: key}, nil
}

func (a *admission) leave() {
	g := a.g
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unauthenticated[a.key]--; g.unauthenticated[a.key] == 0 {
		delete(g.unauthenticated, a.key)
	}
	if !a.kept {
		g.arriving--
	}
}

// open keeps the connection until remove; false when the gateway closes.
func (a *admission) open(c *conn) bool {
	g := a.g
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing {
		return false
	}
	a.kept = true
	g.arriving--
	g.open[c] = struct{}{}
	g.running.Add(1)
	return true
}

func (g *Gateway) remove(c *conn) {
	g.mu.Lock()
	delete(g.open, c)
	g.mu.Unlock()
	g.running.Done()
}

// Close refuses new connections of sessions and ends those that there are. It is called
// before the http.Server is shut down, which does not wait for sockets.
func (g *Gateway) Close() {
	g.mu.Lock()
	if !g.closing {
		close(g.closed)
	}
	g.closing = true
	for c := range g.open {
		c.end(closeGoingAway, textShuttingDown)
	}
	pollers := slices.Collect(maps.Values(g.polls))
	g.mu.Unlock()
	for _, p := range pollers {
		g.dropPoller(p)
	}
}

// Wait returns when all connections have ended, or with the error of ctx.
func (g *Gateway) Wait(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		g.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Closing returns a channel that is closed when the gateway closes.
func (g *Gateway) Closing() <-chan struct{} { return g.closed }
