package httpapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-fuego/fuego"
	"golang.org/x/time/rate"

	"watchpost/watchpost"
)

// The gateway is where sessions connect. A connection is a conn, carried by a
// WebSocket (socket.go) or by long polls (poll.go); both hand the frames of a
// session to its actors.Link and carry back what the link delivers.

const (
	tagSessions    = "Sessions"
	textOrigin     = "Origin not allowed"
	textNoTLS      = "Sessions connect by https only"
	textNoUpgrade  = "WebSocket upgrade required"
	textBadToken   = "Invalid session token"
	textHelloFirst = "Not connected: begin with hello"
	textReplaced   = "Replaced by a newer connection"

	textShuttingDown = "shutting down"
)

// maxUnauthenticated is how many connections one client address may have that were
// not welcomed yet.
const maxUnauthenticated = 64

// Paths of sessions. The requests of polls are held open.
const (
	pollPath   = "/extension/poll"
	socketPath = "/extension/socket"
)

func (s *Server) gatewayRoutes() {
	fuego.GetStd(s.api, socketPath, s.openSocket,
		s.operation(sessions, "openSocket", "Connect a session by WebSocket", tagSessions), fuego.OptionHide())
	handleBody(s, s.api, http.MethodPost, pollPath, s.poll,
		s.operation(sessions, "poll", "Exchange a session's messages by long poll", tagSessions), s.guard(s.checkPoll), s.placed(placeOfSession), withBody(textInvalidMessages),
		withError(http.StatusUnauthorized, textBadToken), withError(http.StatusForbidden, textOrigin, textNoTLS),
		withError(http.StatusConflict, textHelloFirst, textReplaced))
}

// gateway holds the connections of sessions.
type gateway struct {
	origins []string
	max     int // Options.MaxSessions
	// sites tells which web sites a browser's request may come from.
	sites *http.CrossOriginProtection
	// refused counts the connections without a hello refused since the last line about them.
	refused  atomic.Int64
	refusals rate.Sometimes

	mu              sync.Mutex
	closing         bool
	closed          chan struct{}  // closed when closing is set
	unauthenticated map[string]int // by client.key
	arriving        int            // admitted, and not in open yet
	open            map[*conn]struct{}
	polls           map[tokenHash]*poller
	running         sync.WaitGroup // sockets and pollers
}

func newGateway(origins []string, limit int) (*gateway, error) {
	g := &gateway{
		origins: origins, max: limit, closed: make(chan struct{}),
		unauthenticated: map[string]int{},
		sites:           http.NewCrossOriginProtection(), refusals: rate.Sometimes{Interval: refusalsLogged},
		open:  map[*conn]struct{}{},
		polls: map[tokenHash]*poller{},
	}
	for _, origin := range origins {
		if err := g.sites.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("origin of the extension %q: %w", origin, err)
		}
	}
	return g, nil
}

// anyFirefox allows the extension in every Firefox, which gives it another origin
// in each profile. Web pages cannot have such an origin.
const (
	firefoxScheme = "moz-extension://"
	anyFirefox    = firefoxScheme + "*"
)

// allows reports whether the extension may have that origin.
func (g *gateway) allows(origin string) bool {
	return slices.Contains(g.origins, origin) || strings.HasPrefix(origin, firefoxScheme) && slices.Contains(g.origins, anyFirefox)
}

// checkSite refuses a request that a page of another web site makes in a
// visitor's browser.
func (s *Server) checkSite(r *http.Request) error {
	if !s.sessions.allows(r.Header.Get("Origin")) && s.sessions.sites.Check(r) != nil {
		return watchpost.Errorf(watchpost.Forbidden, textOrigin)
	}
	return nil
}

// checkSecret refuses a session that others could listen to, and one that a
// page of some web site opened.
func (s *Server) checkSecret(r *http.Request) error {
	if origin := r.Header.Get("Origin"); origin != "" && !s.sessions.allows(origin) {
		return watchpost.Errorf(watchpost.Forbidden, textOrigin)
	}
	if !s.insecure && !s.clientOf(r).secret() {
		return watchpost.Errorf(watchpost.Forbidden, textNoTLS)
	}
	return nil
}

// errRefused refuses connections that would take too much. One line of the log stands for
// many of them.
var (
	errRefused                = errors.New("connection refused")
	errTooManyUnauthenticated = fmt.Errorf("%w: too many connections before hello", errRefused)
	errTooManySessions        = fmt.Errorf("%w: too many sessions (--max-sessions)", errRefused)
)

// refusalsLogged is the least time between two lines about refused connections.
const refusalsLogged = time.Minute

// admit gives a client's connection a place.
func (s *Server) admit(c client) (*admission, error) {
	g, key := s.sessions, c.key()
	a, err := g.admit(key)
	if errors.Is(err, errRefused) {
		reason := refusedBeforeHello
		if errors.Is(err, errTooManySessions) {
			reason = refusedFull
		}
		s.metrics.notAdmitted.WithLabelValues(reason).Inc()
		g.refused.Add(1)
		g.refusals.Do(func() {
			s.log.Warn("connections refused", "reason", err, "client", key, "refused", g.refused.Swap(0))
		})
	}
	return a, err
}

// admission is the place of a connection from its arrival until its welcome. leave must
// be called when it is welcome, or has gone.
type admission struct {
	g    *gateway
	key  string
	kept bool // the place is that of an open connection
}

func (g *gateway) admit(key string) (*admission, error) {
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

func (g *gateway) remove(c *conn) {
	g.mu.Lock()
	delete(g.open, c)
	g.mu.Unlock()
	g.running.Done()
}

// CloseSessions refuses new connections of sessions, ends those that there
// are, as well as the event streams of the dashboard, and returns when they have ended or ctx ends. It is called before the
// http.Server is shut down, which does not wait for sockets.
func (s *Server) CloseSessions(ctx context.Context) error {
	g := s.sessions
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
		s.dropPoller(p)
	}
	ended := make(chan struct{})
	go func() {
		g.running.Wait()
		close(ended)
	}()
	s.closeCluster()
	s.registry.EndSubscriptions()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
