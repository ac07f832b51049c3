//go:build !clockstep

package main

import "watchpost/watchpost"

// wallClock is the clock of a service without --test-clock.
func wallClock() watchpost.Clock { return watchpost.SystemClock{} }
