package cluster

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot returns the time since the machine was started, with the time for
// which it was suspended: Go's monotonic clock stops then.
func sinceBoot() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		panic(err) // the clock and the address are valid
	}
	return time.Duration(t.Nano())
}
