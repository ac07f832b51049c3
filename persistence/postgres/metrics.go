package postgres

import (
	"errors"
	"time"

	"watchpost/persistence"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts the work of the committer and the use of the pools. It implements
// prometheus.Collector. What the embedded engine counts too has the same name.
type metrics struct {
	batches, bytes, activations prometheus.Counter
	commits                     prometheus.Histogram
	failures                    *prometheus.CounterVec
	collectors                  []prometheus.Collector
}

func newMetrics(s *Store) *metrics {
	m := &metrics{
		batches: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "watchpost_store_batches_total", Help: "Batches made durable.",
		}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "watchpost_store_bytes_total", Help: "Bytes of keys and values made durable.",
		}),
		activations: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "watchpost_store_activations_total", Help: "Epochs taken.",
		}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "watchpost_store_commit_seconds",
			Help:    "Time of a group commit; its count is the number of groups.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2, 14),
		}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "watchpost_store_failures_total", Help: "Batches and activations that failed, by reason.",
		}, []string{"reason"}),
	}
	for _, reason := range []string{"conflict", "fenced", "too_large", "closed", "engine"} {
		m.failures.WithLabelValues(reason) // shown before the first, for alerts
	}
	m.collectors = []prometheus.Collector{
		m.batches, m.bytes, m.activations, m.commits, m.failures,
		gauge("watchpost_store_waiting_batches", "Batches that wait for the committer.", nil, func() float64 { return float64(s.committer.load()) }),
		gauge("watchpost_store_open_views", "Snapshots that are open.", nil, func() float64 {
			s.mu.Lock()
			defer s.mu.Unlock()
			return float64(len(s.open))
		}),
		gauge("watchpost_store_size_bytes", "What the database takes on the disk of its server.", nil, (&databaseSize{s: s}).read),
		gauge("watchpost_store_up", "1 while the database answers.", nil, func() float64 {
			if s.Fault() != nil {
				return 0
			}
			return 1
		}),
	}
	m.pool("commits", s.commits)
	m.pool("views", s.views)
	return m
}

// pool adds the metrics of a pool.
func (m *metrics) pool(name string, pool *pgxpool.Pool) {
	of := prometheus.Labels{"pool": name}
	m.collectors = append(m.collectors,
		gauge("watchpost_store_pool_used", "Connections in use.", of, func() float64 { return float64(pool.Stat().AcquiredConns()) }),
		gauge("watchpost_store_pool_size", "Connections that are open.", of, func() float64 { return float64(pool.Stat().TotalConns()) }),
		gauge("watchpost_store_pool_limit", "Connections that may be open.", of, func() float64 { return float64(pool.Stat().MaxConns()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "watchpost_store_pool_wait_seconds_total", Help: "Time for which callers waited for a connection.", ConstLabels: of,
		}, func() float64 { return pool.Stat().EmptyAcquireWaitTime().Seconds() }),
	)
}

func gauge(name, help string, labels prometheus.Labels, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value)
}

// Describe implements prometheus.Collector.
func (m *metrics) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.collectors {
		c.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (m *metrics) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.collectors {
		c.Collect(ch)
	}
}

func (m *metrics) committed(took time.Duration) { m.commits.Observe(took.Seconds()) }

func (m *metrics) activated(err error) {
	if err != nil {
		m.failures.WithLabelValues("engine").Inc()
		return
	}
	m.activations.Inc()
}

func (m *metrics) answered(r *request) {
	if r.err != nil {
		m.failures.WithLabelValues(reason(r.err)).Inc()
		return
	}
	m.batches.Inc()
	m.bytes.Add(float64(r.bytes))
}

func reason(err error) string {
	switch {
	case errors.Is(err, persistence.ErrConflict):
		return "conflict"
	case errors.Is(err, persistence.ErrFenced):
		return "fenced"
	case errors.Is(err, persistence.ErrTooLarge):
		return "too_large"
	case errors.Is(err, persistence.ErrClosed):
		return "closed"
	}
	return "engine"
}
