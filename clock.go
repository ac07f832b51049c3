package watchpost

import "time"

// Clock is the one source of time. Resets and windows are computed from Now;
// whatever must happen later is asked of AfterFunc. Timers that must survive a
// restart are stored state from which a timer is armed again.
type Clock interface {
	// Now returns the present moment in UTC.
	Now() time.Time
	// At calls f once when the clock reaches t (at once when it has passed).
	// f runs on a goroutine of the clock. A clock that is set forward calls
	// the due functions one by one, in order of their time, and goes on when
	// f has returned: f returns when what it started has been done.
	At(t time.Time, f func()) Timer
}

// Timer is a pending call of a Clock.
type Timer interface {
	// Stop cancels the call and reports whether it did so before f started.
	Stop() bool
}

// SystemClock is the wall clock.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now().UTC() }

// At implements Clock.
func (SystemClock) At(t time.Time, f func()) Timer { return time.AfterFunc(time.Until(t), f) }
