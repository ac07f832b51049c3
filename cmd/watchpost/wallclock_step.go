//go:build clockstep

package main

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"watchpost/watchpost"
)

// clockStep is how far a signal steps the wall clock.
const clockStep = 10 * time.Minute

// wallClock is a wall clock that SIGUSR1 steps forward and SIGUSR2 back: a drill of a
// cluster steps the clock of one node, which only root can do with the machine's.
func wallClock() watchpost.Clock {
	var offset atomic.Int64
	steps := make(chan os.Signal, 1)
	signal.Notify(steps, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range steps {
			step := clockStep
			if s == syscall.SIGUSR2 {
				step = -clockStep
			}
			offset.Add(int64(step))
		}
	}()
	return watchpost.SystemClockOf(func() time.Time { return time.Now().Add(time.Duration(offset.Load())) })
}
