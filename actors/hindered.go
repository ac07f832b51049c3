package actors

import "slices"

// What hinders an account is shown to its team by GetTeam, as pauses. Operators
// see how many sessions are hindered, by reason: a layout that nobody
// understands any more shows there first.

// showHindered brings the metrics up to what hinders a connected session now.
// What ends by itself is noticed with its next heartbeat.
func (t *team) showHindered(w *worker) {
	var reasons []PauseReason
	for _, p := range t.pauses(w, t.env.clock.Now()) {
		if !slices.Contains(reasons, p.Reason) {
			reasons = append(reasons, p.Reason)
		}
	}
	t.env.metrics.hinder(&w.hindered, reasons)
}

// hinder counts a session under the reasons instead of those that it was
// counted under before.
func (m *Metrics) hinder(counted *[]PauseReason, reasons []PauseReason) {
	if slices.Equal(*counted, reasons) {
		return
	}
	for _, reason := range *counted {
		m.hindered.WithLabelValues(string(reason)).Dec()
	}
	for _, reason := range reasons {
		m.hindered.WithLabelValues(string(reason)).Inc()
	}
	*counted = reasons
}
