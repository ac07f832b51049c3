package dispatch

import (
	"maps"
	"slices"
	"time"

	"watchpost/watchpost"
)

// PendingCount is a count of the pending work that goes on turn by turn.
type PendingCount struct {
	queues []*queue // those left
	Counts map[watchpost.PendingReason]int
	Oldest time.Time // when the oldest waiting scan became due; zero when none waits
}

// Pending begins a count of the waiting tasks.
func (d *Dispatcher) Pending(now time.Time) *PendingCount {
	d.look(now)
	return &PendingCount{queues: slices.Collect(maps.Values(d.byKey)), Counts: map[watchpost.PendingReason]int{}}
}

// Count goes on with a count for up to n queues; it reports whether all are counted.
func (d *Dispatcher) Count(c *PendingCount, n int, now time.Time) bool {
	n = min(n, len(c.queues))
	for _, q := range c.queues[:n] {
		c.Counts[watchpost.PendingRetry] += q.delayed
		if q.turns.Len() == 0 {
			continue
		}
		reason, _ := d.Why(q.key, now)
		c.Counts[reason] += q.turns.Len()
		if q.key.Kind.Scan() {
			c.Oldest = watchpost.Earlier(c.Oldest, q.turns.First().turn.at)
		}
	}
	c.queues = c.queues[n:]
	return len(c.queues) == 0
}

// Backlog is what waits under a key.
type Backlog struct {
	Key
	Units int // of the allowance that its tasks need next
}

// Backlogs returns what waits. There are as many as keys, which a team's members and the
// task types bound.
func (d *Dispatcher) Backlogs() []Backlog {
	all := make([]Backlog, 0, len(d.byKey))
	for k, q := range d.byKey {
		all = append(all, Backlog{k, q.units})
	}
	return all
}
