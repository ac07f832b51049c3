package watchpost

import "time"

// Breaker stops the hand-out of one task type to one account while the network's site
// fails it: after one page that was not understood, one answer that asked to slow down,
// or BreakerThreshold failures of one kind in a row, each of another task. When its delay is over, the next task is
// the probe: a success closes the breaker, a failure of any kind opens it for twice as
// long. The zero value is closed.
type Breaker struct {
	Code     string    // of the failures in a row
	Message  string    // of the last one, as the session reported it
	Task     TaskID    // that failed last
	Failures int       // in a row, each of another task until it opens
	Since    time.Time // of the first
	Opened   int       // how often it has opened since
	Until    time.Time // when the next task may be handed out; zero: it is closed
}

// Limits of breakers. A page that was not understood is probed every LayoutProbe. A
// network that asked to slow down is left alone for SlowDownFirst at first.
const (
	BreakerThreshold = 3
	BreakerLongest   = 4 * time.Hour
	SlowDownFirst    = 2 * time.Minute
)

// Open reports whether no task may be handed out.
func (b Breaker) Open(now time.Time) bool { return now.Before(b.Until) }

// Probe lets the next task be handed out at once, as the probe.
func (b Breaker) Probe(now time.Time) Breaker {
	if b.Open(now) {
		b.Until = now
	}
	return b
}

// Fail counts a failure of a task for which the site is to blame.
func (b Breaker) Fail(v Outcome, task TaskID, now time.Time) Breaker {
	code := v.Failure.Code
	if b.Code != code {
		b = Breaker{Code: code, Since: now, Opened: b.Opened, Until: b.Until}
	}
	if b.Failures == 0 || b.Opened > 0 || task != b.Task { // one task alone opens nothing
		b.Failures++
	}
	b.Message, b.Task = v.Failure.Message, task
	switch {
	case v.PauseType:
		b.Opened++
		b.Until = now.Add(LayoutProbe)
	case b.Open(now): // the failure of a task that was under way
	case v.SlowDown:
		b.Until = now.Add(breakerDelay(SlowDownFirst, b.Opened))
		b.Opened++
	case b.Failures >= BreakerThreshold, b.Opened > 0:
		b.Until = now.Add(breakerDelay(LayoutProbe, b.Opened))
		b.Opened++
	}
	return b
}

// breakerDelay returns how long a breaker stays open that has opened n times before:
// first, doubled each time.
func breakerDelay(first time.Duration, n int) time.Duration {
	delay := first
	for range n {
		if delay >= BreakerLongest {
			break
		}
		delay *= 2
	}
	return min(delay, BreakerLongest)
}
