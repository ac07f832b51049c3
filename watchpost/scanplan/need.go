package scanplan

import (
	"time"

	"watchpost/internal/text"
	"watchpost/watchpost"
)

// CapacityPerDay returns how much of an action accounts may do in one day; limited is
// false for an action without an allowance. Of a weekly allowance it is the whole week's,
// because an account may use that in one day. live counts the accounts of a team that were
// active within watchpost.LivenessWindow.
func CapacityPerDay(action watchpost.Action, live int) (capacity int, limited bool) {
	allowance, limited := watchpost.AllowanceOf(action)
	return live * allowance.Limit, limited
}

// shareParts makes fractions of the share of a day: a scan that several schedules take turns
// for is each one's at times.
const shareParts = 1000

// Need is what the schedule of a watchlist or list asks for.
type Need struct {
	Subjects  int // entries that each need a scan of their own
	Frequency watchpost.FetchFrequency
}

// KeywordNeed returns the need of a watchlist of keywords. A disabled watchlist needs none.
func KeywordNeed(w *watchpost.Watchlist) Need {
	if w.Disabled {
		return Need{}
	}
	all := Need{Frequency: w.Frequency}
	for _, need := range EntryNeeds(w) {
		all.Subjects += need.Subjects
	}
	return all
}

// EntryNeeds returns the needs of the entries of an enabled watchlist of keywords. Entries
// with the same keyword share a scan, which counts for the first of them.
func EntryNeeds(w *watchpost.Watchlist) []Need {
	needs, seen := make([]Need, len(w.Keywords)), make(map[string]bool, len(w.Keywords))
	for i, e := range w.Keywords {
		needs[i].Frequency = w.Frequency
		if keyword := text.Normalize(e.Keyword); !seen[keyword] {
			needs[i].Subjects, seen[keyword] = 1, true
		}
	}
	return needs
}

// ListNeed returns the need of a list with a number of entries: its fastest follower counts.
func ListNeed(followers []watchpost.Watchlist, entries int) Need {
	frequency, scanned := watchpost.ScanFrequency(followers)
	if !scanned {
		entries = 0
	}
	return Need{entries, frequency}
}

// PerDay returns the scans that are needed in a day, rounded up.
func (n Need) PerDay() int {
	hours := n.Frequency.Hours()
	if n.Subjects == 0 || hours == 0 {
		return 0
	}
	return (n.Subjects*24 + hours - 1) / hours
}

// interval returns the time between two scans of an entry when the schedule gets the
// given number of parts of scans a day; zero when it gets none.
func (n Need) interval(parts int) time.Duration {
	switch {
	case n.Subjects == 0 || parts >= n.PerDay()*shareParts:
		return n.Frequency.Duration()
	case parts <= 0:
		return 0
	}
	return max(n.Frequency.Duration(), time.Duration(n.Subjects*shareParts)*24*time.Hour/time.Duration(parts))
}
