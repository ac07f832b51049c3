// Package testclock has the Clock that can be set forward (`--test-clock`). The
// service, the stand-in network and tests use it in place of the wall clock.
package testclock

import (
	"container/heap"
	"sync"
	"time"

	"watchpost/watchpost"
)

// Clock is a watchpost.Clock that can be set forward. It starts at the wall clock plus
// an offset, and runs at real speed.
type Clock struct {
	// persist stores an offset durably before the clock uses it.
	persist func(offset time.Duration) error
	// before is called before the clock is set forward to a moment.
	before func(target time.Time)

	// wall is time.Now, except in tests.
	wall func() time.Time

	setting sync.Mutex // held while the clock is being set

	mu     sync.Mutex
	offset time.Duration
	still  time.Time // not zero: the clock stands here while it is being set
	timers timerHeap
	// alarm fires at alarmAt, when the first timer is due at real speed, and
	// every watchpost.WallCheck until then.
	alarm   *time.Timer
	alarmAt time.Time
	order   uint64
	closed  bool
	ringing sync.WaitGroup // calls at real speed
}

// New returns a clock with an offset from the wall clock. persist
// and before may be nil.
func New(offset time.Duration, persist func(time.Duration) error, before func(time.Time)) *Clock {
	if persist == nil {
		persist = func(time.Duration) error { return nil }
	}
	if before == nil {
		before = func(time.Time) {}
	}
	return &Clock{persist: persist, before: before, offset: offset, wall: time.Now}
}

// BeforeAdvance sets the function that is called with the target time before
// the clock is set forward. Call it before the clock is used.
func (c *Clock) BeforeAdvance(f func(target time.Time)) { c.before = f }

// Now implements watchpost.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time {
	if !c.still.IsZero() {
		return c.still
	}
	return c.wall().Add(c.offset).UTC().Round(0)
}

// At implements watchpost.Clock.
func (c *Clock) At(t time.Time, f func()) watchpost.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order++
	timer := &pending{clock: c, at: t, order: c.order, call: f, index: -1}
	heap.Push(&c.timers, timer)
	c.rearm()
	return timer
}

// Advance sets the clock forward by d. It calls each timer that becomes due in
// order of time, with the clock standing at that time, and returns when all
// calls have returned. It stores the new offset before the first call, so that
// the clock does not go back after a crash.
func (c *Clock) Advance(d time.Duration) error {
	c.setting.Lock()
	defer c.setting.Unlock()
	now := c.Now()
	return c.set(now, now.Add(d))
}

// Set sets the clock forward to t, like Advance.
func (c *Clock) Set(t time.Time) error {
	c.setting.Lock()
	defer c.setting.Unlock()
	return c.set(c.Now(), t)
}

// Offset returns how far the clock is ahead of the wall clock.
func (c *Clock) Offset() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// Follow sets the clock forward to another clock's offset, like Advance. A smaller
// offset changes nothing.
func (c *Clock) Follow(offset time.Duration) error {
	c.setting.Lock()
	defer c.setting.Unlock()
	if offset <= c.Offset() {
		return nil
	}
	now := c.Now()
	return c.set(now, now.Add(offset-c.Offset()))
}

func (c *Clock) set(now, target time.Time) error {
	if target.Before(now) {
		return watchpost.ErrClockBackwards
	}
	c.mu.Lock()
	offset := c.offset + target.Sub(now)
	c.mu.Unlock()
	if err := c.persist(offset); err != nil {
		return watchpost.WrapError(watchpost.Unavailable, watchpost.TextUnavailable, err)
	}
	c.before(target)
	c.mu.Lock()
	// The clock ran on before this lock and must not go back.
	if c.still = c.now(); c.still.After(target) {
		target = c.still
	}
	c.mu.Unlock()
	c.ringing.Wait() // calls that became due just before
	c.mu.Lock()
	for {
		timer := c.due(target)
		if timer == nil {
			break
		}
		if timer.at.After(c.still) {
			c.still = timer.at.UTC()
		}
		c.mu.Unlock()
		timer.call()
		c.mu.Lock()
	}
	c.still, c.offset = time.Time{}, offset
	c.rearm()
	c.mu.Unlock()
	return nil
}

// due removes and returns the first timer that is due at t.
func (c *Clock) due(t time.Time) *pending {
	if len(c.timers) == 0 || c.timers[0].at.After(t) {
		return nil
	}
	return heap.Pop(&c.timers).(*pending)
}

// rearm sets the alarm for the first timer. While the clock is being set there
// is no alarm: Advance calls the due timers.
func (c *Clock) rearm() {
	idle := c.closed || len(c.timers) == 0 || !c.still.IsZero()
	if c.alarm != nil {
		if !idle && c.alarmAt.Equal(c.timers[0].at) {
			return
		}
		c.alarm.Stop()
		c.alarm = nil
	}
	if idle {
		return
	}
	c.alarmAt = c.timers[0].at
	c.alarm = time.AfterFunc(min(c.alarmAt.Sub(c.now()), watchpost.WallCheck), c.ring)
}

// ring calls the timers that became due at real speed.
func (c *Clock) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.still.IsZero() || c.closed {
		return
	}
	c.alarm = nil
	for timer := c.due(c.now()); timer != nil; timer = c.due(c.now()) {
		c.ringing.Go(timer.call)
	}
	c.rearm()
}

// Jump moves the clock as a change of the wall clock does, forward or back: timers
// that are due then are called all at once, with the clock past their times, and
// the others wait for theirs. It returns when the calls have returned. The offset
// is not stored.
func (c *Clock) Jump(d time.Duration) {
	c.setting.Lock()
	defer c.setting.Unlock()
	c.mu.Lock()
	c.offset += d
	if c.alarm != nil {
		c.alarm.Stop()
	}
	c.mu.Unlock()
	c.ring()
	c.ringing.Wait()
}

// Close stops the clock's goroutine; timers are no longer called.
func (c *Clock) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.rearm()
}

// pending is a call that is not due yet.
type pending struct {
	clock *Clock
	at    time.Time
	order uint64 // timers of the same moment are called in the order of At
	call  func()
	index int // in the heap; -1 if removed
}

// Stop implements watchpost.Timer.
func (t *pending) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	if t.index < 0 {
		return false
	}
	heap.Remove(&t.clock.timers, t.index)
	t.clock.rearm()
	return true
}

type timerHeap []*pending

// Len implements heap.Interface.
func (h timerHeap) Len() int { return len(h) }

// Less implements heap.Interface.
func (h timerHeap) Less(i, j int) bool {
	if h[i].at.Equal(h[j].at) {
		return h[i].order < h[j].order
	}
	return h[i].at.Before(h[j].at)
}

// Swap implements heap.Interface.
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *timerHeap) Push(t any) {
	timer := t.(*pending)
	timer.index = len(*h)
	*h = append(*h, timer)
}

// Pop implements heap.Interface.
func (h *timerHeap) Pop() any {
	old := *h
	timer := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	timer.index = -1
	return timer
}
