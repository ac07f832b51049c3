package httpapi

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

// sharedOptions is what the endpoints of a server have in common; all fields but Tracer,
// the tokens and the lists are required.
type sharedOptions struct {
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
	// Silence is how long a connected session may say nothing.
	Silence time.Duration
	// Poll is how long a long poll is held.
	Poll time.Duration
	// Body is how long the body of a request may take to arrive.
	Body time.Duration
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

// shared is what the endpoints of a server share: who may call them, what their requests
// may hold at once and for how long, the texts of errors, the metrics and the log.
type shared struct {
	registry  *actors.Registry
	clock     watchpost.Clock
	log       *slog.Logger
	accessLog bool
	metrics   *metrics
	admin     adminTokens
	proxies   []netip.Prefix
	insecure  bool
	origins   *origins
	writable  func() error
	timing    Timing
	tracer    trace.Tracer // nil without traces
	room      *room
	owners    Owners // nil without a cluster

	api *routes
	ops *routes // the same as api unless separate
}

// newShared makes it, with no routes yet.
func newShared(o sharedOptions) (*shared, error) {
	metrics, err := newMetrics(o.Metrics)
	if err != nil {
		return nil, err
	}
	origins, err := newOrigins(o.ExtensionOrigins)
	if err != nil {
		return nil, err
	}
	s := &shared{
		registry: o.Registry, clock: o.Clock, log: o.Log, accessLog: o.AccessLog, metrics: metrics,
		admin: newAdminTokens(o.AdminToken, o.Operators), proxies: o.TrustedProxies, insecure: o.Insecure, origins: origins,
		writable: o.Writable, timing: o.Timing.withDefaults(), tracer: o.Tracer, room: newRoom(),
	}
	s.api = &routes{newFramework(o.Version, s.hasOperators() && !o.SeparateOps), s}
	s.ops = s.api
	if o.SeparateOps {
		s.ops = &routes{newFramework(o.Version, s.hasOperators()), s} // its document is never requested
	}
	return s, nil
}

// hasOperators reports whether anybody may use the admin API.
func (s *shared) hasOperators() bool { return len(s.admin) > 0 }

// handler returns the handler of API clients, sessions and, unless they are separate,
// operators.
func (s *shared) handler() (http.Handler, error) {
	compressing, err := compressed(s.withState(s.api.Mux))
	return keepingPlaces(compressing), err
}

// plainHandler returns the handler of a set of routes, whose replies are never compressed.
func (s *shared) plainHandler(of *routes) http.Handler { return s.withState(of.Mux) }
