// Package httpapi composes the server of its rooms, which do not know each other:
//
//	endpoint   what all endpoints share
//	api        the resources of the API
//	gateway    sessions: sockets, polls and the extension's downloads
//	admin      operators, health and metrics
//	dashboard  the pages of people
//	mcp        the API as tools of language models
//	docs       the document of the API and its page
//	edge       requests in a cluster, to the node that serves their team
//
// It decodes, authorizes, asks the actors, and encodes; the rules are elsewhere.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"watchpost/actors"
	"watchpost/http/admin"
	"watchpost/http/api"
	"watchpost/http/docs"
	"watchpost/http/edge"
	"watchpost/http/endpoint"
	"watchpost/http/gateway"
	"watchpost/http/mcp"
	"watchpost/internal/identity"
	"watchpost/internal/interpret"
	"watchpost/internal/interpret/draft"
	"watchpost/internal/pictures"
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
	Operators  []endpoint.Operator
	// MetricsToken may read /metrics and nothing else, as AdminToken may; empty
	// means that there is none.
	MetricsToken string
	// TestClock opens /admin/clock; nil means that there is none.
	TestClock endpoint.TestClock
	// Backup makes a backup; nil means that there is no POST /admin/backup.
	Backup func(ctx context.Context, full bool) (admin.Backup, error)
	// Doctor checks the service and its surroundings; nil means that there is no
	// GET /admin/doctor.
	Doctor func(ctx context.Context) []admin.Finding
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
	// Drafts writes drafts of comments and messages; nil means that there are none.
	Drafts draft.Model
	// Pictures fetches the images that the dashboard shows; nil means that it shows none.
	Pictures *pictures.Fetcher
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
	Timing endpoint.Timing
	// Provider signs people in to the dashboard who have an address in one of
	// ProviderDomains; nil: there is none.
	Provider        *identity.Provider
	ProviderDomains []string
	// Cluster forwards requests to the node that serves their team; nil means
	// that this server serves all.
	Cluster *edge.Cluster
}

// Server serves Watchpost over HTTP. It does not listen: the caller puts its
// handlers into an http.Server.
type Server struct {
	endpoints *endpoint.Server
	gateway   *gateway.Gateway
	edge      *edge.Edge // nil without a cluster
	handler   http.Handler
}

// New builds a server with all its routes.
func New(o Options) (*Server, error) {
	if o.Registry == nil || o.Clock == nil {
		return nil, errors.New("httpapi: a registry and a clock are required")
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	endpoints, err := endpoint.New(endpoint.Options{
		Registry: o.Registry, Clock: o.Clock, Log: o.Log, AccessLog: o.AccessLog, Metrics: o.Metrics, Version: o.Version,
		AdminToken: o.AdminToken, Operators: o.Operators, SeparateOps: o.SeparateOps, TrustedProxies: o.TrustedProxies,
		Insecure: o.Insecure, ExtensionOrigins: o.ExtensionOrigins, Writable: o.Writable, Tracer: o.Tracer, Timing: o.Timing,
	})
	if err != nil {
		return nil, err
	}
	s := &Server{endpoints: endpoints}
	if s.gateway, err = gateway.New(endpoints, o.MaxSessions, o.Metrics); err != nil {
		return nil, err
	}
	endpoints.Closing = s.gateway.Closing()
	forwarded, err := edge.NewForwarded(o.Metrics)
	if err != nil {
		return nil, err
	}
	if o.Cluster != nil {
		s.edge = edge.New(endpoints, *o.Cluster, o.TestClock, forwarded, s.gateway.Closing())
		endpoints.Owners, s.gateway.Dial = s.edge, s.edge.DialOwner
	}
	if err := s.routes(o); err != nil {
		return nil, err
	}
	s.handler, err = endpoints.Handler()
	return s, err
}

// complete sets the defaults.
func (o *Options) complete() error {
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
	if o.ExtensionUpdates == "" {
		return nil
	}
	origin, err := gateway.OriginOfUpdates(o.ExtensionUpdates)
	o.ExtensionOrigins = append(slices.Clone(o.ExtensionOrigins), origin)
	return err
}

// routes is the whole surface, one call per room.
func (s *Server) routes(o Options) error {
	prompts, err := api.NewPrompts(o.Interpreter, o.Drafts, o.Log, o.Metrics)
	if err != nil {
		return err
	}
	api.Add(s.endpoints, prompts)
	s.gateway.Routes()
	admin.AddProbes(s.endpoints, o.Metrics, o.MetricsToken, o.Ready)
	docs.Add(s.endpoints, func() ([]byte, error) { return api.Document(s.endpoints) })
	own := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) })
	mcp.Add(s.endpoints, mcp.Options{Version: o.Version}, own, s.gateway.Closing())
	gateway.Downloads{Server: s.endpoints, File: o.ExtensionFile, Updates: o.ExtensionUpdates}.Routes()
	s.dashboardRoutes(o, prompts)
	if s.endpoints.HasOperators() {
		admin.Add(s.endpoints, admin.Options{Shown: api.Exported, TestClock: o.TestClock, ShareClock: s.shareClock, Backup: o.Backup, Doctor: o.Doctor})
	}
	return nil
}

// shareClock sets the test clocks of the other nodes forward to this one's.
func (s *Server) shareClock(ctx context.Context) error {
	if s.edge == nil {
		return nil
	}
	return s.edge.ShareClock(ctx)
}

// Handler returns the handler for API clients, sessions and, unless they are
// separate, operators.
func (s *Server) Handler() http.Handler { return s.handler }

// OpsHandler returns the handler for operators when Options.SeparateOps is
// set: /metrics, /admin, /healthz and /readyz.
func (s *Server) OpsHandler() http.Handler { return s.endpoints.PlainHandler(s.endpoints.Ops) }

// PeerHandler returns the handler for requests that other nodes of the cluster forward. Its
// listener admits these nodes only.
func (s *Server) PeerHandler() http.Handler { return s.edge.PeerHandler() }

// KeepContact asks the other nodes of the cluster for signs of life until ctx ends.
func (s *Server) KeepContact(ctx context.Context) { s.edge.KeepContact(ctx) }

// Reached returns why this node itself, or most of the others, cannot connect to it at its
// address; nil if they can (cluster.Options.Reached).
func (s *Server) Reached(ctx context.Context, others []string) error {
	return s.edge.Reached(ctx, others)
}

// CloseSessions refuses new connections of sessions, ends those that there are and the
// event streams of the dashboard, and returns when they have ended or ctx ends. It is
// called before the http.Server is shut down, which does not wait for sockets.
func (s *Server) CloseSessions(ctx context.Context) error {
	s.gateway.Close()
	if s.edge != nil {
		s.edge.Close()
	}
	return s.gateway.Wait(ctx)
}
