package watchpost

import (
	"slices"
	"time"
)

// ShareWindow is how far apart the due times of two entries with the same
// keyword may be for one scan to serve both: the longest that a scan takes.
// Entries that were scanned one behind the other come together by it.
const ShareWindow = 5 * time.Minute

// MaxTargets bounds the entries that a scan is for: its record holds them all,
// and one batch stores how far they have come. The rest get another scan.
const MaxTargets = 100

// ScanTarget is an entry that a scan is for. Scan is the name by which the
// entry's owner knows the scan: that of the task which it asked for.
type ScanTarget struct {
	Scan      TaskID
	Watchlist WatchlistID `json:",omitempty"`
	List      ListID      `json:",omitempty"`
	Entry     EntryID
}

// Targets returns the entries that a scan is for, as a slice of its own; none
// for a client's task.
func (t *Task) Targets() []ScanTarget {
	if !t.Type.Scan() {
		return nil
	}
	if len(t.Shared) > 0 {
		return slices.Clone(t.Shared)
	}
	return []ScanTarget{{Scan: t.ID, Watchlist: t.Watchlist, List: t.List, Entry: t.Entry}}
}

// Join lets a scan serve the entries of another scan too; ok is false when
// these are too many, or it was handed out before: then a session may search
// already. It takes the turn of the one that is due first.
func (t Task) Join(other Task) (Task, bool) {
	targets := append(t.Targets(), other.Targets()...)
	if t.State != TaskPending || t.Attempts > 0 || len(targets) > MaxTargets {
		return t, false
	}
	t.Shared = targets
	if other.Due.Before(t.Due) || other.Due.Equal(t.Due) && other.Entry < t.Entry {
		t.Due, t.Entry = other.Due, other.Entry
	}
	return t, true
}

// Leave takes an entry from those that a scan is for; ok is false when nothing
// would be left.
func (t Task) Leave(scan TaskID) (Task, bool) {
	left := slices.DeleteFunc(t.Targets(), func(s ScanTarget) bool { return s.Scan == scan })
	if len(left) == 0 {
		return t, false
	}
	t.Shared = left
	return t, true
}
