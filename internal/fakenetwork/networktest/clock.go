// Package networktest helps to test code that works with the stand-in network.
package networktest

import (
	"sort"
	"sync"
	"time"

	"watchpost/watchpost"
)

// Clock is a watchpost.Clock that only Advance moves.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*timer
	armed  chan time.Time
}

type timer struct {
	clock *Clock
	at    time.Time
	f     func()
}

// NewClock returns a clock set to now.
func NewClock(now time.Time) *Clock {
	return &Clock{now: now.UTC(), armed: make(chan time.Time, 1024)}
}

// Now implements watchpost.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// At implements watchpost.Clock.
func (c *Clock) At(t time.Time, f func()) watchpost.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	set := &timer{c, t, f}
	if t.After(c.now) {
		c.timers = append(c.timers, set)
	} else {
		go f()
	}
	c.armed <- t
	return set
}

// Stop implements watchpost.Timer.
func (t *timer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	for i, other := range t.clock.timers {
		if other == t {
			t.clock.timers = append(t.clock.timers[:i], t.clock.timers[i+1:]...)
			return true
		}
	}
	return false
}

// Armed receives the time of each timer that is set, so that a test knows when
// code waits.
func (c *Clock) Armed() <-chan time.Time { return c.armed }

// Advance moves the clock forward and runs due timers on the way.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	until := c.now.Add(d)
	for {
		sort.SliceStable(c.timers, func(i, j int) bool { return c.timers[i].at.Before(c.timers[j].at) })
		if len(c.timers) == 0 || c.timers[0].at.After(until) {
			break
		}
		due := c.timers[0]
		c.timers = c.timers[1:]
		c.now = due.at
		c.mu.Unlock()
		due.f()
		c.mu.Lock()
	}
	c.now = until
	c.mu.Unlock()
}
