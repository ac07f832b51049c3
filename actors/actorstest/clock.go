package actorstest

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"watchpost/watchpost"
)

// runClock is the clock of one run: when the run has crashed its timers do
// nothing any more.
type runClock struct {
	watchpost.Clock
	dead atomic.Bool

	mu       sync.Mutex
	function string        // that is to panic
	held     string        // that is to wait
	reached  chan struct{} // closed when it waits
	release  chan struct{} // closed when it may go on
}

// Now implements watchpost.Clock.
func (c *runClock) Now() time.Time {
	c.mu.Lock()
	function := c.function
	if function != "" && calledFrom(function) {
		c.function = ""
		c.mu.Unlock()
		panic("scripted panic in " + function)
	}
	if c.held != "" && calledFrom(c.held) {
		c.held = ""
		reached, release := c.reached, c.release
		c.mu.Unlock()
		close(reached)
		<-release
		return c.Clock.Now()
	}
	c.mu.Unlock()
	return c.Clock.Now()
}

// At implements watchpost.Clock.
func (c *runClock) At(t time.Time, f func()) watchpost.Timer {
	return c.Clock.At(t, func() {
		if !c.dead.Load() {
			f()
		}
	})
}

func (c *runClock) panicIn(function string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.function = function
}

// holdIn makes the next call of Now from below a function wait.
func (c *runClock) holdIn(function string) (reached <-chan struct{}, release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held, c.reached, c.release = function, make(chan struct{}), make(chan struct{})
	return c.reached, sync.OnceFunc(func() { close(c.release) })
}

func calledFrom(function string) bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, function) {
			return true
		}
		if !more {
			return false
		}
	}
}
