// Package httpapi serves Watchpost over HTTP: the API, the gateway through which
// sessions connect, and the operator's endpoints. It decodes, authorizes, asks the
// actors, and encodes; the rules are elsewhere.
//
// A request passes, from the outside in:
//
//	withState  request id, panic, access log, metrics, texts of mux and framework
//	mux        404 and 405 as JSON
//	access     key, extension, admin token: guards of the route
//	handler    body, Idempotency-Key, fields, request to the team, reply
//
// handleCreate has the steps of a request that creates: readAll, parseObject,
// idempotencyKey, decode, sendOnce; the team finds out whether the request was made
// before, handles the message in its method on…, and answers when the batch is
// durable. decode and the cleanField methods that it calls are pure. A prompt asks
// keptReply before it is interpreted.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/go-fuego/fuego"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"watchpost/actors"
	"watchpost/internal/identity"
	"watchpost/internal/interpret"
	"watchpost/internal/protocol"
	"watchpost/watchpost"
)

// Options is what a Server needs. Registry and Clock are required.
type Options struct {
	Registry *actors.Registry
	Clock    watchpost.Clock
	Log      *slog.Logger
	// AccessLog makes the server log every request at level Info. Without it
	// only failures of the service are logged.
	AccessLog bool
	// Metrics receives the server's metrics and is what /metrics shows; nil
	// makes one.
	Metrics *prometheus.Registry
	// Version is shown by the OpenAPI document.
	Version string
	// AdminToken opens /admin, as the tokens of Operators do; without any of them there
	// is no /admin.
	AdminToken string
	Operators  []Operator
	// MetricsToken may read /metrics and nothing else, as AdminToken may; empty
	// means that there is none.
	MetricsToken string
	// TestClock opens /admin/clock; nil means that there is none.
	TestClock TestClock
	// Backup makes a backup; nil means that there is no POST /admin/backup.
	Backup func(ctx context.Context, full bool) (Backup, error)
	// Doctor checks the service and its surroundings; nil means that there is no
	// GET /admin/doctor.
	Doctor func(ctx context.Context) []Finding
	// SeparateOps moves /metrics and /admin from Handler to OpsHandler.
	SeparateOps bool
	// TrustedProxies are the addresses whose X-Forwarded-For and
	// X-Forwarded-Proto are believed.
	TrustedProxies []netip.Prefix
	// Insecure lets sessions connect without TLS from other machines.
	Insecure bool
	// ExtensionOrigins are the values of Origin with which a browser may open
	// a session: chrome-extension://<id>, or moz-extension://* for all of
	// Firefox.
	ExtensionOrigins []string
	// ExtensionUpdates is the folder with signed packages of the extension and
	// their update manifests; empty means that there is none. The id in it is
	// allowed like one of ExtensionOrigins.
	ExtensionUpdates string
	// ExtensionFile is the zip of the browser extension that /extension.zip
	// offers; empty, or a file that is not there, means that there is none.
	ExtensionFile string
	// Interpreter turns prompts into keywords; the zero value does so offline.
	Interpreter interpret.Fallback
	// Ready tells why the service should get no requests, which /readyz shows to everybody;
	// nil means that it always should.
	Ready func() error
	// Writable tells why requests that change something are refused, which then
	// are Unavailable, and /readyz too, with this reason; nil means that they
	// never are.
	Writable func() error
	// Tracer records a span for each request of the API; nil means none.
	Tracer trace.Tracer
	// MaxSessions is at how many connections of sessions new ones are asked to come later;
	// 0: never.
	MaxSessions int
	// Timing replaces the periods of real time; zero fields keep theirs.
	Timing Timing
	// Provider signs people in to the dashboard who have an address in one of
	// ProviderDomains; nil: there is none.
	Provider        *identity.Provider
	ProviderDomains []string
	// Cluster forwards requests to the node that serves their team; nil means
	// that this server serves all.
	Cluster *Cluster
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

// Server serves Watchpost over HTTP. It does not listen: the caller puts its
// handlers into an http.Server.
type Server struct {
	registry  *actors.Registry
	clock     watchpost.Clock
	log       *slog.Logger
	accessLog bool
	metrics   *metrics
	admin     adminTokens
	scraper   bearerToken // may read /metrics
	backup    func(ctx context.Context, full bool) (Backup, error)
	doctor    func(ctx context.Context) []Finding
	testClock TestClock
	proxies   []netip.Prefix
	insecure  bool
	ready     func() error
	writable  func() error
	timing    Timing
	tracer    trace.Tracer // nil without traces
	room      *room
	extension string
	updates   string // folder of the extension's packages

	provider        *identity.Provider // nil without one
	providerDomains []string

	interpreter interpret.Fallback
	sessions    *gateway
	cluster     *clusterEdge // nil without a cluster

	api     *fuego.Server // routes of Handler
	handler http.Handler  // of api
	ops     *fuego.Server // routes of OpsHandler; the same as api unless separate
	// openAPI and docs are made when they are first asked for: most processes
	// are never asked, and making them takes longer than starting.
	openAPI func() ([]byte, error)
	docs    func() (docsPage, error)
}

// New builds a server with all its routes.
func New(o Options) (*Server, error) {
	if o.Registry == nil || o.Clock == nil {
		return nil, errors.New("httpapi: a registry and a clock are required")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = prometheus.NewRegistry()
	}
	if o.Ready == nil {
		o.Ready = func() error { return nil }
	}
	if o.Writable == nil {
		o.Writable = func() error { return nil }
	}
	metrics, err := newMetrics(o.Metrics, o.MaxSessions)
	if err != nil {
		return nil, err
	}
	if o.ExtensionUpdates != "" {
		origin, err := originOfUpdates(o.ExtensionUpdates)
		if err != nil {
			return nil, err
		}
		o.ExtensionOrigins = append(slices.Clone(o.ExtensionOrigins), origin)
	}
	sessions, err := newGateway(o.ExtensionOrigins, o.MaxSessions)
	if err != nil {
		return nil, err
	}
	s := &Server{
		registry: o.Registry, clock: o.Clock, log: o.Log, accessLog: o.AccessLog, metrics: metrics,
		admin: newAdminTokens(o.AdminToken, o.Operators), scraper: newBearerToken(o.MetricsToken), tracer: o.Tracer, backup: o.Backup, doctor: o.Doctor, testClock: o.TestClock,
		proxies: o.TrustedProxies, insecure: o.Insecure, ready: o.Ready, writable: o.Writable, timing: o.Timing.withDefaults(), room: newRoom(),
		provider: o.Provider, providerDomains: o.ProviderDomains,
		sessions: sessions, interpreter: o.Interpreter, extension: o.ExtensionFile, updates: o.ExtensionUpdates,
	}
	if o.Cluster != nil {
		s.cluster = newClusterEdge(*o.Cluster, metrics.forwarded)
	}
	s.api = s.newFramework(o.Version, len(s.admin) > 0 && !o.SeparateOps)
	s.ops = s.api
	if o.SeparateOps {
		s.ops = s.newFramework(o.Version, len(s.admin) > 0) // its document is never requested
	}
	s.routes()
	if s.handler, err = compressed(s.withState(s.api.Mux)); err != nil {
		return nil, err
	}
	s.handler = keepingPlaces(s.handler)
	s.openAPI = sync.OnceValues(func() ([]byte, error) { return finishOpenAPI(s.api) })
	s.docs = sync.OnceValues(func() (docsPage, error) {
		document, err := s.openAPI()
		if err != nil {
			return docsPage{}, err
		}
		return newDocsPage(document)
	})
	return s, nil
}

// routes is the whole surface, one method per resource.
func (s *Server) routes() {
	s.otpRoutes()
	s.teamRoutes()
	s.keywordWatchlistRoutes()
	s.forumWatchlistRoutes()
	s.promptRoutes()
	s.peopleWatchlistRoutes()
	s.companyWatchlistRoutes()
	s.postRoutes()
	s.bookmarkRoutes()
	s.ruleRoutes()
	s.notificationRoutes()
	s.journalRoutes()
	s.engagementRoutes()
	s.interactionRoutes()
	s.agentTaskRoutes()
	s.gatewayRoutes()
	s.opsRoutes()
	s.docsRoutes()
	s.downloadRoutes()
	s.dashboardRoutes()
	if len(s.admin) > 0 {
		s.adminRoutes()
	}
}

// Handler returns the handler for API clients, sessions and, unless they are
// separate, operators.
func (s *Server) Handler() http.Handler { return s.handler }

// OpsHandler returns the handler for operators when Options.SeparateOps is
// set: /metrics, /admin, /healthz and /readyz.
func (s *Server) OpsHandler() http.Handler { return s.withState(s.ops.Mux) }
