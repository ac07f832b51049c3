package dispatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/watchpost"
)

var wednesday = time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)

func free(session, account string) *Worker {
	return &Worker{Session: watchpost.SessionID(session), Account: watchpost.AccountURN(account), Readiness: Readiness{SignedIn: true}}
}

func dispatcherOf(workers ...*Worker) *Dispatcher {
	d := New()
	for _, account := range []watchpost.AccountURN{"a", "b", "c", "d"} {
		d.Announce(account, NewStanding(account))
	}
	for _, w := range workers {
		d.Changed(w)
	}
	return d
}

// announces changes what an account may do.
func announces(d *Dispatcher, account watchpost.AccountURN, now time.Time, change func(*Standing)) {
	st := d.Standing(account).Present(now)
	if st.breakers == nil {
		st.breakers = map[watchpost.TaskType]watchpost.Breaker{}
	}
	change(st)
	d.Announce(account, st)
}

func opens(kind watchpost.TaskType, until time.Time) func(*Standing) {
	return func(st *Standing) { st.breakers[kind] = watchpost.Breaker{Until: until} }
}

func closes(action watchpost.Action) func(*Standing) {
	return func(st *Standing) { st.Ledger.close(&persistence.Batch{}, action, wednesday) }
}

func clientTask(id string, kind watchpost.TaskType, at time.Duration) *watchpost.Task {
	return &watchpost.Task{ID: watchpost.TaskID(id), Type: kind, CreatedAt: wednesday.Add(at)}
}

// TestHindrances: the first reason that applies to one session, and until when.
func TestHindrances(t *testing.T) {
	t.Parallel()
	tomorrow, monday, probe := watchpost.Daily.Reset(wednesday), watchpost.Weekly.Reset(wednesday), wednesday.Add(15*time.Minute)
	const read, write = watchpost.TaskProfileFetch, watchpost.TaskConnectionRequest
	for name, c := range map[string]struct {
		change func(*Dispatcher, *Worker)
		key    Key
		want   watchpost.PendingReason
		until  time.Time
	}{
		"free":              {func(*Dispatcher, *Worker) {}, Key{Kind: read, Account: ""}, watchpost.PendingQueued, time.Time{}},
		"busy":              {func(_ *Dispatcher, w *Worker) { w.Task = "x" }, Key{Kind: read, Account: ""}, watchpost.PendingQueued, time.Time{}},
		"own account":       {func(*Dispatcher, *Worker) {}, Key{Kind: write, Account: "a"}, watchpost.PendingQueued, time.Time{}},
		"other account":     {func(*Dispatcher, *Worker) {}, Key{Kind: write, Account: "b"}, watchpost.PendingExtensionOffline, time.Time{}},
		"account in use":    {func(_ *Dispatcher, w *Worker) { w.InUse, w.SignedIn = true, false }, Key{Kind: read, Account: ""}, watchpost.PendingExtensionOffline, time.Time{}},
		"signed out":        {func(_ *Dispatcher, w *Worker) { w.SignedIn = false }, Key{Kind: read, Account: ""}, watchpost.PendingPaused, time.Time{}},
		"stopped":           {func(_ *Dispatcher, w *Worker) { w.Stopped = true }, Key{Kind: read, Account: ""}, watchpost.PendingPaused, time.Time{}},
		"type paused":       {func(d *Dispatcher, _ *Worker) { announces(d, "a", wednesday, opens(read, probe)) }, Key{Kind: read, Account: ""}, watchpost.PendingPaused, probe},
		"other type paused": {func(d *Dispatcher, _ *Worker) { announces(d, "a", wednesday, opens(write, probe)) }, Key{Kind: read, Account: ""}, watchpost.PendingQueued, time.Time{}},
		"pause over":        {func(d *Dispatcher, _ *Worker) { announces(d, "a", wednesday, opens(read, wednesday)) }, Key{Kind: read, Account: ""}, watchpost.PendingQueued, time.Time{}},
		"paused and spent": {func(d *Dispatcher, _ *Worker) {
			announces(d, "a", wednesday, opens(read, probe))
			announces(d, "a", wednesday, closes(watchpost.ActionProfileFetch))
		}, Key{Kind: read, Account: ""}, watchpost.PendingPaused, probe},
		"spent": {func(d *Dispatcher, _ *Worker) {
			announces(d, "a", wednesday, func(st *Standing) {
				for range 40 {
					st.Ledger.debit(&persistence.Batch{}, watchpost.Debit{Account: "a", Action: watchpost.ActionProfileFetch, Period: watchpost.Daily.Key(wednesday)})
				}
			})
		}, Key{Kind: read, Account: ""}, watchpost.PendingDailyCap, tomorrow},
		"reserved": {func(d *Dispatcher, _ *Worker) {
			announces(d, "a", wednesday, func(st *Standing) { st.Ledger.Reserve(watchpost.ActionProfileFetch, 40, wednesday) })
		}, Key{Kind: read, Account: ""}, watchpost.PendingDailyCap, tomorrow},
		"closed, weekly": {func(d *Dispatcher, _ *Worker) {
			announces(d, "a", wednesday, closes(watchpost.ActionInvitation))
		}, Key{Kind: write, Account: "a"}, watchpost.PendingWeeklyCap, monday},
		"taken over":         {func(d *Dispatcher, _ *Worker) { d.Limit("a", tomorrow, time.Time{}) }, Key{Kind: read, Account: ""}, watchpost.PendingDailyCap, tomorrow},
		"taken over, weekly": {func(d *Dispatcher, _ *Worker) { d.Limit("a", time.Time{}, monday) }, Key{Kind: write, Account: "a"}, watchpost.PendingWeeklyCap, monday},
		"taken over, forum":  {func(d *Dispatcher, _ *Worker) { d.Limit("a", tomorrow, time.Time{}) }, Key{Kind: watchpost.TaskForumScan}, watchpost.PendingQueued, time.Time{}},
	} {
		w := free("s", "a")
		d := dispatcherOf(w)
		c.change(d, w)
		d.Changed(w)
		reason, until := d.Why(c.key, wednesday)
		require.Equal(t, c.want, reason, name)
		require.Equal(t, c.until, until, name)
		d.Add(&watchpost.Task{ID: "t", Type: c.key.Kind, Account: c.key.Account}, wednesday)
		_, ok := d.Next(wednesday)
		require.Equal(t, c.want == watchpost.PendingQueued && name != "busy", ok, name)
	}
	reason, until := dispatcherOf().Why(Key{Kind: read, Account: ""}, wednesday)
	require.Equal(t, watchpost.PendingExtensionOffline, reason)
	require.Zero(t, until)
}

