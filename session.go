package watchpost

import "time"

const (
	// SessionKept is how long a session lasts that is not seen.
	SessionKept = 90 * 24 * time.Hour
	// MaxSessions bounds the sessions of one member: one more takes the place
	// of the one that was not seen for the longest time.
	MaxSessions = 100
)

// SessionEnds reports whether a session that was seen last at that time is over
// at now.
func SessionEnds(seen, now time.Time) bool { return now.Sub(seen) >= SessionKept }
