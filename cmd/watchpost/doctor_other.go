//go:build !linux

package main

// clockSynchronized is not known on this system.
func clockSynchronized() (synchronized, known bool) { return false, false }
