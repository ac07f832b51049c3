package actors

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost"
	"watchpost/persistence"
)

var wednesday = time.Date(2030, 1, 9, 12, 0, 0, 0, time.UTC)

func free(session, account string) *worker {
	return &worker{session: watchpost.SessionID(session), account: watchpost.AccountURN(account), readiness: readiness{signedIn: true}}
}

func dispatcherOf(workers ...*worker) *dispatcher {
	d := newDispatcher()
	for _, account := range []watchpost.AccountURN{"a", "b", "c", "d"} {
		d.accounts[account] = newStanding(account)
		d.accounts[account].breakers = map[watchpost.TaskType]watchpost.Breaker{}
	}
	for _, w := range workers {
		d.workers[w.session] = w
	}
	return d
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
		"type paused":       {func(d *dispatcher, _ *worker) { d.accounts["a"].breakers[read] = watchpost.Breaker{Until: probe} }, queueKey{kind: read, account: ""}, watchpost.PendingPaused, probe},
		"other type paused": {func(d *dispatcher, _ *worker) { d.accounts["a"].breakers[write] = watchpost.Breaker{Until: probe} }, queueKey{kind: read, account: ""}, watchpost.PendingQueued, time.Time{}},
		"pause over":        {func(d *dispatcher, _ *worker) { d.accounts["a"].breakers[read] = watchpost.Breaker{Until: wednesday} }, queueKey{kind: read, account: ""}, watchpost.PendingQueued, time.Time{}},
		"paused and spent": {func(d *dispatcher, _ *worker) {
			d.accounts["a"].breakers[read] = watchpost.Breaker{Until: probe}
			d.accounts["a"].ledger.close(&persistence.Batch{}, watchpost.ActionProfileFetch, wednesday)
		}, queueKey{kind: read, account: ""}, watchpost.PendingPaused, probe},
		"spent": {func(d *dispatcher, _ *worker) {
			for range 40 {
				d.accounts["a"].ledger.debit(&persistence.Batch{}, watchpost.Debit{Account: "a", Action: watchpost.ActionProfileFetch, Period: watchpost.Daily.Key(wednesday)})
			}
		}, queueKey{kind: read, account: ""}, watchpost.PendingDailyCap, tomorrow},
		"reserved": {func(d *dispatcher, _ *worker) {
			for range 40 {
				d.accounts["a"].ledger.reserve(watchpost.ActionProfileFetch, 1, wednesday)
			}
		}, queueKey{kind: read, account: ""}, watchpost.PendingDailyCap, tomorrow},
		"closed, weekly": {func(d *dispatcher, _ *worker) {
			d.accounts["a"].ledger.close(&persistence.Batch{}, watchpost.ActionInvitation, wednesday)
		}, queueKey{kind: write, account: "a"}, watchpost.PendingWeeklyCap, monday},
		"taken over":         {func(d *dispatcher, _ *worker) { d.accounts["a"].from = tomorrow }, queueKey{kind: read, account: ""}, watchpost.PendingDailyCap, tomorrow},
		"taken over, weekly": {func(d *dispatcher, _ *worker) { d.accounts["a"].fromWeekly = monday }, queueKey{kind: write, account: "a"}, watchpost.PendingWeeklyCap, monday},
		"taken over, forum":  {func(d *dispatcher, _ *worker) { d.accounts["a"].from = tomorrow }, queueKey{kind: watchpost.TaskForumScan}, watchpost.PendingQueued, time.Time{}},
	} {
		w := free("s", "a")
		d := dispatcherOf(w)
		c.change(d, w)
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
		d.accounts["a"].breakers[read], d.accounts["b"].breakers[read] = watchpost.Breaker{Until: late}, watchpost.Breaker{Until: early}
		reason, until := d.why(queueKey{kind: read, account: ""}, wednesday)
		require.Equal(t, watchpost.PendingPaused, reason)
		require.Equal(t, early, until)
		d.workers["3"] = c
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
	d.workers["s"] = w
	var order []watchpost.TaskID
	for a, ok := d.next(wednesday); ok; a, ok = d.next(wednesday) {
		require.Same(t, w, a.worker)
		require.Equal(t, a.task, w.task)
		_, busy := d.next(wednesday)
		require.False(t, busy, "one at a time")
		order = append(order, a.task)
		w.task = ""
	}
	require.Equal(t, []watchpost.TaskID{"c0", "c1", "c2", "c3", "s0", "s1", "s2"}, order)
	require.Empty(t, d.waiting)
	require.Empty(t, d.queues)
}

// TestBlockedQueueBlocksNobodyElse checks that a task waiting for an allowance
// does not hold up later tasks.
func TestBlockedQueueBlocksNobodyElse(t *testing.T) {
	t.Parallel()
	d := dispatcherOf(free("s", "a"))
	d.accounts["a"].ledger.close(&persistence.Batch{}, watchpost.ActionProfileFetch, wednesday)
	d.add(clientTask("first", watchpost.TaskProfileFetch, 0), wednesday)
	d.add(clientTask("second", watchpost.TaskCompanyFetch, time.Hour), wednesday)
	a, ok := d.next(wednesday)
	require.True(t, ok)
	require.Equal(t, watchpost.TaskID("second"), a.task)
	_, ok = d.next(wednesday)
	require.False(t, ok)
	a.worker.task = ""
	a, ok = d.next(watchpost.Daily.Reset(wednesday))
	require.True(t, ok)
	require.Equal(t, watchpost.TaskID("first"), a.task)
}

