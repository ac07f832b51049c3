package actorstest

import (
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
)

// Gauge is the value of one of the actors' gauges, by its full name.
func (w *World) Gauge(name string) float64 {
	w.T.Helper()
	return w.metrics(name)[0].GetGauge().GetValue()
}

// Failures is how often an actor has failed in the present run.
func (w *World) Failures() float64 {
	w.T.Helper()
	return w.metrics("watchpost_actor_failures_total")[0].GetCounter().GetValue()
}

// PostEvents is how often something happened to collected posts.
func (w *World) PostEvents(event string) float64 {
	w.T.Helper()
	for _, m := range w.metrics("watchpost_posts_total") {
		if m.GetLabel()[0].GetValue() == event {
			return m.GetCounter().GetValue()
		}
	}
	return 0
}

// Pending is how much work waits for a reason.
func (w *World) Pending(reason string) float64 {
	w.T.Helper()
	for _, m := range w.metrics("watchpost_tasks_pending") {
		if m.GetLabel()[0].GetValue() == reason {
			return m.GetGauge().GetValue()
		}
	}
	require.FailNow(w.T, "no such reason", reason)
	return 0
}

// TaskEvents is how often something happened to tasks of a type.
func (w *World) TaskEvents(kind watchpost.TaskType, event string) float64 {
	w.T.Helper()
	for _, m := range w.metrics("watchpost_tasks_total") {
		if l := m.GetLabel(); l[0].GetValue() == event && l[1].GetValue() == string(kind) {
			return m.GetCounter().GetValue()
		}
	}
	return 0
}

// metrics lists the values under a metric's full name.
func (w *World) metrics(name string) []*dto.Metric {
	w.T.Helper()
	r := prometheus.NewRegistry()
	r.MustRegister(w.Metrics.Collectors()...)
	families, err := r.Gather()
	require.NoError(w.T, err)
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()
		}
	}
	require.FailNow(w.T, "no such metric", name)
	return nil
}
