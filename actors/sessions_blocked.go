package actors

import "slices"

// What blocks an account is shown to its team by GetTeam, as pauses. Operators
// see how many sessions are blocked, by reason: a changed layout of
// the network's pages shows there first.

// showBlocked brings the metrics up to what blocks a connected session now.
// What ends by itself is noticed with its next heartbeat.
func (ss *sessions) showBlocked(w *worker) {
	var reasons []PauseReason
	for _, p := range ss.pauses(w, ss.env.clock.Now()) {
		if !slices.Contains(reasons, p.Reason) {
			reasons = append(reasons, p.Reason)
		}
	}
	ss.env.metrics.countBlocked(&w.blocked, reasons)
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