func TestWake(t *testing.T) {
	t.Parallel()
	d := dispatcherOf()
	midnight := watchpost.Daily.Reset(wednesday)
	require.Equal(t, midnight, d.wake(wednesday))
	d.accounts["a"].breakers["x"] = watchpost.Breaker{Until: wednesday.Add(time.Hour)}
	d.accounts["b"].breakers["x"] = watchpost.Breaker{Until: wednesday.Add(time.Minute)}
	d.accounts["c"].breakers["x"] = watchpost.Breaker{Until: midnight.Add(time.Hour)}
	require.Equal(t, wednesday.Add(time.Minute), d.wake(wednesday))
	require.Equal(t, wednesday.Add(time.Hour), d.wake(wednesday.Add(time.Minute)))
	require.Equal(t, midnight, d.wake(wednesday.Add(time.Hour)))
}

// TestDispatchAgainstModel plays random tasks, sessions and ends. Dispatch must
// pick the same task as a search over a plain list, and exceed no allowance.
func TestDispatchAgainstModel(t *testing.T) {
	t.Parallel()
	kinds := []watchpost.TaskType{watchpost.TaskProfileFetch, watchpost.TaskCommentPost, watchpost.TaskForumScan, watchpost.TaskKeywordScan}
	rapid.Check(t, func(r *rapid.T) {
		now := wednesday
		d := dispatcherOf()
		var list []*watchpost.Task // waiting
		handed := map[watchpost.Debit]int{}
		for i := range rapid.IntRange(1, 150).Draw(r, "steps") {
			switch rapid.IntRange(0, 6).Draw(r, "step") {
			case 0, 1:
				kind := rapid.SampledFrom(kinds).Draw(r, "kind")
				task := clientTask(fmt.Sprintf("t%03d", i), kind, time.Duration(rapid.IntRange(0, 5).Draw(r, "created"))*time.Second)
				task.Due, task.Entry = task.CreatedAt, watchpost.EntryID(fmt.Sprint(rapid.IntRange(0, 3).Draw(r, "entry")))
				if kind.Writes() {
					task.Account = watchpost.AccountURN(rapid.SampledFrom([]string{"", "a", "b"}).Draw(r, "account"))
				}
				d.add(task, wednesday)
				list = append(list, task)
			case 2:
				name := rapid.SampledFrom([]string{"s1", "s2", "s3"}).Draw(r, "session")
				w := free(name, rapid.SampledFrom([]string{"a", "b"}).Draw(r, "of"))
				w.signedIn, w.inUse = rapid.IntRange(0, 4).Draw(r, "in") > 0, rapid.IntRange(0, 4).Draw(r, "use") == 0
				d.workers[w.session] = w
			case 3:
				for _, w := range d.workers {
					w.task = ""
				}
			case 4:
				if len(list) > 0 {
					n := rapid.IntRange(0, len(list)-1).Draw(r, "drop")
					d.remove(list[n].ID)
					list = slices.Delete(list, n, n+1)
				}
			case 5:
				if rapid.IntRange(0, 9).Draw(r, "day") == 0 {
					now = watchpost.Daily.Reset(now)
				}
			case 6:
				account, kind := watchpost.AccountURN(rapid.SampledFrom([]string{"a", "b"}).Draw(r, "acc")), rapid.SampledFrom(kinds).Draw(r, "paused")
				d.accounts[account].breakers[kind] = watchpost.Breaker{Until: now.Add(time.Minute)}
				if rapid.Bool().Draw(r, "over") {
					now = now.Add(time.Minute)
				}
			}
			for {
				want := searched(d, list, now)
				a, ok := d.next(now)
				require.Equal(r, want != nil, ok)
				if !ok {
					break
				}
				require.Equal(r, want.ID, a.task)
				list = slices.DeleteFunc(list, func(t *watchpost.Task) bool { return t.ID == a.task })
				require.Empty(r, d.blockedBy(&worker{account: a.worker.account, inUse: a.worker.inUse, readiness: readiness{signedIn: a.worker.signedIn}}, queueKey{kind: a.kind, account: want.Account}, now))
				l := &d.accounts[a.worker.account].ledger
				debit := l.reserve(a.kind.Action(), 1, now)
				l.release(debit)
				if debit.Action != watchpost.ActionNone {
					l.debit(&persistence.Batch{}, debit)
					handed[debit]++
					limit, _ := watchpost.AllowanceOf(debit.Action)
					require.LessOrEqual(r, handed[debit], limit.Limit)
				}
			}
			require.Len(r, d.waiting, len(list))
		}
	})
}

// searched is the task that is to be handed out next: the slow way.
func searched(d *dispatcher, list []*watchpost.Task, now time.Time) *watchpost.Task {
	var first *watchpost.Task
	for _, t := range list {
		if first != nil && !turnOf(t).before(turnOf(first)) {
			continue
		}
		for _, w := range d.workers {
			if w.task == "" && d.blockedBy(w, queueKey{kind: t.Type, account: t.Account}, now) == "" {
				first = t
			}
		}
	}
	return first
}

func TestLeastUsedFirst(t *testing.T) {
	t.Parallel()
	d := dispatcherOf(free("1", "a"), free("2", "b"), free("3", "b"))
	use := func(account watchpost.AccountURN, n int) {
		for range n {
			l := &d.accounts[account].ledger
			debit := l.reserve(watchpost.ActionProfileFetch, 1, wednesday)
			l.release(debit)
			l.debit(&persistence.Batch{}, debit)
		}
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
