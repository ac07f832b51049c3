package dispatch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"watchpost/persistence"
	"watchpost/watchpost"
	"watchpost/watchpost/scanplan"
)

// naive is what a dispatcher is to decide, with nothing but lists: each question
// is a search among all tasks and all sessions.
type naive struct {
	d     *Dispatcher
	tasks []*watchpost.Task // that wait
	given map[watchpost.TaskID]modelScan
	of    int // whose scan the next one is
}

// blockedBy says why a session may not be handed a task; empty when it may.
func (n *naive) blockedBy(w *Worker, k Key, now time.Time) watchpost.PendingReason {
	st := n.d.Standing(w.Account)
	a, counted := watchpost.AllowanceOf(k.Kind.Action())
	switch {
	case w.Other && (k.Member == "" || k.Member == w.Member):
		return watchpost.PendingPaused
	case k.Account != "" && w.Account != k.Account, k.Member != "" && w.Member != k.Member, w.InUse:
		return watchpost.PendingExtensionOffline
	case !w.SignedIn, w.Stopped, st.breakers[k.Kind].Open(now):
		return watchpost.PendingPaused
	case !counted:
		return ""
	case a.Period == watchpost.Weekly && (now.Before(st.FromWeekly) || st.Ledger.Room(a.Action, now) <= 0):
		return watchpost.PendingWeeklyCap
	case a.Period == watchpost.Daily && (now.Before(st.From) || st.Ledger.Room(a.Action, now) <= 0):
		return watchpost.PendingDailyCap
	}
	return ""
}

// next is the first task in turn that a free session may do, and of these sessions the
// one whose account has most room. Of the scans of a kind it is the one whose schedule has
// the next claim.
func (n *naive) next(now time.Time) (first *watchpost.Task, best *Worker) {
	byKey := map[Key][]*watchpost.Task{}
	for _, t := range n.tasks {
		if k := queueOf(t); byKey[k] == nil && (!t.Type.Scan() || len(n.d.unscheduled) == 0) {
			byKey[k] = n.ripe(k, now)
		}
	}
	maps.DeleteFunc(byKey, func(_ Key, waiting []*watchpost.Task) bool { return len(waiting) == 0 })
	turns := func(a, b *watchpost.Task) int { return turnOf(a).compare(turnOf(b)) }
	earlier := func(a, b []*watchpost.Task) int { return turns(slices.MinFunc(a, turns), slices.MinFunc(b, turns)) }
	for _, waiting := range slices.SortedFunc(maps.Values(byKey), earlier) {
		first = slices.MinFunc(waiting, turns)
		var able []*Worker
		for _, w := range n.d.workers {
			if w.Task == "" && n.blockedBy(w, queueOf(first), now) == "" {
				able = append(able, w)
			}
		}
		if len(able) == 0 {
			continue
		}
		if first.Type.Scan() {
			if first = n.claimed(waiting, now); first == nil {
				continue
			}
		}
		room := func(w *Worker) int { return n.d.Standing(w.Account).Ledger.Room(first.LeasedType().Action(), now) }
		return first, slices.MinFunc(able, func(a, b *Worker) int { return cmp.Or(room(b)-room(a), cmp.Compare(a.Session, b.Session)) })
	}
	return nil, nil
}

// why is the reason of the session that is closest to doing a task.
func (n *naive) why(k Key, now time.Time) (reason watchpost.PendingReason, notBefore time.Time) {
	reason = watchpost.PendingExtensionOffline
	for _, w := range n.d.workers {
		h := cmp.Or(n.blockedBy(w, k, now), watchpost.PendingQueued)
		until := n.d.until(w, k, h, now)
		switch {
		case reasons[h] < reasons[reason]:
			reason, notBefore = h, until
		case h == reason && (notBefore.IsZero() || !until.IsZero() && until.Before(notBefore)):
			notBefore = until
		}
	}
	return reason, notBefore
}

func (n *naive) find(id watchpost.TaskID) int {
	return slices.IndexFunc(n.tasks, func(t *watchpost.Task) bool { return t.ID == id })
}

