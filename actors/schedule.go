package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/persistence/teamspace"
)

// schedule is when the entries of a watchlist or list are scanned: how far
// their scans have come, which of them are out, and the timer for the next. It
// is a part of the actor that owns the entries.
type schedule struct {
	env   *environment
	scans map[watchpost.EntryID]teamspace.ScanRecord
	// waiting holds the entries with a scan that is not finished: one at most.
	waiting map[watchpost.EntryID]watchpost.TaskID
	timer   watchpost.Timer
}

// dueEntry is when an entry is to be scanned.
type dueEntry struct {
	entry watchpost.EntryID
	due   time.Time
	// shared is set when it is scanned though it is not due yet, because another
	// entry with its keyword is.
	shared bool
}

// scanTimes are when a scan has finished last and when one is due next; zero
// when there is none.
type scanTimes struct{ last, next time.Time }

// scanDue is the timer of a schedule.
type scanDue struct{}

// scanEnded tells the owner of an entry that a scan of it is over. A nil
// record means that it failed.
type scanEnded struct {
	task   watchpost.TaskID
	entry  watchpost.EntryID
	record *teamspace.ScanRecord
}

func newSchedule(env *environment) schedule {
	return schedule{env: env, scans: map[watchpost.EntryID]teamspace.ScanRecord{}, waiting: map[watchpost.EntryID]watchpost.TaskID{}}
}

// disarm stops the timer.
func (s *schedule) disarm() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// plan is given all entries that are to be scanned at all. It returns those
// that are due and not out yet, and the scans that are out for entries which
// are no longer among them, and arms the timer for the next.
func (s *schedule) plan(entries []dueEntry, owner *actor.PID) (due []dueEntry, dropped []watchpost.TaskID) {
	now := s.env.clock.Now()
	s.disarm()
	wanted := make(map[watchpost.EntryID]bool, len(entries))
	var next time.Time
	for _, e := range entries {
		wanted[e.entry] = true
		_, out := s.waiting[e.entry]
		switch {
		case out:
		case e.shared, !e.due.After(now):
			due = append(due, e)
		case next.IsZero() || e.due.Before(next):
			next = e.due
		}
	}
	for entry, task := range s.waiting {
		if !wanted[entry] {
			dropped = append(dropped, task)
			delete(s.waiting, entry)
		}
	}
	if !next.IsZero() {
		s.timer = s.env.tell(next, owner, scanDue{})
	}
	return due, dropped
}

// scan returns a scan of an entry that is due, and notes that it is out.
func (s *schedule) scan(kind watchpost.TaskType, e dueEntry) watchpost.Task {
	now := s.env.clock.Now()
	id := watchpost.TaskID(watchpost.NewID(now))
	s.waiting[e.entry] = id
	return watchpost.Task{ID: id, Type: kind, State: watchpost.TaskPending, CreatedAt: now, Entry: e.entry, Due: e.due}
}

// since is from when on a scan of an entry looks for posts.
func (s *schedule) since(entry watchpost.EntryID) time.Time {
	return watchpost.ScanSince(s.scans[entry].Newest, s.env.clock.Now())
}

// finished returns how far an entry has come when a scan of it has brought its
// last posts.
func (s *schedule) finished(m collected) *teamspace.ScanRecord {
	r := s.scans[m.entry]
	r.FinishedAt = s.env.clock.Now()
	if m.newest.After(r.Newest) {
		r.Newest = m.newest
	}
	return &r
}

// ended notes the end of a scan. What is to be stored of it is returned, nil
// when that was stored with the end of its task; known is false when nobody
// waits for that scan any more.
func (s *schedule) ended(m scanEnded) (record *teamspace.ScanRecord, known bool) {
	if task, out := s.waiting[m.entry]; !out || task != m.task {
		return nil, false
	}
	delete(s.waiting, m.entry)
	if m.record != nil {
		s.scans[m.entry] = *m.record
		return nil, true
	}
	r := s.scans[m.entry]
	r.FinishedAt = s.env.clock.Now()
	s.scans[m.entry] = r
	return &r, true
}

// times returns when the last scan has finished, and when the next is due of
// the entries that are to be scanned.
func (s *schedule) times(entries []dueEntry) scanTimes {
	var t scanTimes
	for _, r := range s.scans {
		if r.FinishedAt.After(t.last) {
			t.last = r.FinishedAt
		}
	}
	for _, e := range entries {
		if t.next.IsZero() || e.due.Before(t.next) {
			t.next = e.due
		}
	}
	return t
}
