package actors

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/actors/root"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// alarmClock stands still and notes for when its only timer is set.
type alarmClock struct{ now, alarm time.Time }

// Now implements watchpost.Clock.
func (c *alarmClock) Now() time.Time { return c.now }

// At implements watchpost.Clock.
func (c *alarmClock) At(t time.Time, _ func()) watchpost.Timer {
	c.alarm = t
	return c
}

// Stop implements watchpost.Timer.
func (c *alarmClock) Stop() bool {
	c.alarm = time.Time{}
	return true
}

// TestPlan checks which entries a schedule scans, which scans it drops and for
// when it sets its timer.
func TestPlan(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)
	at := func(entry watchpost.EntryID, in time.Duration) dueEntry {
		return dueEntry{entry: entry, due: now.Add(in)}
	}
	shared := at("s", time.Minute)
	shared.shared = true
	for name, c := range map[string]struct {
		entries []dueEntry
		waiting map[watchpost.EntryID]watchpost.TaskID
		due     []dueEntry
		dropped []watchpost.TaskID
		alarm   time.Duration // 0: none
	}{
		"nothing to scan":              {},
		"due now and before":           {entries: []dueEntry{at("a", 0), at("b", -time.Hour)}, due: []dueEntry{at("a", 0), at("b", -time.Hour)}},
		"due later: the earliest":      {entries: []dueEntry{at("a", 2*time.Hour), at("b", time.Hour), at("c", 3*time.Hour)}, alarm: time.Hour},
		"some now, some later":         {entries: []dueEntry{at("a", time.Hour), at("b", 0)}, due: []dueEntry{at("b", 0)}, alarm: time.Hour},
		"with another one's scan":      {entries: []dueEntry{shared}, due: []dueEntry{shared}},
		"its scan is not finished":     {entries: []dueEntry{at("a", 0)}, waiting: map[watchpost.EntryID]watchpost.TaskID{"a": "t"}},
		"not finished and due later":   {entries: []dueEntry{at("a", time.Hour)}, waiting: map[watchpost.EntryID]watchpost.TaskID{"a": "t"}},
		"an entry that is gone":        {entries: []dueEntry{at("a", time.Hour)}, waiting: map[watchpost.EntryID]watchpost.TaskID{"b": "t"}, dropped: []watchpost.TaskID{"t"}, alarm: time.Hour},
		"all entries gone or disabled": {waiting: map[watchpost.EntryID]watchpost.TaskID{"b": "t"}, dropped: []watchpost.TaskID{"t"}},
	} {
		t.Run(name, func(t *testing.T) {
			clock := &alarmClock{now: now}
			s := newSchedule(&environment{Environment: &root.Environment{Clock: clock}}, nil, nil, nil)
			s.timer = clock.At(now.Add(time.Minute), nil) // an earlier one is replaced
			for entry, task := range c.waiting {
				s.waiting[entry] = task
			}
			due, dropped := s.plan(c.entries, nil)
			require.Equal(t, c.due, due)
			require.Equal(t, c.dropped, dropped)
			want := time.Time{}
			if c.alarm != 0 {
				want = now.Add(c.alarm)
			}
			require.Equal(t, want, clock.alarm)
			require.Equal(t, c.alarm != 0, s.timer != nil)
			_, again := s.plan(c.entries, nil)
			require.Empty(t, again, "a scan is dropped once")
		})
	}
}

// TestScanProgress checks how far an entry has come after its scan brought its
// last posts, and since when its next scan searches.
func TestScanProgress(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)
	before := teamspace.ScanRecord{FinishedAt: now.AddDate(0, 0, -1), Newest: now.AddDate(0, 0, -2)}
	for name, c := range map[string]struct {
		before teamspace.ScanRecord
		newest time.Time
		want   time.Time // ScanRecord.Newest
	}{
		"first scan, without posts":    {},
		"first scan":                   {newest: now.Add(-time.Hour), want: now.Add(-time.Hour)},
		"newer posts":                  {before: before, newest: now.Add(-time.Hour), want: now.Add(-time.Hour)},
		"not exhausted, without a new": {before: before, want: before.Newest},
		"older posts only":             {before: before, newest: before.Newest.Add(-time.Hour), want: before.Newest},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSchedule(&environment{Environment: &root.Environment{Clock: &alarmClock{now: now}}}, nil, nil, nil)
			s.scans["e"] = c.before
			record := s.finished(collected{entry: "e", newest: c.newest})
			require.Equal(t, teamspace.ScanRecord{FinishedAt: now, Newest: c.want}, *record)
			require.Equal(t, c.before, s.scans["e"], "it counts when the end of the scan is durable")
			s.scans["e"] = *record
			require.Equal(t, watchpost.ScanSince(c.want, now), s.since("e"))
		})
	}
}

// TestScanEndedTwice: the end of a scan that is not waited for changes nothing.
func TestScanEndedTwice(t *testing.T) {
	t.Parallel()
	s := newSchedule(&environment{Environment: &root.Environment{Clock: &alarmClock{}}}, nil, nil, nil)
	s.waiting["e"] = "second"
	for _, late := range []scanEnded{{task: "first", entry: "e"}, {task: "second", entry: "other"}} {
		late.record = &teamspace.ScanRecord{Newest: time.Unix(1, 0)}
		s.onScanEnded(late)
		require.Empty(t, s.scans)
		require.Equal(t, map[watchpost.EntryID]watchpost.TaskID{"e": "second"}, s.waiting)
	}
}

func TestScanTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)
	s := newSchedule(&environment{Environment: &root.Environment{Clock: &alarmClock{now: now}}}, nil, nil, nil)
	require.Equal(t, scanTimes{}, s.times(nil))
	s.scans["a"] = teamspace.ScanRecord{FinishedAt: now.Add(-2 * time.Hour)}
	s.scans["b"] = teamspace.ScanRecord{FinishedAt: now.Add(-time.Hour)}
	entries := []dueEntry{{entry: "a", due: now.Add(2 * time.Hour)}, {entry: "b", due: now.Add(time.Hour)}}
	require.Equal(t, scanTimes{last: now.Add(-time.Hour), next: now.Add(time.Hour)}, s.times(entries))
}
