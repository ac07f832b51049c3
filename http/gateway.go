package httpapi

import (
	"context"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"sync"

	"github.com/go-fuego/fuego"

	"watchpost"
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

// maxStrangers is how many connections one client address may have that were
// not welcomed yet.
const maxStrangers = 64

func (s *Server) gatewayRoutes() {
	fuego.GetStd(s.api, "/extension/socket", s.openSocket,
		s.operation(sessions, "openSocket", "Connect a session by WebSocket", tagSessions), fuego.OptionHide())
	fuego.Post(s.api, "/extension/poll", s.poll,
		s.operation(sessions, "poll", "Exchange a session's messages by long poll", tagSessions), takesBody(),
		fails(http.StatusUnauthorized, textBadToken), fails(http.StatusForbidden, textOrigin, textNoTLS),
		fails(http.StatusConflict, textHelloFirst, textReplaced))
}

// gateway holds the connections of sessions.
type gateway struct {
	origins []string

	mu        sync.Mutex
	closing   bool
	strangers map[netip.Addr]int
	open      map[*conn]struct{}
	polls     map[tokenHash]*poller
	running   sync.WaitGroup // sockets and pollers
}

func newGateway(origins []string) *gateway {
	return &gateway{
		origins:   origins,
		strangers: map[netip.Addr]int{},
		open:      map[*conn]struct{}{},
		polls:     map[tokenHash]*poller{},
	}
}

// checkSecret refuses a session that others could listen to, and one that a
// page of some web site opened.
func (s *Server) checkSecret(r *http.Request) error {
	if origin := r.Header.Get("Origin"); origin != "" && !slices.Contains(s.sessions.origins, origin) {
		return watchpost.Errorf(watchpost.Forbidden, textOrigin)
	}
	if !s.insecure && !s.clientOf(r).secret() {
		return watchpost.Errorf(watchpost.Forbidden, textNoTLS)
	}
	return nil
}

// admit counts a connection that was not welcomed yet; leave must be called
// when it was, or has gone.
func (g *gateway) admit(addr netip.Addr) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing || g.strangers[addr] >= maxStrangers {
		return nil, watchpost.Errorf(watchpost.Unavailable, watchpost.TextUnavailable)
	}
	g.strangers[addr]++
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.strangers[addr]--; g.strangers[addr] == 0 {
			delete(g.strangers, addr)
		}
	}), nil
}

// add keeps a connection until remove; false when the gateway closes.
func (g *gateway) add(c *conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing {
		return false
	}
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
// are, and returns when they have ended or ctx ends. It is called before the
// http.Server is shut down, which does not wait for sockets.
func (s *Server) CloseSessions(ctx context.Context) error {
	g := s.sessions
	g.mu.Lock()
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
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
