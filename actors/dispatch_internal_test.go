package actors

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"watchpost/persistence"
	"watchpost/watchpost"
)

var wednesday = time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)

func free(session, account string) *worker {
	return &worker{session: watchpost.SessionID(session), account: watchpost.AccountURN(account), readiness: readiness{signedIn: true}}
}

func dispatcherOf(workers ...*worker) *dispatcher {
	d := newDispatcher()
	for _, account := range []watchpost.AccountURN{"a", "b", "c", "d"} {
		d.announce(account, newStanding(account))
	}
	for _, w := range workers {
		d.changed(w)
	}
	return d
}

// announces changes what an account may do.
func announces(d *dispatcher, account watchpost.AccountURN, now time.Time, change func(*standing)) {
	st := d.standing(account).present(now)
	if st.breakers == nil {
		st.breakers = map[watchpost.TaskType]watchpost.Breaker{}
	}
	change(st)
	d.announce(account, st)
}

func opens(kind watchpost.TaskType, until time.Time) func(*standing) {
	return func(st *standing) { st.breakers[kind] = watchpost.Breaker{Until: until} }
}

func closes(action watchpost.Action) func(*standing) {
	return func(st *standing) { st.ledger.close(&persistence.Batch{}, action, wednesday) }
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
		change func(*dispatcher, *worker)
		key    queueKey
		want   watchpost.PendingReason
		until  time.Time
	}{
		"free":              {func(*dispatcher, *worker) {}, queueKey{kind: read, account: ""}, watchpost.PendingQueued, time.Time{}},
		"busy":              {func(_ *dispatcher, w *worker) { w.task = "x" }, queueKey{kind: read, account: ""}, watchpost.PendingQueued, time.Time{}},
		"own account":       {func(*dispatcher, *worker) {}, queueKey{kind: write, account: "a"}, watchpost.PendingQueued, time.Time{}},
		"other account":     {func(*dispatcher, *worker) {}, queueKey{kind: write, account: "b"}, watchpost.PendingExtensionOffline, time.Time{}},
		"account in use":    {func(_ *dispatcher, w *worker) { w.inUse, w.signedIn = true, false }, queueKey{kind: read, account: ""}, watchpost.PendingExtensionOffline, time.Time{}},
		"signed out":        {func(_ *dispatcher, w *worker) { w.signedIn = false }, queueKey{kind: read, account: ""}, watchpost.PendingPaused, time.Time{}},
		"stopped":           {func(_ *dispatcher, w *worker) { w.stopped = true }, queueKey{kind: read, account: ""}, watchpost.PendingPaused, time.Time{}},
		"type paused":       {func(d *dispatcher, _ *worker) { announces(d, "a", wednesday, opens(read, probe)) }, queueKey{kind: read, account: ""}, watchpost.PendingPaused, probe},
		"other type paused": {func(d *dispatcher, _ *worker) { announces(d, "a", wednesday, opens(write, probe)) }, queueKey{kind: read, account: ""}, watchpost.PendingQueued, time.Time{}},
		"pause over":        {func(d *dispatcher, _ *worker) { announces(d, "a", wednesday, opens(read, wednesday)) }, queueKey{kind: read, account: ""}, watchpost.PendingQueued, time.Time{}},
		"paused and spent": {func(d *dispatcher, _ *worker) {
			announces(d, "a", wednesday, opens(read, probe))
			announces(d, "a", wednesday, closes(watchpost.ActionProfileFetch))
		}, queueKey{kind: read, account: ""}, watchpost.PendingPaused, probe},
		"spent": {func(d *dispatcher, _ *worker) {
			announces(d, "a", wednesday, func(st *standing) {
				for range 40 {
					st.ledger.debit(&persistence.Batch{}, watchpost.Debit{Account: "a", Action: watchpost.ActionProfileFetch, Period: watchpost.Daily.Key(wednesday)})
				}
			})
		}, queueKey{kind: read, account: ""}, watchpost.PendingDailyCap, tomorrow},
		"reserved": {func(d *dispatcher, _ *worker) {
			announces(d, "a", wednesday, func(st *standing) { st.ledger.reserve(watchpost.ActionProfileFetch, 40, wednesday) })
		}, queueKey{kind: read, account: ""}, watchpost.PendingDailyCap, tomorrow},
		"closed, weekly": {func(d *dispatcher, _ *worker) {
			announces(d, "a", wednesday, closes(watchpost.ActionInvitation))
		}, queueKey{kind: write, account: "a"}, watchpost.PendingWeeklyCap, monday},
		"taken over":         {func(d *dispatcher, _ *worker) { d.limit("a", tomorrow, time.Time{}) }, queueKey{kind: read, account: ""}, watchpost.PendingDailyCap, tomorrow},
		"taken over, weekly": {func(d *dispatcher, _ *worker) { d.limit("a", time.Time{}, monday) }, queueKey{kind: write, account: "a"}, watchpost.PendingWeeklyCap, monday},
		"taken over, forum":  {func(d *dispatcher, _ *worker) { d.limit("a", tomorrow, time.Time{}) }, queueKey{kind: watchpost.TaskForumScan}, watchpost.PendingQueued, time.Time{}},
	} {
		w := free("s", "a")
		d := dispatcherOf(w)
		c.change(d, w)
		d.changed(w)
		reason, until := d.why(c.key, wednesday)
		require.Equal(t, c.want, reason, name)
		require.Equal(t, c.until, until, name)
		d.add(&watchpost.Task{ID: "t", Type: c.key.kind, Account: c.key.account}, wednesday)
		_, ok := d.next(wednesday)
		require.Equal(t, c.want == watchpost.PendingQueued && name != "busy", ok, name)
	}
	reason, until := dispatcherOf().why(queueKey{kind: read, account: ""}, wednesday)
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
		out.signedIn = false
		d := dispatcherOf(a, b, out)
		announces(d, "a", wednesday, opens(read, late))
		announces(d, "b", wednesday, opens(read, early))
		reason, until := d.why(queueKey{kind: read, account: ""}, wednesday)
		require.Equal(t, watchpost.PendingPaused, reason)
		require.Equal(t, early, until)
		d.changed(c)
		reason, until = d.why(queueKey{kind: read, account: ""}, wednesday)
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
		d.add(task, wednesday)
		d.add(task, wednesday) // once is enough
	}
	d.remove("gone")
	_, ok := d.next(wednesday)
	require.False(t, ok, "nobody is there")
	w := free("s", "a")
	d.changed(w)
	var order []watchpost.TaskID
	for a, ok := d.next(wednesday); ok; a, ok = d.next(wednesday) {
		require.Same(t, w, a.worker)
		require.Equal(t, a.task, w.task)
		_, busy := d.next(wednesday)
		require.False(t, busy, "one at a time")
		order = append(order, a.task)
		w.task = ""
		d.changed(w)
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
	d.add(clientTask("first", watchpost.TaskProfileFetch, 0), wednesday)
	d.add(clientTask("second", watchpost.TaskCompanyFetch, time.Hour), wednesday)
	a, ok := d.next(wednesday)
	require.True(t, ok)
	require.Equal(t, watchpost.TaskID("second"), a.task)
	_, ok = d.next(wednesday)
	require.False(t, ok)
	a.worker.task = ""
	d.changed(a.worker)
	a, ok = d.next(watchpost.Daily.Reset(wednesday))
	require.True(t, ok)
	require.Equal(t, watchpost.TaskID("first"), a.task)
}

