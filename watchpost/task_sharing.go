package watchpost

import (
	"slices"
	"time"
)

// ShareWindow is the maximum distance between the due times of two entries with
// the same keyword that share one scan. It is the longest duration of a scan,
// so entries that were scanned one after the other will share their next scan.
const ShareWindow = 5 * time.Minute

// MaxTargets bounds the entries of a scan, because its record holds them all
// and one batch stores their progress. Further entries get another scan.
const MaxTargets = 100

// ScanTarget is an entry that a scan serves. Scan is the id by which the
// entry's owner knows the scan: that of the task it requested.
type ScanTarget struct {
	Scan      TaskID
	Watchlist WatchlistID `json:",omitempty"`
	List      ListID      `json:",omitempty"`
	Entry     EntryID
}

// Targets returns the entries that a scan serves, in a new slice, or nil for a
// client's task.
func (t *Task) Targets() []ScanTarget {
	if !t.Type.Scan() {
		return nil
	}
	if len(t.Shared) > 0 {
		return slices.Clone(t.Shared)
	}
	return []ScanTarget{{Scan: t.ID, Watchlist: t.Watchlist, List: t.List, Entry: t.Entry}}
}

// Join adds the entries of another scan to a scan. ok is false if they are too
// many, or if the scan was leased before, because a session may already search.
// The scan keeps the earlier due time of the two.
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

// Leave removes an entry from a scan; ok is false if no entry would remain.
func (t Task) Leave(scan TaskID) (Task, bool) {
	left := slices.DeleteFunc(t.Targets(), func(s ScanTarget) bool { return s.Scan == scan })
	if len(left) == 0 {
		return t, false
	}
	t.Shared = left
	return t, true
}
