// Package endpoint is what the endpoints of the service have in common: who may call them,
// how a body, a parameter and an error are read and written, what requests may hold at
// once, and the document that describes them. It knows no resource.
//
// A request passes, from the outside in:
//
//	withState  request id, panic, access log, metrics, texts of mux and framework
//	mux        404 and 405 as JSON
//	access     key, extension, admin token: guards of the route
//	handler    body, Idempotency-Key, fields, request to the team, reply
//
// HandleCreate has the steps of a request that creates: ReadAll, parseObject,
// idempotencyKey, decode, SendOnce; the team finds out whether the request was made
// before, handles the message in its method on…, and answers when the batch is
// durable. decode and the CleanField methods that it calls are pure. A prompt asks
// KeptReply before it is interpreted.
package endpoint

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"watchpost/actors"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// Options is what the endpoints of a server have in common; all fields but Tracer,
// the tokens and the lists are required.
type Options struct {
	Registry  *actors.Registry
	Clock     watchpost.Clock
	Log       *slog.Logger
	AccessLog bool
	Metrics   *prometheus.Registry
	Version   string

	AdminToken string
	Operators  []Operator
	// SeparateOps has operators call another handler than API clients.
	SeparateOps      bool
	TrustedProxies   []netip.Prefix
	Insecure         bool
	ExtensionOrigins []string
	Writable         func() error
	Tracer           trace.Tracer
	Timing           Timing
}

// Timing is what the server measures in real time rather than by the Clock.
type Timing struct {
	// Request bounds the work for one API request.
	Request time.Duration
	// Hello is how long a new connection may take to say hello.
	Hello time.Duration
	// Silence is how long a connected session may say nothing that was asked to send a
	// heartbeat every protocol.HeartbeatEvery, and more in proportion to a longer interval.
	Silence time.Duration
	// Poll is how long a long poll is held.
	Poll time.Duration
	// Body is how long the body of a request may take to arrive.
	Body time.Duration
	// Running is how long the status of a task that runs waits for its end, unless the
	// request says how long.
	Running time.Duration
}

func (t Timing) withDefaults() Timing {
	standard := func(d *time.Duration, value time.Duration) {
		if *d <= 0 {
			*d = value
		}
	}
	standard(&t.Request, 30*time.Second)
	standard(&t.Hello, protocol.HelloTimeout)
	standard(&t.Silence, 3*protocol.HeartbeatEvery)
	standard(&t.Poll, protocol.PollTime)
	standard(&t.Body, 10*time.Second)
	standard(&t.Running, 2*time.Second)
	return t
}

// TestClock is a clock that the operator may set (--test-clock). Setting it
// back is an Invalid error.
type TestClock interface {
	Advance(d time.Duration) error
	Set(t time.Time) error
	// Offset returns how far it is ahead of the wall clock. Follow sets it forward
	// to the offset of another node's.
	Offset() time.Duration
	Follow(offset time.Duration) error
}

// Server is what the endpoints of a server share: who may call them, what their requests
// may hold at once and for how long, the texts of errors, the metrics and the log.
type Server struct {
	Registry  *actors.Registry
	Clock     watchpost.Clock
	Log       *slog.Logger
	accessLog bool
	metrics   *metrics
	admin     adminTokens
	proxies   proxies
	insecure  bool
	origins   *origins
	Writable  func() error
	Timing    Timing
	tracer    trace.Tracer // nil without traces
	room      *room
	Owners    Owners // nil without a cluster
	// Closing is closed when requests that wait have to end.
	Closing <-chan struct{}

	// Scopes are the scopes for the routes of teams, by method and path; a route needs
	// one of its scopes.
	Scopes map[string][]watchpost.Scope

	API *Routes
	Ops *Routes // the same as api unless separate
}

// New makes it, with no routes yet.
func New(o Options) (*Server, error) {
	room := newRoom(o.Log)
	metrics, err := newMetrics(o.Metrics, room)
	if err != nil {
		return nil, err
	}
	origins, err := newOrigins(o.ExtensionOrigins)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Registry: o.Registry, Clock: o.Clock, Log: o.Log, accessLog: o.AccessLog, metrics: metrics,
		admin: newAdminTokens(o.AdminToken, o.Operators), proxies: o.TrustedProxies, insecure: o.Insecure, origins: origins,
		Writable: o.Writable, Timing: o.Timing.withDefaults(), tracer: o.Tracer, room: room, Scopes: map[string][]watchpost.Scope{},
	}
	s.API = &Routes{newFramework(o.Version, s.HasOperators() && !o.SeparateOps), s}
	s.Ops = s.API
	if o.SeparateOps {
		s.Ops = &Routes{newFramework(o.Version, s.HasOperators()), s} // its document is never requested
	}
	return s, nil
}

// HasOperators reports whether anybody may use the admin API.
func (s *Server) HasOperators() bool { return len(s.admin) > 0 }

// IsOperator reports whether a token is one of an operator.
func (s *Server) IsOperator(token string) bool {
	_, found := s.admin.find(token)
	return found
}

// Handler returns the handler of API clients, sessions and, unless they are separate,
// operators.
func (s *Server) Handler() (http.Handler, error) {
	compressing, err := compressed(s.withState(s.API.framework.Mux))
	return keepingPlaces(compressing), err
}

// PlainHandler returns the handler of a set of routes, whose replies are never compressed.
func (s *Server) PlainHandler(of *Routes) http.Handler { return s.withState(of.framework.Mux) }