// agrees compares all that the dispatcher keeps with a recount.
func (n *naive) agrees(r *rapid.T, now time.Time) {
	counts := map[Key]int{}
	for _, t := range n.tasks {
		counts[queueOf(t)]++
		require.True(r, n.d.Waits(t.ID))
	}
	require.Len(r, n.d.waiting, len(n.tasks))
	require.Len(r, n.d.byKey, len(counts))
	queues, delayed := 0, 0
	for k, count := range counts {
		q := n.d.byKey[k]
		require.Equal(r, count, q.waiting(), "%v", k)
		require.True(r, n.d.queues.byMember[k.Member][q])
		require.Equal(r, q.candidate, slices.Contains(n.d.candidates.All(), q))
		delayed += q.delayed
		reason, notBefore := n.d.Why(k, now)
		wanted, until := n.why(k, now)
		if n.d.withheld[q] && wanted == watchpost.PendingQueued {
			require.Nil(r, n.claimed(n.ripe(k, now), now))
			wanted, until = watchpost.PendingDailyCap, now.Truncate(time.Hour).Add(time.Hour)
		}
		require.Equal(r, wanted, reason, "%v", k)
		require.Equal(r, until, notBefore, "%v", k)
	}
	for _, of := range n.d.queues.byMember {
		queues += len(of)
	}
	require.Equal(r, len(counts), queues)
	require.Equal(r, delayed, n.d.delayed.Len())
	for _, w := range n.d.workers {
		could := 0
		for k, count := range counts {
			if (k.Member == "" || k.Member == w.Member) && (k.Account == "" || k.Account == w.Account) {
				could += count
			}
		}
		require.Equal(r, could, n.d.WaitingFor(w.Member, w.Account))
		require.Equal(r, [2]string{string(w.Member), string(w.Account)}, [2]string{string(w.crew.member), string(w.crew.account)})
		require.Contains(r, w.crew.workers, w)
	}
	of := map[[2]string]int{}
	for _, w := range n.d.workers {
		of[[2]string{string(w.Member), string(w.Account)}]++
	}
	require.Len(r, n.d.crews.byMember[""], len(of))
	for _, c := range n.d.crews.byMember[""] {
		require.Len(r, c.workers, of[[2]string{string(c.member), string(c.account)}])
	}
}

// dispatchRun is one run of TestDispatchAgainstModel.
type dispatchRun struct {
	*naive
	r    *rapid.T
	now  time.Time
	made int
}

var modelKinds = []watchpost.TaskType{
	watchpost.TaskProfileFetch, watchpost.TaskCommentPost, watchpost.TaskConnectionRequest, watchpost.TaskForumScan, watchpost.TaskKeywordScan, watchpost.TaskProfilesSearch,
}

func drawn[T any](r *dispatchRun, label string, from ...T) T {
	return rapid.SampledFrom(from).Draw(r.r, label)
}

func (r *dispatchRun) chance(label string, n int) bool {
	return rapid.IntRange(1, n).Draw(r.r, label) == 1
}

func (r *dispatchRun) addTask() {
	r.made++
	task := clientTask(fmt.Sprintf("t%03d", r.made), drawn(r, "kind", modelKinds...), time.Duration(rapid.IntRange(0, 5).Draw(r.r, "created"))*time.Second)
	task.Due, task.Entry = task.CreatedAt, watchpost.EntryID(drawn(r, "entry", "0", "1", "2"))
	if task.Type.Scan() {
		task.Watchlist = watchpost.WatchlistID(drawn(r, "schedule", modelSchedules...))
	}
	if task.Type.OfMember() {
		task.Member, task.Account = watchpost.MemberID(drawn(r, "member", "", "m", "n")), watchpost.AccountURN(drawn(r, "account", "", "a", "b"))
	}
	if r.chance("delayed", 4) {
		task.NotBefore = r.now.Add(time.Duration(rapid.IntRange(1, 90).Draw(r.r, "minutes")) * time.Minute)
	}
	r.d.Add(task, r.now)
	r.d.Add(task, r.now) // once is enough
	r.tasks = append(r.tasks, task)
}

