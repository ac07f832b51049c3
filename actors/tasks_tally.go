package actors

import (
	"time"

	"watchpost/internal/ordered"
	"watchpost/watchpost"
)

// tallyOf says under what an open task is counted.
type tallyOf uint8

const (
	countedNot     tallyOf = iota
	countedWaiting         // no session has it, and it has not ended
	countedRunning
)

// tally counts the open tasks of a team as they change: a team has too many to
// count them for each view of it.
type tally struct {
	waiting      int
	runningScans int
	waitingScans ordered.Heap[*openTask] // the one that is due first on top
	// byMember are the open tasks of each member.
	byMember map[watchpost.MemberID]map[watchpost.TaskID]*openTask
}

func newTally() tally {
	return tally{
		waitingScans: ordered.New(
			func(a, b *openTask) bool { return a.due.Before(b.due) },
			func(open *openTask) *int { return &open.at },
		),
		byMember: map[watchpost.MemberID]map[watchpost.TaskID]*openTask{},
	}
}

// opened takes up an open task.
func (ty *tally) opened(id watchpost.TaskID, open *openTask) {
	if open.member != "" {
		if ty.byMember[open.member] == nil {
			ty.byMember[open.member] = map[watchpost.TaskID]*openTask{}
		}
		ty.byMember[open.member][id] = open
	}
	ty.count(open)
}

// closed lets go of a task that is no longer open.
func (ty *tally) closed(id watchpost.TaskID, open *openTask) {
	open.ended = true
	ty.count(open)
	delete(ty.byMember[open.member], id)
	if len(ty.byMember[open.member]) == 0 {
		delete(ty.byMember, open.member)
	}
}

// count takes up who holds a task, and whether it has ended.
func (ty *tally) count(open *openTask) {
	now := countedWaiting
	switch {
	case open.ended:
		now = countedNot
	case open.holder != "":
		now = countedRunning
	}
	if before := open.counted; before != now {
		open.counted = now
		ty.add(open, before, -1)
		ty.add(open, now, 1)
	}
}

func (ty *tally) add(open *openTask, as tallyOf, n int) {
	switch {
	case as == countedWaiting:
		ty.waiting += n
		if !open.scan {
			return
		}
		if n > 0 {
			ty.waitingScans.Add(open)
		} else {
			ty.waitingScans.Remove(open)
		}
	case as == countedRunning && open.scan:
		ty.runningScans += n
	}
}

// dueEarlier makes a scan due at a moment if that is earlier.
func (ty *tally) dueEarlier(open *openTask, due time.Time) {
	if !due.Before(open.due) {
		return
	}
	open.due = due
	if open.counted == countedWaiting {
		ty.waitingScans.Fix(open)
	}
}

// oldestScan returns since when the oldest waiting scan is due; zero when none waits.
func (ty *tally) oldestScan() time.Time {
	if ty.waitingScans.Len() == 0 {
		return time.Time{}
	}
	return ty.waitingScans.First().due
}
