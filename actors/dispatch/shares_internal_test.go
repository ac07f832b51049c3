package dispatch

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/watchpost"
	"watchpost/watchpost/scanplan"
)

// ripe are the tasks of a key that may begin.
func (n *naive) ripe(k Key, now time.Time) (ripe []*watchpost.Task) {
	for _, t := range n.tasks {
		if queueOf(t) == k && !t.NotBefore.After(now) {
			ripe = append(ripe, t)
		}
	}
	return ripe
}

// claimed is the scan of those that wait whose schedule has the next claim; nil if none has.
func (n *naive) claimed(waiting []*watchpost.Task, now time.Time) (first *watchpost.Task) {
	kind := waiting[0].Type
	var claims []scanplan.Claim
	for i, of := range modelSchedules {
		c := scanplan.Claim{Need: scanplan.Need{Subjects: 9 * i, Frequency: watchpost.FetchFrequency(6 * time.Hour)}}
		for _, scan := range n.given {
			if scan.kind == kind && scan.of == of && (scan.day == "" || scan.day == watchpost.Daily.Key(now)) {
				c.Used++
			}
		}
		for _, t := range waiting {
			if slices.Contains(schedulesOf(t), of) {
				c.Waiting++
				c.Longest = watchpost.Earlier(c.Longest, t.Due)
			}
		}
		claims = append(claims, c)
	}
	room, accounts := 0, map[watchpost.AccountURN]bool{}
	for _, w := range n.d.workers {
		busy := *w
		busy.Task = ""
		if !accounts[w.Account] && n.blockedBy(&busy, Key{Kind: kind}, now) == "" {
			accounts[w.Account] = true
			room += n.d.Standing(w.Account).Ledger.Room(kind.Action(), now)
		}
	}
	if kind.Action() == watchpost.ActionNone {
		room = 1000
	}
	n.of = scanplan.NextClaim(claims, room, 24-now.Hour())
	for _, t := range waiting {
		if n.of >= 0 && slices.Contains(schedulesOf(t), modelSchedules[n.of]) && (first == nil || turnOf(t).before(turnOf(first))) {
			first = t
		}
	}
	return first
}

// modelSchedules are the schedules of the model; the first needs nothing that is known.
var modelSchedules = []Schedule{"", "w1", "w2", "w3"}

// modelScan is a scan that was handed out, and the day to which it was debited.
type modelScan struct {
	kind watchpost.TaskType
	of   Schedule
	day  string
}

// debit lets a scan be debited that was handed out; it may end without that.
func (r *dispatchRun) debit(task *watchpost.Task) {
	r.given[task.ID] = modelScan{task.Type, modelSchedules[r.of], ""}
	switch drawn(r, "debit", "later", "now", "never") {
	case "now":
		if day := watchpost.Daily.Key(r.now); day >= r.d.day { // else the clock was set back
			r.d.Debited(task, day, 1)
			r.given[task.ID] = modelScan{task.Type, modelSchedules[r.of], day}
		}
	case "never":
		r.d.Remove(task.ID)
		delete(r.given, task.ID)
	}
}

// TestWhyScan: why the scans of one schedule wait, while those of another go on.
func TestWhyScan(t *testing.T) {
	t.Parallel()
	const kind = watchpost.TaskKeywordScan
	d := dispatcherOf()
	scan := func(id string, of watchpost.WatchlistID) *watchpost.Task {
		return &watchpost.Task{ID: watchpost.TaskID(id), Type: kind, Watchlist: of, Due: wednesday}
	}
	why := func(of Schedule, reason watchpost.PendingReason, until time.Time) {
		t.Helper()
		r, u := d.WhyScan(kind, of, wednesday)
		require.Equal(t, reason, r)
		require.Equal(t, until, u)
	}
	why("a", "", time.Time{})
	d.Add(scan("1", "a"), wednesday)
	why("a", watchpost.PendingExtensionOffline, time.Time{})
	why("b", "", time.Time{})
	d.Join("1", scan("2", "b"))
	why("b", watchpost.PendingExtensionOffline, time.Time{})
	d.Changed(free("s", "a"))
	_, ok := d.Next(wednesday)
	require.True(t, ok)
	why("a", watchpost.PendingRunning, time.Time{})
	why("b", watchpost.PendingRunning, time.Time{})
	d.Remove("1")
	why("a", "", time.Time{})
	retried := scan("3", "a")
	retried.NotBefore = wednesday.Add(time.Minute)
	d.Add(retried, wednesday)
	why("a", watchpost.PendingRetry, retried.NotBefore)
	why("b", "", time.Time{})
	d.Resumes(scan("4", "b"))
	why("b", watchpost.PendingRunning, time.Time{})
}

// TestOutlookFollows: the outlook of a schedule follows its need, the others' and the number
// of accounts.
func TestOutlookFollows(t *testing.T) {
	t.Parallel()
	d := New()
	hourly := watchpost.FetchFrequency(time.Hour)
	check := func(of Schedule, live, perDay int) {
		t.Helper()
		all, at := d.Needs(watchpost.TaskKeywordScan).Copy(of)
		fresh, asked := scanplan.ForecastOf(watchpost.TaskKeywordScan.Action(), all, live).Outlook(at)
		kept, keptAsked := d.Needs(watchpost.TaskKeywordScan).Outlook(of, live)
		require.Equal(t, fresh, kept)
		require.Equal(t, asked, keptAsked)
		require.Equal(t, perDay, kept.PerDay)
	}
	check("a", 1, 0)
	d.Need(watchpost.TaskKeywordScan, "a", scanplan.Need{Subjects: 1, Frequency: hourly})
	check("a", 1, 24)
	d.Need(watchpost.TaskKeywordScan, "b", scanplan.Need{Subjects: 3, Frequency: hourly})
	check("a", 1, 24)
	check("b", 1, 72)
	check("b", 0, 72)
	check("b", 2, 72)
	check("c", 2, 0)
	d.Need(watchpost.TaskKeywordScan, "b", scanplan.Need{Subjects: 1, Frequency: hourly})
	check("b", 2, 24)
	check("a", 2, 24)
}

// TestNeedsInOrder: needs are in the order of their schedules after each change, and a caller
// may change what it got.
func TestNeedsInOrder(t *testing.T) {
	t.Parallel()
	d := New()
	need := func(subjects int) scanplan.Need { return scanplan.Need{Subjects: subjects} }
	check := func(of Schedule, at int, subjects ...int) {
		t.Helper()
		needs, place := d.Needs(watchpost.TaskKeywordScan).Copy(of)
		got := []int{}
		for i := range needs {
			got = append(got, needs[i].Subjects)
			needs[i].Subjects = 99
		}
		require.Equal(t, subjects, got)
		require.Equal(t, at, place)
	}
	check("a", 0, 0)
	d.Need(watchpost.TaskKeywordScan, "b", need(2))
	check("b", 0, 2)
	d.Need(watchpost.TaskKeywordScan, "a", need(1))
	check("b", 1, 1, 2)
	check("c", 2, 1, 2, 0)
	d.Need(watchpost.TaskKeywordScan, "b", need(3))
	check("a", 0, 1, 3)
	d.Need(watchpost.TaskKeywordScan, "a", scanplan.Need{})
	check("b", 0, 3)
}
