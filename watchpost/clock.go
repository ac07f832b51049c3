package watchpost

import (
	"sync"
	"time"
)

// Clock is the only source of time. Resets and windows are computed from Now;
// At schedules future work. Timers that must survive a restart are stored
// state, from which they are armed again.
type Clock interface {
	// Now returns the present moment in UTC, without a monotonic reading.
	Now() time.Time
	// At calls f once when the clock reaches t, or immediately if t has passed.
	// f runs on a goroutine of the clock. A clock that is set forward calls the
	// due functions one by one, in order of their time, and waits for each to
	// return: f must return only when the work that it started is done.
	At(t time.Time, f func()) Timer
}

// Timer is a pending call of a Clock.
type Timer interface {
	// Stop cancels the call and reports whether it did so before f started.
	Stop() bool
}

// ErrClockBackwards is the error of setting a Clock to a time in the past.
var ErrClockBackwards = Errorf(Invalid, "Clock cannot go backwards")

// WallCheck bounds how late a clock notices that the wall clock jumped. Runtime
// timers stop while the host is suspended, so a clock compares the wall clock
// at least this often.
const WallCheck = time.Minute

// untilCheck returns how long a runtime timer may run before the wall clock is
// compared with a moment that is d away.
func untilCheck(d time.Duration) time.Duration { return min(d, WallCheck) }

// SystemClock is the wall clock.
type SystemClock struct {
	// wall replaces time.Now in tests; nil means time.Now.
	wall func() time.Time
}

// SystemClockOf returns a SystemClock that reads another wall clock than the machine's.
func SystemClockOf(wall func() time.Time) SystemClock { return SystemClock{wall} }

// Now implements Clock.
func (c SystemClock) Now() time.Time {
	if c.wall != nil {
		return c.wall().UTC().Round(0)
	}
	return time.Now().UTC().Round(0)
}

// At implements Clock.
func (c SystemClock) At(t time.Time, f func()) Timer {
	s := &systemTimer{clock: c, at: t, call: f}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alarm = time.AfterFunc(untilCheck(t.Sub(c.Now())), s.ring)
	return s
}

type systemTimer struct {
	clock SystemClock
	at    time.Time
	call  func()

	mu    sync.Mutex
	alarm *time.Timer
	over  bool // called or stopped
}

// ring calls f if the wall clock has reached its time, and otherwise arms the
// timer again.
func (s *systemTimer) ring() {
	s.mu.Lock()
	left := s.at.Sub(s.clock.Now())
	if s.over || left > 0 {
		if !s.over {
			s.alarm.Reset(untilCheck(left))
		}
		s.mu.Unlock()
		return
	}
	s.over = true
	s.mu.Unlock()
	s.call()
}

// Stop implements Timer.
func (s *systemTimer) Stop() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	s.over = true
	s.alarm.Stop()
	return true
}

// Earlier returns the earlier of two moments; zero is none.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
