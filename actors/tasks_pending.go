package actors

import (
	"maps"
	"slices"
	"time"

	"watchpost/watchpost"
)

// pendingReasons are the labels of the gauge of pending work; all exist from
// the start.
var pendingReasons = []watchpost.PendingReason{
	watchpost.PendingRunning, watchpost.PendingExtensionOffline, watchpost.PendingPaused, watchpost.PendingWeeklyCap,
	watchpost.PendingDailyCap, watchpost.PendingMemberAsked, watchpost.PendingMemberPace, watchpost.PendingRetry, watchpost.PendingQueued,
}

// pendingGrain is how often a team counts its pending work.
const pendingGrain = 10 * time.Second

// pendingAtOnce is how many queues are looked at in one turn of the team's mailbox.
const pendingAtOnce = 50

// pendingCount is a count of the pending work that goes on turn by turn.
type pendingCount struct {
	queues []*queue // those left
	counts map[watchpost.PendingReason]int
	oldest time.Time // when the oldest waiting scan became due; zero when none waits
}

// showPending brings the metrics up to why the team's open tasks wait. It looks
// at queues, not at tasks, and at some of them with each event.
func (t *tasks) showPending(now time.Time) {
	if len(t.open) == 0 || t.shownAt.IsZero() {
		t.counting = nil // it is out of date
	}
	if t.counting == nil {
		if len(t.open) > 0 && now.Sub(t.shownAt) < pendingGrain {
			return
		}
		t.shownAt = now
		t.counting = t.dispatch.pending(now)
	}
	if !t.dispatch.count(t.counting, pendingAtOnce, now) {
		return
	}
	for _, held := range t.held {
		t.counting.counts[watchpost.PendingRunning] += len(held)
	}
	t.publishPending(t.counting.counts, t.counting.oldest)
	t.counting = nil
}

// hidePending takes the team, which leaves memory, out of the metrics of such teams.
func (t *tasks) hidePending() {
	t.countPending(nil)
	t.env.metrics.dueScans.leave(t.team.id)
}

func (t *tasks) publishPending(counts map[watchpost.PendingReason]int, oldest time.Time) {
	t.countPending(counts)
	t.env.metrics.dueScans.set(t.team.id, oldest)
}

func (t *tasks) countPending(counts map[watchpost.PendingReason]int) {
	for _, reason := range pendingReasons {
		if change := counts[reason] - t.counted[reason]; change != 0 {
			t.env.metrics.pending.WithLabelValues(string(reason)).Add(float64(change))
		}
	}
	t.counted = counts
}

// pending begins a count of the waiting tasks.
func (d *dispatcher) pending(now time.Time) *pendingCount {
	d.mature(now)
	return &pendingCount{queues: slices.Collect(maps.Values(d.byKey)), counts: map[watchpost.PendingReason]int{}}
}

// count goes on with a count for up to n queues; it reports whether all are counted.
func (d *dispatcher) count(c *pendingCount, n int, now time.Time) bool {
	n = min(n, len(c.queues))
	for _, q := range c.queues[:n] {
		c.counts[watchpost.PendingRetry] += q.delayed
		if q.turns.Len() == 0 {
			continue
		}
		reason, _ := d.why(q.key, now)
		c.counts[reason] += q.turns.Len()
		if q.key.kind.Scan() {
			c.oldest = earlier(c.oldest, q.turns.list[0].turn.at)
		}
	}
	c.queues = c.queues[n:]
	return len(c.queues) == 0
}