// TestWhyOfSeveral: the session that is closest to doing the task says why, and
// of the moments that are known the first counts, in whatever order they come.
func TestWhyOfSeveral(t *testing.T) {
	t.Parallel()
	const read = watchpost.TaskProfileFetch
	early, late := wednesday.Add(time.Minute), wednesday.Add(time.Hour)
	for range 50 { // maps have no order
		a, b, c, out := free("1", "a"), free("2", "b"), free("3", "c"), free("4", "d")
		out.SignedIn = false
		d := dispatcherOf(a, b, out)
		announces(d, "a", wednesday, opens(read, late))
		announces(d, "b", wednesday, opens(read, early))
		reason, until := d.Why(Key{Kind: read, Account: ""}, wednesday)
		require.Equal(t, watchpost.PendingPaused, reason)
		require.Equal(t, early, until)
		d.Changed(c)
		reason, until = d.Why(Key{Kind: read, Account: ""}, wednesday)
		require.Equal(t, watchpost.PendingQueued, reason)
		require.Zero(t, until)
	}
}

func TestDispatchOrder(t *testing.T) {
	t.Parallel()
	d := dispatcherOf()
	scan := func(id, entry string, due time.Duration) *watchpost.Task {
		return &watchpost.Task{ID: watchpost.TaskID(id), Type: watchpost.TaskKeywordScan, Entry: watchpost.EntryID(entry), Due: wednesday.Add(due)}
	}
	for _, task := range []*watchpost.Task{
		scan("s2", "e2", -time.Hour), scan("s1", "e1", -time.Hour), scan("s0", "e9", -2*time.Hour),
		clientTask("c3", watchpost.TaskLikePost, time.Hour), clientTask("c1", watchpost.TaskProfileFetch, time.Minute),
		clientTask("c2", watchpost.TaskCompanyFetch, 2*time.Minute), clientTask("c0", watchpost.TaskProfileFetch, 0),
		clientTask("gone", watchpost.TaskProfileFetch, -time.Hour),
	} {
		d.Add(task, wednesday)
		d.Add(task, wednesday) // once is enough
	}
	d.Remove("gone")
	_, ok := d.Next(wednesday)
	require.False(t, ok, "nobody is there")
	w := free("s", "a")
	d.Changed(w)
	var order []watchpost.TaskID
	for a, ok := d.Next(wednesday); ok; a, ok = d.Next(wednesday) {
		require.Same(t, w, a.Worker)
		require.Equal(t, a.Task, w.Task)
		_, busy := d.Next(wednesday)
		require.False(t, busy, "one at a time")
		order = append(order, a.Task)
		w.Task = ""
		d.Changed(w)
	}
	require.Equal(t, []watchpost.TaskID{"c0", "c1", "c2", "c3", "s0", "s1", "s2"}, order)
	require.Empty(t, d.waiting)
	require.Empty(t, d.byKey)
}