func (r *dispatchRun) changeWorker() {
	w := r.d.workers[watchpost.SessionID(drawn(r, "session", "s1", "s2", "s3", "s4", "s5"))]
	if w == nil || r.chance("replaced", 4) {
		name := drawn(r, "new", "s1", "s2", "s3", "s4", "s5")
		if old := r.d.workers[watchpost.SessionID(name)]; old != nil {
			r.d.Leave(old)
		}
		w = free(name, "")
		w.Member = watchpost.MemberID(drawn(r, "of", "m", "n", "o"))
		w.Account = watchpost.AccountURN(drawn(r, "signed in to", "", "a", "b"))
	}
	switch drawn(r, "change", "account", "flags", "task", "leave") {
	case "account":
		w.Account = watchpost.AccountURN(drawn(r, "to", "", "a", "b", "c"))
	case "flags":
		w.SignedIn, w.InUse, w.Other, w.Stopped = !r.chance("out", 4), r.chance("in use", 4), r.chance("other", 4), r.chance("stopped", 4)
	case "task":
		w.Task = ""
	case "leave":
		if r.d.workers[w.Session] == w {
			r.d.Leave(w)
		}
		return
	}
	r.d.Changed(w)
}

func (r *dispatchRun) changeAccount() {
	account := watchpost.AccountURN(drawn(r, "account", "a", "b", "c"))
	announces(r.d, account, r.now, func(st *Standing) {
		kind := drawn(r, "kind", modelKinds...)
		switch drawn(r, "standing", "breaker", "closes", "uses", "from", "free") {
		case "breaker":
			opens(kind, r.now.Add(time.Duration(rapid.IntRange(-5, 60).Draw(r.r, "minutes"))*time.Minute))(st)
		case "closes":
			st.Ledger.close(&persistence.Batch{}, kind.Action(), r.now)
		case "uses":
			if a, counted := watchpost.AllowanceOf(kind.Action()); counted {
				st.Ledger.entry(a.Action, PeriodOf(a.Period, r.now)).Used = a.Limit - rapid.IntRange(0, 3).Draw(r.r, "room")
			}
		case "from":
			st.From, st.FromWeekly = watchpost.Daily.Reset(r.now), watchpost.Weekly.Reset(r.now)
		case "free":
			*st = *NewStanding(account)
		}
	})
}

func (r *dispatchRun) changeTask() {
	if len(r.tasks) == 0 {
		return
	}
	at := rapid.IntRange(0, len(r.tasks)-1).Draw(r.r, "which")
	task := r.tasks[at]
	switch drawn(r, "of the task", "drop", "advance", "move") {
	case "drop":
		r.d.Remove(task.ID)
		r.tasks = slices.Delete(r.tasks, at, at+1)
	case "advance":
		if task.Type.Scan() {
			to := *task
			to.Due = to.Due.Add(time.Duration(rapid.IntRange(-3, 3).Draw(r.r, "seconds")) * time.Second)
			to.Watchlist = watchpost.WatchlistID(drawn(r, "schedule", modelSchedules...))
			r.d.Join(task.ID, &to)
			if target := to.Targets()[0]; !slices.Contains(schedulesOf(task), ScheduleOf(target)) {
				task.Shared = append(task.Targets(), target)
			}
			if to.Due.Before(task.Due) {
				task.Due = to.Due
			}
		}
	case "move":
		r.d.Remove(task.ID)
		task.Account, task.NotBefore = "", time.Time{}
		r.d.Add(task, r.now)
	}
}

func (r *dispatchRun) passTime() {
	switch drawn(r, "time", "minutes", "minutes", "midnight", "monday", "back") {
	case "minutes":
		r.now = r.now.Add(time.Duration(rapid.IntRange(1, 40).Draw(r.r, "minutes")) * time.Minute)
	case "midnight":
		r.now = watchpost.Daily.Reset(r.now)
	case "monday":
		r.now = watchpost.Weekly.Reset(r.now)
	case "back":
		r.now = r.now.Add(-time.Duration(rapid.IntRange(1, 30).Draw(r.r, "hours")) * time.Hour)
	}
}

