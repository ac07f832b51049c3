package watchpost

import (
	"container/heap"
	"sync"
	"time"
)

// SettableClock is a Clock that can be set forward (`--test-clock`). It starts
// at the wall clock plus an offset and runs on at real speed from where it is
// set.
type SettableClock struct {
	// persist makes an offset durable before the clock takes it.
	persist func(offset time.Duration) error
	// before is called before the clock is set forward to a moment.
	before func(target time.Time)

	// wall is time.Now, but in tests.
	wall func() time.Time

	setting sync.Mutex // held while the clock is being set

	mu     sync.Mutex
	offset time.Duration
	still  time.Time // not zero: the clock stands here while it is being set
	timers timerHeap
	// alarm fires when the first timer is due at real speed, which is alarmAt, and
	// every WallCheck until then.
	alarm   *time.Timer
	alarmAt time.Time
	order   uint64
	closed  bool
	ringing sync.WaitGroup // calls at real speed
}

// ErrClockBackwards is what a clock answers that is to be set back.
var ErrClockBackwards = Errorf(Invalid, "Clock cannot go backwards")

// NewSettableClock returns a clock that is offset from the wall clock. persist
// and before may be nil.
func NewSettableClock(offset time.Duration, persist func(time.Duration) error, before func(time.Time)) *SettableClock {
	if persist == nil {
		persist = func(time.Duration) error { return nil }
	}
	if before == nil {
		before = func(time.Time) {}
	}
	return &SettableClock{persist: persist, before: before, offset: offset, wall: time.Now}
}

// BeforeAdvance sets what is called, with the moment aimed at, before the clock
// is set forward. It is for wiring, before the clock is used.
func (c *SettableClock) BeforeAdvance(f func(target time.Time)) { c.before = f }

// Now implements Clock.
func (c *SettableClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *SettableClock) now() time.Time {
	if !c.still.IsZero() {
		return c.still
	}
	return c.wall().Add(c.offset).UTC().Round(0)
}

// At implements Clock.
func (c *SettableClock) At(t time.Time, f func()) Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order++
	timer := &settableTimer{clock: c, at: t, order: c.order, call: f, index: -1}
	heap.Push(&c.timers, timer)
	c.rearm()
	return timer
}

// Advance sets the clock forward by d. Each timer that becomes due is called in
// the order of its time, the clock standing at that moment; all have returned
// before Advance does. The new offset is durable before anything is called, so
// that the clock does not fall back after a crash.
func (c *SettableClock) Advance(d time.Duration) error {
	c.setting.Lock()
	defer c.setting.Unlock()
	now := c.Now()
	return c.set(now, now.Add(d))
}

// Set sets the clock forward to t, as Advance does.
func (c *SettableClock) Set(t time.Time) error {
	c.setting.Lock()
	defer c.setting.Unlock()
	return c.set(c.Now(), t)
}

func (c *SettableClock) set(now, target time.Time) error {
	if target.Before(now) {
		return ErrClockBackwards
	}
	c.mu.Lock()
	offset := c.offset + target.Sub(now)
	c.mu.Unlock()
	if err := c.persist(offset); err != nil {
		return WrapError(Unavailable, TextUnavailable, err)
	}
	c.before(target)
	c.mu.Lock()
	// The clock ran on meanwhile and does not fall back.
	if c.still = c.now(); c.still.After(target) {
		target = c.still
	}
	c.mu.Unlock()
	c.ringing.Wait() // what became due just before
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

// due takes the first timer that is due at t.
func (c *SettableClock) due(t time.Time) *settableTimer {
	if len(c.timers) == 0 || c.timers[0].at.After(t) {
		return nil
	}
	return heap.Pop(&c.timers).(*settableTimer)
}

// rearm sets the alarm for the first timer. While the clock is being set there
// is none: Advance calls what is due.
func (c *SettableClock) rearm() {
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
	c.alarm = time.AfterFunc(untilCheck(c.alarmAt.Sub(c.now())), c.ring)
}

// ring calls what became due at real speed.
func (c *SettableClock) ring() {
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

// Close stops the clock's own goroutine; timers are no longer called.
func (c *SettableClock) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.rearm()
}

// settableTimer is a Timer of a SettableClock.
type settableTimer struct {
	clock *SettableClock
	at    time.Time
	order uint64 // timers of the same moment are called in the order of At
	call  func()
	index int // in the heap; -1 when not in it
}

// Stop implements Timer.
func (t *settableTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	if t.index < 0 {
		return false
	}
	heap.Remove(&t.clock.timers, t.index)
	t.clock.rearm()
	return true
}

type timerHeap []*settableTimer

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
	timer := t.(*settableTimer)
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
