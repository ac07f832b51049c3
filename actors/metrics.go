package actors

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"watchpost/actors/root"
	"watchpost/internal/mail/outgoing"
)

// Metrics counts what happens in the actors. No label names a team, member or
// account.
type Metrics struct {
	root.Metrics
	postCache prometheus.Gauge
	sessions  prometheus.Gauge
	heartbeat prometheus.Gauge
	blocked   *prometheus.GaugeVec // reason
	pending   *prometheus.GaugeVec // reason
	dueScans  *dueScans
	tasks     *prometheus.CounterVec // type, event
	posts     *prometheus.CounterVec // event
	breakers  *prometheus.CounterVec // type, event
	mails     *prometheus.CounterVec // event
}

// NewMetrics makes the metrics; register them with Collectors.
func NewMetrics() *Metrics {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "watchpost", Name: name, Help: help})
	}
	vector := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "watchpost", Name: name, Help: help}, labels)
	}
	m := &Metrics{
		Metrics:   root.NewMetrics(),
		postCache: gauge("post_cache_bytes", "Memory for posts and their index that were read."),
		sessions:  gauge("sessions_connected", "Sessions with an open connection."),
		heartbeat: gauge("session_heartbeat_seconds", "How often a session without a task is asked to send a heartbeat."),
		blocked: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: "watchpost", Name: "sessions_blocked",
			Help: "Connected sessions whose account gets no tasks, or none of a kind, by the reason.",
		}, []string{"reason"}),
		pending: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: "watchpost", Name: "tasks_pending",
			Help: "Agent tasks and scans of the teams in memory that are not final, by the reason for which they wait.",
		}, []string{"reason"}),
		dueScans: newDueScans(),
		tasks:    vector("tasks_total", "What happened to tasks.", "type", "event"),
		posts:    vector("posts_total", "What happened to collected posts.", "event"),
		breakers: vector("breakers_total", "Breakers of a task type of an account that opened, because the network failed it, or closed.", "type", "event"),
		mails:    vector("mails_total", "What happened to mails.", "event"),
	}
	m.begin()
	return m
}

// begin shows the series that alerts are made of before anything happens: an
// alert on a series that is absent never fires.
func (m *Metrics) begin() {
	for _, reason := range pauseReasons {
		m.blocked.WithLabelValues(string(reason))
	}
	for _, event := range []string{outgoing.Handed, outgoing.Sent, outgoing.Retried, outgoing.Failed, outgoing.Held} {
		m.mails.WithLabelValues(event)
	}
	for _, reason := range pendingReasons {
		m.pending.WithLabelValues(string(reason))
	}
}

// Collectors returns the collectors to register.
func (m *Metrics) Collectors() []prometheus.Collector {
	return append(m.Metrics.Collectors(), m.postCache, m.sessions, m.heartbeat, m.blocked, m.pending, m.dueScans.gauge(), m.tasks, m.posts, m.breakers, m.mails)
}

// Mail counts an event of a mail (MailHanded and the others).
func (m *Metrics) Mail(event string) { m.mails.WithLabelValues(event).Inc() }

// countPosts counts an event of posts.
func (m *Metrics) countPosts(event string, posts int) {
	m.posts.WithLabelValues(event).Add(float64(posts))
}

// countBlocked counts a session under the reasons instead of those that it was
// counted under before.
func (m *Metrics) countBlocked(counted *[]PauseReason, reasons []PauseReason) {
	if slices.Equal(*counted, reasons) {
		return
	}
	for _, reason := range *counted {
		m.blocked.WithLabelValues(string(reason)).Dec()
	}
	for _, reason := range reasons {
		m.blocked.WithLabelValues(string(reason)).Inc()
	}
	*counted = reasons
}
