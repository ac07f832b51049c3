package endpoint

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the server's own: requests by route, never by team or member.
type metrics struct {
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	refused   *route
}

// newMetrics registers the metrics.
func newMetrics(registry *prometheus.Registry, room *room) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "watchpost_http_requests_total", Help: "HTTP requests answered.",
		}, []string{"route", "method", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "watchpost_http_request_duration_seconds", Help: "Time to answer an HTTP request.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "method"}),
	}
	waiting := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "watchpost_http_requests_waiting", Help: "HTTP requests that wait for something to happen, as the end of a task.",
	}, func() float64 { return float64(room.waits.taken()) })
	following := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "watchpost_http_requests_following", Help: "HTTP requests that follow changes, most of which wait.",
	}, func() float64 { return float64(room.follows.taken()) })
	for _, c := range []prometheus.Collector{m.requests, m.durations, waiting, following} {
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

func (m *metrics) count(x *RequestState, took time.Duration) {
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
