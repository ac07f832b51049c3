//go:build !linux

package cluster

import "time"

var started = time.Now()

// sinceBoot returns the time since the process was started. It can lack the time
// for which the machine was suspended.
func sinceBoot() time.Duration { return time.Since(started) }
