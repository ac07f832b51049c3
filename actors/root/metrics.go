package root

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts what happens to root actors and their messages.
type Metrics struct {
	active      prometheus.Gauge
	deadLetters prometheus.Counter
	panics      prometheus.Counter
	lostCommits prometheus.Counter
}

// NewMetrics makes the metrics; register them with Collectors.
func NewMetrics() Metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "watchpost", Name: name, Help: help})
	}
	return Metrics{
		active:      prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "watchpost", Name: "teams_active", Help: "Teams in memory."}),
		deadLetters: counter("dead_letters_total", "Messages that found no actor."),
		panics:      counter("actor_failures_total", "Panics in actors."),
		lostCommits: counter("commits_lost_total", "Activations that ended because a commit failed."),
	}
}

// Collectors returns the collectors to register.
func (m *Metrics) Collectors() []prometheus.Collector {
	return []prometheus.Collector{m.active, m.deadLetters, m.panics, m.lostCommits}
}

// CountPanic counts a panic of what an actor does elsewhere.
func (m *Metrics) CountPanic() { m.panics.Inc() }

// levelFilter drops records below its level.
type levelFilter struct {
	slog.Handler
	level slog.Level
}

// Enabled implements slog.Handler.
func (f levelFilter) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= f.level && f.Handler.Enabled(ctx, level)
}