// TestBlockedQueueBlocksNobodyElse checks that a task waiting for an allowance
// does not hold up later tasks.
func TestBlockedQueueBlocksNobodyElse(t *testing.T) {
	t.Parallel()
	d := dispatcherOf(free("s", "a"))
	announces(d, "a", wednesday, closes(watchpost.ActionProfileFetch))
	d.Add(clientTask("first", watchpost.TaskProfileFetch, 0), wednesday)
	d.Add(clientTask("second", watchpost.TaskCompanyFetch, time.Hour), wednesday)
	a, ok := d.Next(wednesday)
	require.True(t, ok)
	require.Equal(t, watchpost.TaskID("second"), a.Task)
	_, ok = d.Next(wednesday)
	require.False(t, ok)
	a.Worker.Task = ""
	d.Changed(a.Worker)
	a, ok = d.Next(watchpost.Daily.Reset(wednesday))
	require.True(t, ok)
	require.Equal(t, watchpost.TaskID("first"), a.Task)
}

func TestWake(t *testing.T) {
	t.Parallel()
	d := dispatcherOf(free("1", "a"), free("2", "b"), free("3", "c"))
	midnight := watchpost.Daily.Reset(wednesday)
	require.Equal(t, midnight, d.Wake(wednesday))
	announces(d, "a", wednesday, opens("x", wednesday.Add(time.Hour)))
	announces(d, "b", wednesday, opens("x", wednesday.Add(time.Minute)))
	announces(d, "c", wednesday, opens("x", midnight.Add(time.Hour)))
	require.Equal(t, wednesday.Add(time.Minute), d.Wake(wednesday))
	require.Equal(t, wednesday.Add(time.Hour), d.Wake(wednesday.Add(time.Minute)))
	require.Equal(t, midnight, d.Wake(wednesday.Add(time.Hour)))
}

func TestLeastUsedFirst(t *testing.T) {
	t.Parallel()
	d := dispatcherOf(free("1", "a"), free("2", "b"), free("3", "b"))
	use := func(account watchpost.AccountURN, n int) {
		announces(d, account, wednesday, func(st *Standing) {
			debit := st.Ledger.Reserve(watchpost.ActionProfileFetch, n, wednesday)
			st.Ledger.Release(debit)
			st.Ledger.debit(&persistence.Batch{}, debit)
		})
	}
	pick := func() watchpost.SessionID {
		return d.pick(Key{Kind: watchpost.TaskProfileFetch}, wednesday).Session
	}
	require.Equal(t, watchpost.SessionID("1"), pick(), "equal: the lesser id")
	use("a", 1)
	require.Equal(t, watchpost.SessionID("2"), pick())
	d.workers["2"].Task = "x"
	require.Equal(t, watchpost.SessionID("3"), pick())
	use("b", 2)
	require.Equal(t, watchpost.SessionID("1"), pick())
}
