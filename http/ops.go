package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/go-fuego/fuego"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"watchpost/watchpost"
)

const tagOps = "Operation"

type health struct {
	Status string `json:"status" example:"ok"`
}

func (s *Server) opsRoutes() {
	for _, server := range s.servers() {
		handle(s, server, http.MethodGet, "/healthz", s.healthz, s.operation(public, "healthz", "Is the process up?", tagOps))
		handle(s, server, http.MethodGet, "/readyz", s.readyz, s.operation(public, "readyz", "Can it serve?", tagOps),
			withError(http.StatusServiceUnavailable, watchpost.TextUnavailable))
	}
	s.metricsRoute()
	fuego.GetStd(s.api, "/openapi.json", s.showOpenAPI, s.operation(public, "openapi", "This document", tagOps), fuego.OptionHide())
}

// metricsRoute adds /metrics. Next to the API it needs a token, and without any
// token it does not exist: how much a service does is not for all users. On an
// address of its own it is open unless it has a token of its own.
func (s *Server) metricsRoute() {
	alone := s.ops != s.api
	if !alone && len(s.admin) == 0 && !s.scraper.set {
		return
	}
	options := []fuego.RouteOption{s.operation(checked, "metrics", "Metrics for Prometheus", tagOps), fuego.OptionHide()}
	if !alone || s.scraper.set {
		options = append(options, s.guard(func(r *http.Request) error {
			token := bearer(r)
			if _, operator := s.admin.find(token); !operator && !s.scraper.matches(token) {
				return watchpost.Errorf(watchpost.Unauthenticated, textUnauthorized)
			}
			return nil
		}))
	}
	show := promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{DisableCompression: true, EnableOpenMetrics: true})
	fuego.GetStd(s.ops, "/metrics", show.ServeHTTP, options...)
}

// servers returns the one or two sets of routes.
func (s *Server) servers() []*fuego.Server {
	if s.ops == s.api {
		return []*fuego.Server{s.api}
	}
	return []*fuego.Server{s.api, s.ops}
}

func (s *Server) healthz(*http.Request) (health, error) { return health{"ok"}, nil }

func (s *Server) readyz(*http.Request) (health, error) {
	err := s.ready()
	if err == nil {
		err = s.writable()
	}
	if err != nil {
		return health{}, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, &unreadyError{err})
	}
	return health{"ok"}, nil
}

// unreadyError is why nothing can be stored or served; the reply of /readyz shows it as
// its reason.
type unreadyError struct{ cause error }

// Error implements error.
func (n *unreadyError) Error() string { return n.cause.Error() }

// Unwrap returns the cause.
func (n *unreadyError) Unwrap() error { return n.cause }

// unreadyBody is the body of a /readyz that fails.
type unreadyBody struct {
	Error  string `json:"error" example:"Temporarily unavailable, retry later"`
	Reason string `json:"reason" example:"disk nearly full: 12 MiB are free, less than the 256 MiB of --min-free-disk"`
}

func (s *Server) showOpenAPI(w http.ResponseWriter, r *http.Request) {
	document, err := s.openAPI()
	if err != nil {
		s.writeError(r, err)
		return
	}
	x := stateOf(r.Context())
	x.revalidated()
	if !x.unchanged(r, etagOf(document)) {
		x.writeJSON(http.StatusOK, document)
	}
}

// metrics are the server's own: requests by route, never by team or member.
type metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	durations   *prometheus.HistogramVec
	connections *prometheus.GaugeVec
	prompts     *prometheus.CounterVec
	forwarded   *prometheus.CounterVec
	notAdmitted *prometheus.CounterVec // connections of sessions
	refused     *route
}

// Reasons of refused connections of sessions.
const (
	refusedFull        = "full"
	refusedBeforeHello = "before_hello"
)

// newMetrics registers the metrics; maxSessions is Options.MaxSessions.
func newMetrics(registry *prometheus.Registry, maxSessions int) (*metrics, error) {
	m := &metrics{
		registry: registry,
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "watchpost_http_requests_total", Help: "HTTP requests answered.",
		}, []string{"route", "method", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "watchpost_http_request_duration_seconds", Help: "Time to answer an HTTP request.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "method"}),
		connections: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "watchpost_gateway_connections", Help: "Connections of sessions, also those before welcome.",
		}, []string{"carrier"}),
		notAdmitted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "watchpost_gateway_refused_total", Help: "Connections of sessions that were asked to come later: full (--max-sessions), or before_hello (too many of one client).",
		}, []string{"reason"}),
		prompts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "watchpost_prompts_total", Help: "Prompts by who interpreted them (rules, or the model's name) and what became of them (accepted, or the reason of the refusal).",
		}, []string{"interpreter", "outcome"}),
	}
	m.forwarded = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "watchpost_cluster_forwarded_total", Help: "Requests forwarded to the node that serves their team (served, failed), passed on for another node, sockets, and peers' requests refused.",
	}, []string{"outcome"})
	for _, outcome := range []string{"served", "failed", "passed", "sockets", "refused"} {
		m.forwarded.WithLabelValues(outcome) // shown before the first, for alerts
	}
	for _, reason := range []string{refusedFull, refusedBeforeHello} {
		m.notAdmitted.WithLabelValues(reason)
	}
	bound := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "watchpost_gateway_max_connections", Help: "Connections of sessions from which on new ones are asked to come later; 0: no bound.",
	})
	bound.Set(float64(maxSessions))
	for _, c := range []prometheus.Collector{m.requests, m.durations, m.connections, m.prompts, m.forwarded, m.notAdmitted, bound} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	m.refused = m.route("", "unmatched")
	return m, nil
}

// route holds the metrics of a route, looked up once.
type route struct {
	method, path string
	succeeded    prometheus.Counter
	duration     prometheus.Observer
}

func (m *metrics) route(method, path string) *route {
	return &route{
		method: method, path: path,
		succeeded: m.requests.WithLabelValues(path, method, "200"),
		duration:  m.durations.WithLabelValues(path, method),
	}
}

func (m *metrics) count(x *requestState, took time.Duration) {
	r := x.route
	if r == nil {
		r = m.refused
	}
	if x.status == http.StatusOK {
		r.succeeded.Inc()
	} else {
		m.requests.WithLabelValues(r.path, r.method, strconv.Itoa(x.status)).Inc()
	}
	x.observe(r.duration, took.Seconds())
}