func TestWake(t *testing.T) {
	t.Parallel()
	d := dispatcherOf(free("1", "a"), free("2", "b"), free("3", "c"))
	midnight := watchpost.Daily.Reset(wednesday)
	require.Equal(t, midnight, d.wake(wednesday))
	announces(d, "a", wednesday, opens("x", wednesday.Add(time.Hour)))
	announces(d, "b", wednesday, opens("x", wednesday.Add(time.Minute)))
	announces(d, "c", wednesday, opens("x", midnight.Add(time.Hour)))
	require.Equal(t, wednesday.Add(time.Minute), d.wake(wednesday))
	require.Equal(t, wednesday.Add(time.Hour), d.wake(wednesday.Add(time.Minute)))
	require.Equal(t, midnight, d.wake(wednesday.Add(time.Hour)))
}

func TestLeastUsedFirst(t *testing.T) {
	t.Parallel()
	d := dispatcherOf(free("1", "a"), free("2", "b"), free("3", "b"))
	use := func(account watchpost.AccountURN, n int) {
		announces(d, account, wednesday, func(st *standing) {
			debit := st.ledger.reserve(watchpost.ActionProfileFetch, n, wednesday)
			st.ledger.release(debit)
			st.ledger.debit(&persistence.Batch{}, debit)
		})
	}
	pick := func() watchpost.SessionID {
		return d.pick(queueKey{kind: watchpost.TaskProfileFetch}, wednesday).session
	}
	require.Equal(t, watchpost.SessionID("1"), pick(), "equal: the lesser id")
	use("a", 1)
	require.Equal(t, watchpost.SessionID("2"), pick())
	d.workers["2"].task = "x"
	require.Equal(t, watchpost.SessionID("3"), pick())
	use("b", 2)
	require.Equal(t, watchpost.SessionID("1"), pick())
}
