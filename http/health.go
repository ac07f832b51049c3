package httpapi

import (
	"net/http"

	"github.com/go-fuego/fuego"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"watchpost/watchpost"
)

type healthReply struct {
	Status string `json:"status" example:"ok"`
}

// health tells machines how the service is.
type health struct {
	*shared
	scraper bearerToken // may read /metrics
	// ready tells why the service should get no requests.
	ready func() error
}

// addHealth adds them; metricsToken may read /metrics and nothing else.
func addHealth(s *shared, metricsToken string, ready func() error) {
	health{s, newBearerToken(metricsToken), ready}.routes()
}

func (s health) routes() {
	for _, server := range s.servers() {
		handle(server, http.MethodGet, "/healthz", s.healthz, s.operation(public, "healthz", "Is the process up?", tagOps))
		handle(server, http.MethodGet, "/readyz", s.readyz, s.operation(public, "readyz", "Can it serve?", tagOps),
			withError(http.StatusServiceUnavailable, watchpost.TextUnavailable))
	}
	s.metricsRoute()
}

// metricsRoute adds /metrics. Next to the API it needs a token, and without any
// token it does not exist: how much a service does is not for all users. On an
// address of its own it is open unless it has a token of its own.
func (s health) metricsRoute() {
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
	s.ops.get("/metrics", show.ServeHTTP, options...)
}

// servers returns the one or two sets of routes.
func (s health) servers() []*routes {
	if s.ops == s.api {
		return []*routes{s.api}
	}
	return []*routes{s.api, s.ops}
}

func (s health) healthz(*http.Request) (healthReply, error) { return healthReply{"ok"}, nil }

func (s health) readyz(*http.Request) (healthReply, error) {
	err := s.ready()
	if err == nil {
		err = s.writable()
	}
	if err != nil {
		return healthReply{}, watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, &unreadyError{err})
	}
	return healthReply{"ok"}, nil
}
