package actors

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"watchpost"
)

// pendingReasons are the labels of the gauge of pending work; all exist from
// the start.
var pendingReasons = []watchpost.PendingReason{
	watchpost.PendingRunning, watchpost.PendingExtensionOffline, watchpost.PendingPaused, watchpost.PendingWeeklyCap,
	watchpost.PendingDailyCap, watchpost.PendingRetry, watchpost.PendingQueued,
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

// hidePending takes the team out of the metrics.
func (t *tasks) hidePending() { t.publishPending(nil, time.Time{}) }

func (t *tasks) publishPending(counts map[watchpost.PendingReason]int, oldest time.Time) {
	for _, reason := range pendingReasons {
		if change := counts[reason] - t.counted[reason]; change != 0 {
			t.env.metrics.pending.WithLabelValues(string(reason)).Add(float64(change))
		}
	}
	t.counted = counts
	t.env.metrics.dueScans.set(t.team.id, oldest)
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

// dueScans knows when the oldest waiting scan of each team in memory became
// due.
type dueScans struct {
	now func() time.Time

	mu     sync.Mutex
	oldest map[watchpost.TeamID]time.Time
}

func newDueScans() *dueScans {
	return &dueScans{oldest: map[watchpost.TeamID]time.Time{}}
}

func (d *dueScans) set(team watchpost.TeamID, oldest time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if oldest.IsZero() {
		delete(d.oldest, team)
		return
	}
	d.oldest[team] = oldest
}

// age returns for how long the oldest scan has waited.
func (d *dueScans) age() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.oldest) == 0 {
		return 0
	}
	now, age := d.now(), time.Duration(0)
	for _, oldest := range d.oldest {
		age = max(age, now.Sub(oldest))
	}
	return age
}

func (d *dueScans) gauge() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "watchpost", Name: "oldest_due_scan_seconds",
		Help: "How long the oldest scan that is due has waited, of the teams in memory; 0 when none waits.",
	}, func() float64 { return d.age().Seconds() })
}
