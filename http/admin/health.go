package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"github.com/go-fuego/fuego"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"watchpost/http/endpoint"
	"watchpost/watchpost"
)

type health struct {
	Status string `json:"status" example:"ok"`
}

// probes tell machines how the service is.
type probes struct {
	*endpoint.Server
	registered *prometheus.Registry
	scraper    bearerToken // may read /metrics
	// ready tells why the service should get no requests.
	ready func() error
}

// AddProbes adds the endpoints that machines ask: /healthz, /readyz and /metrics, which
// metricsToken may read and nothing else.
func AddProbes(s *endpoint.Server, registered *prometheus.Registry, metricsToken string, ready func() error) {
	probes{s, registered, newBearerToken(metricsToken), ready}.routes()
}

// bearerToken is a secret of the configuration, kept as its hash so that
// comparing takes the same time whatever is compared.
type bearerToken struct {
	set  bool
	hash [sha256.Size]byte
}

func newBearerToken(secret string) bearerToken {
	return bearerToken{set: secret != "", hash: sha256.Sum256([]byte(secret))}
}

func (t bearerToken) matches(secret string) bool {
	hash := sha256.Sum256([]byte(secret))
	return t.set && subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1
}

func (s probes) routes() {
	for _, server := range s.servers() {
		endpoint.Handle(server, http.MethodGet, "/healthz", s.healthz, s.Operation(endpoint.Public, "healthz", "Is the process up?", endpoint.TagOps))
		endpoint.Handle(server, http.MethodGet, "/readyz", s.readyz, s.Operation(endpoint.Public, "readyz", "Can it serve?", endpoint.TagOps),
			endpoint.WithError(http.StatusServiceUnavailable, watchpost.TextUnavailable))
	}
	s.metricsRoute()
}

// metricsRoute adds /metrics. Next to the API it needs a token, and without any
// token it does not exist: how much a service does is not for all users. On a separate
// address it is open unless it has a separate token.
func (s probes) metricsRoute() {
	alone := s.Ops != s.API
	if !alone && !s.HasOperators() && !s.scraper.set {
		return
	}
	options := []fuego.RouteOption{s.Operation(endpoint.Checked, "metrics", "Metrics for Prometheus", endpoint.TagOps), fuego.OptionHide()}
	if !alone || s.scraper.set {
		options = append(options, s.Guard(func(r *http.Request) error {
			token := endpoint.Bearer(r)
			if !s.IsOperator(token) && !s.scraper.matches(token) {
				return watchpost.Errorf(watchpost.Unauthenticated, endpoint.TextUnauthorized)
			}
			return nil
		}))
	}
	show := promhttp.HandlerFor(s.registered, promhttp.HandlerOpts{DisableCompression: true, EnableOpenMetrics: true})
	s.Ops.Get("/metrics", show.ServeHTTP, options...)
}

// servers returns the one or two sets of routes.
func (s probes) servers() []*endpoint.Routes {
	if s.Ops == s.API {
		return []*endpoint.Routes{s.API}
	}
	return []*endpoint.Routes{s.API, s.Ops}
}

func (s probes) healthz(*http.Request) (health, error) { return health{"ok"}, nil }

func (s probes) readyz(*http.Request) (health, error) {
	err := s.ready()
	if err == nil {
		err = s.Writable()
	}
	if err != nil {
		return health{}, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, &endpoint.UnreadyError{Cause: err})
	}
	return health{"ok"}, nil
}
