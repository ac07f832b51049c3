package doctor

import "golang.org/x/sys/unix"

// clockSynchronized reports what the kernel knows of the clock; known is false where
// it may not be asked.
func clockSynchronized() (synchronized, known bool) {
	var state unix.Timex
	if _, err := unix.Adjtimex(&state); err != nil {
		return false, false
	}
	return state.Status&unix.STA_UNSYNC == 0, true
}
