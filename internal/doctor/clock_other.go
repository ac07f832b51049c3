//go:build !linux

package doctor

// clockSynchronized is not known on this system.
func clockSynchronized() (synchronized, known bool) { return false, false }
