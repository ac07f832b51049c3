package badger

import (
	"errors"
	"time"

	"watchpost/persistence"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts the committer's work. It implements prometheus.Collector.
type metrics struct {
	batches, bytes, activations prometheus.Counter
	commits                     prometheus.Histogram
	failures                    *prometheus.CounterVec
	collectors                  []prometheus.Collector
}

func newMetrics(queue *queue, views func() int) *metrics {
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
			Help:    "Time of a synced group commit; its count is the number of groups.",
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
		gauge("watchpost_store_waiting_batches", "Batches that wait for the committer.", func() float64 {
			waiting, _ := queue.load()
			return float64(waiting)
		}),
		gauge("watchpost_store_waiting_bytes", "Bytes of the batches that wait for the committer.", func() float64 {
			_, bytes := queue.load()
			return float64(bytes)
		}),
		gauge("watchpost_store_open_views", "Snapshots that are open.", func() float64 { return float64(views()) }),
	}
	return m
}

func gauge(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
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

func (m *metrics) answered(r *request) {
	switch {
	case r.err != nil:
		m.failures.WithLabelValues(reason(r.err)).Inc()
	case r.activation:
		m.activations.Inc()
	default:
		m.batches.Inc()
		m.bytes.Add(float64(r.bytes))
	}
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
