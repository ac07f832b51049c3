// Package storemetrics counts what every engine does under the same names.
package storemetrics

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"watchpost/persistence"
)

// Metrics counts the work of an engine's committer. It implements
// prometheus.Collector.
type Metrics struct {
	batches, bytes, activations prometheus.Counter
	commits                     prometheus.Histogram
	failures                    *prometheus.CounterVec
	collectors                  []prometheus.Collector
}

// New returns the counters of an engine.
func New() *Metrics {
	m := &Metrics{
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
			Help:    "Time of a durable group commit; its count is the number of groups.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2, 14),
		}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "watchpost_store_failures_total", Help: "Batches and activations that failed, by reason.",
		}, []string{"reason"}),
	}
	for _, reason := range []string{"conflict", "fenced", "too_large", "closed", "engine"} {
		m.failures.WithLabelValues(reason) // shown before the first, for alerts
	}
	m.Add(m.batches, m.bytes, m.activations, m.commits, m.failures)
	return m
}

// Add adds collectors of one engine. It is called before the first Collect.
func (m *Metrics) Add(more ...prometheus.Collector) { m.collectors = append(m.collectors, more...) }

// Gauge returns a collector of a value that is read when it is collected.
func Gauge(name, help string, labels prometheus.Labels, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value)
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.collectors {
		c.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.collectors {
		c.Collect(ch)
	}
}

// Committed counts a group commit.
func (m *Metrics) Committed(took time.Duration) { m.commits.Observe(took.Seconds()) }

// Activated counts an activation, or its failure.
func (m *Metrics) Activated(err error) {
	if err != nil {
		m.failures.WithLabelValues(reason(err)).Inc()
		return
	}
	m.activations.Inc()
}

// Answered counts a batch with its bytes, or its failure.
func (m *Metrics) Answered(bytes int, err error) {
	if err != nil {
		m.failures.WithLabelValues(reason(err)).Inc()
		return
	}
	m.batches.Inc()
	m.bytes.Add(float64(bytes))
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