// handOut takes what the dispatcher hands out, up to n tasks: the task and the session
// that a search finds, and nothing exactly when a search finds nothing.
func (r *dispatchRun) handOut(n int) {
	for _, t := range r.tasks {
		if !t.NotBefore.After(r.now) {
			t.NotBefore = time.Time{} // also when the clock is set back later
		}
	}
	for range n {
		task, w := r.next(r.now)
		a, ok := r.d.Next(r.now)
		require.Equal(r.r, task != nil, ok)
		if !ok {
			return
		}
		require.Equal(r.r, task.ID, a.Task)
		require.Equal(r.r, task.LeasedType(), a.Kind)
		require.Same(r.r, w, a.Worker)
		if task.Type.Scan() {
			r.debit(task)
		}
		require.Equal(r.r, a.Task, w.Task)
		r.tasks = slices.Delete(r.tasks, r.find(a.Task), r.find(a.Task)+1)
		if r.chance("declined", 8) { // the task is a duplicate
			w.Task = ""
			r.d.Changed(w)
		}
	}
}

// TestDispatchAgainstModel plays random changes of tasks, sessions, accounts and
// time. After each the dispatcher hands out the same tasks to the same sessions as
// a search among all, so that no task waits that could run; its kept counts and
// reasons are those of a recount.
func TestDispatchAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := &dispatchRun{naive: &naive{d: New(), given: map[watchpost.TaskID]modelScan{}}, r: rt, now: wednesday}
		for i, of := range modelSchedules {
			for _, kind := range modelKinds {
				r.d.Need(kind, of, scanplan.Need{Subjects: 9 * i, Frequency: watchpost.FetchFrequency(6 * time.Hour)})
			}
		}
		for range rapid.IntRange(1, 120).Draw(rt, "steps") {
			switch drawn(r, "step", "task", "task", "task", "worker", "worker", "worker", "account", "account", "change", "time", "report") {
			case "task":
				r.addTask()
			case "worker":
				r.changeWorker()
			case "account":
				r.changeAccount()
			case "change":
				r.changeTask()
			case "time":
				r.passTime()
			case "report":
				name := drawn(r, "name", "list 1", "list 2")
				if r.d.unscheduled[name] {
					r.d.Reported(name)
				} else if r.chance("awaited", 2) {
					r.d.Await(name)
				}
			}
			if r.chance("one only", 4) {
				r.handOut(1) // as the creation of a read does
			} else {
				r.handOut(len(r.tasks) + 1)
			}
			r.agrees(rt, r.now)
			wake := r.d.Wake(r.now)
			require.True(rt, wake.After(r.now))
		}
	})
}

// TestNothingChangesNothing checks that a sign of life without news makes no queue a
// candidate, and that a status is due only for those whom a change concerns.
func TestNothingChangesNothing(t *testing.T) {
	t.Parallel()
	d := New()
	for _, of := range []string{"a", "b"} {
		w := free("s-"+of, of)
		w.Member = watchpost.MemberID("m-" + of)
		announces(d, w.Account, wednesday, closes(watchpost.ActionLike))
		d.Changed(w)
		task := clientTask("t-"+of, watchpost.TaskLikePost, 0)
		task.Member, task.Account = w.Member, w.Account
		d.Add(task, wednesday)
	}
	_, ok := d.Next(wednesday)
	require.False(t, ok)
	require.Len(t, d.TakeNews(false), 2)
	d.Changed(d.workers["s-a"])
	d.Announce("a", d.Standing("a").Present(wednesday))
	d.look(wednesday)
	require.Zero(t, d.candidates.Len())
	require.Empty(t, d.TakeNews(false))
	announces(d, "a", wednesday, func(st *Standing) { st.Ledger.entries = nil })
	require.Equal(t, []*Crew{d.workers["s-a"].crew}, d.TakeNews(false))
	a, ok := d.Next(wednesday)
	require.True(t, ok)
	require.Equal(t, watchpost.TaskID("t-a"), a.Task)
	require.Equal(t, []*Crew{a.Worker.crew}, d.TakeNews(false), "fewer wait")
	require.False(t, d.Free("m-a", "a", watchpost.TaskProfileFetch, wednesday), "it has a task")
	require.False(t, d.Free("m-b", "b", watchpost.TaskLikePost, wednesday), "no room")
	require.True(t, d.Free("m-b", "b", watchpost.TaskCommentPost, wednesday))
	require.True(t, d.Free("", "", watchpost.TaskProfileFetch, wednesday))
	require.Len(t, d.TakeNews(true), 2, "the plan blocks all")
}
