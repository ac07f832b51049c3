package actors

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"watchpost"
)

// dispatcher decides which session does which task. It holds no task: only the
// order in which they wait, and what the sessions may do. Its methods are pure
// functions of that state and of now; the team carries out its decisions.
type dispatcher struct {
	workers map[watchpost.SessionID]*worker
	queues  map[queueKey]*queue
	waiting map[watchpost.TaskID]queueKey
	delayed delays // the waiting tasks that are in no queue yet
	// accounts are the standings that the session actors have announced last.
	accounts map[watchpost.AccountURN]*standing
	// unscheduled are the watchlists and lists that have not reported their due
	// scans since the team was activated or asked them to share a scan. Until all
	// have, no scan is handed out: another may be due before it, or together with
	// it.
	unscheduled map[string]bool
}

// worker is a connected session, as its session actor has announced it, or as the
// team knows it while its account is none that its member has claimed.
type worker struct {
	session watchpost.SessionID
	member  watchpost.MemberID
	account watchpost.AccountURN
	inUse   bool // another member has claimed the account
	other   bool // the account is not the one that the member works as
	readiness
	// blocked are the reasons that the metrics count of it.
	blocked []PauseReason
}

// queueKey separates the tasks that the same conditions let run.
type queueKey struct {
	kind watchpost.TaskType
	// member and account are whose account does it, and which that is as soon as
	// it is known; "" for reads that any may do.
	member  watchpost.MemberID
	account watchpost.AccountURN
}

func queueOf(t *watchpost.Task) queueKey { return queueKey{t.LeasedType(), t.Member, t.Account} }

// assignment is one task for one session.
type assignment struct {
	task   watchpost.TaskID
	kind   watchpost.TaskType
	worker *worker
}

func newDispatcher() *dispatcher {
	return &dispatcher{
		workers:     map[watchpost.SessionID]*worker{},
		queues:      map[queueKey]*queue{},
		waiting:     map[watchpost.TaskID]queueKey{},
		accounts:    map[watchpost.AccountURN]*standing{},
		unscheduled: map[string]bool{},
	}
}

// add queues a pending task, at its NotBefore when that is to come.
func (d *dispatcher) add(t *watchpost.Task, now time.Time) {
	if _, already := d.waiting[t.ID]; already {
		return
	}
	k := queueOf(t)
	d.waiting[t.ID] = k
	if t.NotBefore.After(now) {
		heap.Push(&d.delayed, delay{turnOf(t), t.NotBefore})
		return
	}
	d.enqueue(k, turnOf(t))
}

func (d *dispatcher) enqueue(k queueKey, t turn) {
	q := d.queues[k]
	if q == nil {
		q = &queue{}
		d.queues[k] = q
	}
	heap.Push(q, t)
}

// advance gives a queued task an earlier turn; a later one changes nothing.
func (d *dispatcher) advance(to turn) {
	q := d.queues[d.waiting[to.id]]
	if q == nil {
		return
	}
	at := slices.IndexFunc(*q, func(t turn) bool { return t.id == to.id })
	if at >= 0 && to.before((*q)[at]) {
		(*q)[at] = to
		heap.Fix(q, at)
	}
}

// mature queues the delayed tasks whose time has come. Afterwards the first
// delayed task is one that still waits.
func (d *dispatcher) mature(now time.Time) {
	for len(d.delayed) > 0 {
		first := d.delayed[0]
		k, waits := d.waiting[first.id]
		if waits && first.until.After(now) {
			return
		}
		heap.Pop(&d.delayed)
		if waits {
			d.enqueue(k, first.turn)
		}
	}
}

// remove takes a task out of its queue, where its turn is skipped later.
func (d *dispatcher) remove(id watchpost.TaskID) { delete(d.waiting, id) }

// requeue moves a waiting task whose next slice is of another type by now.
func (d *dispatcher) requeue(t *watchpost.Task, now time.Time) {
	if k, waits := d.waiting[t.ID]; waits && k != queueOf(t) {
		d.remove(t.ID)
		d.add(t, now)
	}
}

// next takes the first task that a free session may do now; ok is false when
// there is none. Client tasks go by creation, before scans, which go by due
// time and entry.
func (d *dispatcher) next(now time.Time) (a assignment, ok bool) {
	d.mature(now)
	var first turn
	for k, q := range d.queues {
		if k.kind.Scan() && len(d.unscheduled) > 0 {
			continue
		}
		head, waits := d.head(k, q)
		if !waits || ok && !head.before(first) {
			continue
		}
		if w := d.pick(k, now); w != nil {
			first, ok = head, true
			a = assignment{task: head.id, kind: k.kind, worker: w}
		}
	}
	if ok {
		heap.Pop(d.queues[d.waiting[a.task]])
		d.remove(a.task)
		a.worker.task = a.task
	}
	return a, ok
}

// head returns the first turn of a queue that still waits.
func (d *dispatcher) head(k queueKey, q *queue) (turn, bool) {
	for q.Len() > 0 {
		if at, waits := d.waiting[(*q)[0].id]; waits && at == k {
			return (*q)[0], true
		}
		heap.Pop(q)
	}
	delete(d.queues, k)
	return turn{}, false
}

// pick returns the free session for tasks of that kind whose account has used
// the least of the allowance; nil when there is none.
func (d *dispatcher) pick(k queueKey, now time.Time) *worker {
	var best *worker
	most := 0
	for _, w := range d.workers {
		if w.task != "" || d.blockedBy(w, k, now) != "" {
			continue
		}
		room := d.room(w, k.kind, now)
		if best == nil || room > most || room == most && w.session < best.session {
			best, most = w, room
		}
	}
	return best
}

func (d *dispatcher) room(w *worker, kind watchpost.TaskType, now time.Time) int {
	return d.standing(w.account).room(kind, now)
}

// standing returns what an account may do; that of an account without a session
// actor has not used anything.
func (d *dispatcher) standing(account watchpost.AccountURN) *standing {
	if st := d.accounts[account]; st != nil {
		return st
	}
	return newStanding(account)
}

// blockedBy says why a session may not be handed such a task now, busy or not;
// empty when it may.
func (d *dispatcher) blockedBy(w *worker, k queueKey, now time.Time) watchpost.PendingReason {
	switch {
	case w.other && (k.member == "" || k.member == w.member):
		return watchpost.PendingPaused
	case k.account != "" && w.account != k.account, k.member != "" && w.member != k.member, w.inUse:
		return watchpost.PendingExtensionOffline
	}
	return d.standing(w.account).blocks(&w.readiness, k.kind, now)
}

// reasons orders the reasons by the change that each needs first.
var reasons = map[watchpost.PendingReason]int{
	watchpost.PendingExtensionOffline: 5,
	watchpost.PendingPaused:           4,
	watchpost.PendingWeeklyCap:        3,
	watchpost.PendingDailyCap:         2,
	watchpost.PendingQueued:           1,
}

// why says why a pending task of that kind waits: what blocks the session that is closest
// to doing it, and until when at least, if that is known.
func (d *dispatcher) why(k queueKey, now time.Time) (watchpost.PendingReason, time.Time) {
	reason := watchpost.PendingExtensionOffline
	var notBefore time.Time
	for _, w := range d.workers {
		h := cmp.Or(d.blockedBy(w, k, now), watchpost.PendingQueued)
		if reasons[h] > reasons[reason] {
			continue
		}
		until := d.until(w, k, h, now)
		known := !until.IsZero() && (notBefore.IsZero() || until.Before(notBefore))
		if reasons[h] < reasons[reason] || known {
			reason, notBefore = h, until
		}
	}
	return reason, notBefore
}

// until returns when a hindrance ends; zero when that is not known.
func (d *dispatcher) until(w *worker, k queueKey, h watchpost.PendingReason, now time.Time) time.Time {
	switch h {
	case watchpost.PendingDailyCap:
		return watchpost.Daily.Reset(now)
	case watchpost.PendingWeeklyCap:
		return watchpost.Weekly.Reset(now)
	case watchpost.PendingPaused:
		if w.signedIn && !w.stopped && !w.other {
			return d.standing(w.account).breakers[k.kind].Until
		}
	}
	return time.Time{}
}

// wake returns the next moment at which more may be handed out without
// anything happening: the end of a pause or of a delay, or the next reset.
func (d *dispatcher) wake(now time.Time) time.Time {
	wake := watchpost.Daily.Reset(now)
	d.mature(now)
	if len(d.delayed) > 0 && d.delayed[0].until.Before(wake) {
		wake = d.delayed[0].until
	}
	for _, st := range d.accounts {
		for _, b := range st.breakers {
			if until := b.Until; until.After(now) && until.Before(wake) {
				wake = until
			}
		}
	}
	return wake
}

// turn is a task's place in its queue.
type turn struct {
	id    watchpost.TaskID
	scan  bool
	at    time.Time // creation, or due time of a scan
	entry watchpost.EntryID
}

func turnOf(t *watchpost.Task) turn {
	if t.Type.Scan() {
		return turn{id: t.ID, scan: true, at: t.Due, entry: t.Entry}
	}
	return turn{id: t.ID, at: t.CreatedAt}
}

func (t turn) before(o turn) bool { return t.compare(o) < 0 }

// compare orders turns: client tasks by creation, then scans by due time and
// entry.
func (t turn) compare(o turn) int {
	switch {
	case t.scan && !o.scan:
		return 1
	case !t.scan && o.scan:
		return -1
	}
	return cmp.Or(t.at.Compare(o.at), cmp.Compare(t.entry, o.entry), cmp.Compare(t.id, o.id))
}

// queue is a heap of turns.
type queue []turn

// Len implements heap.Interface.
func (q queue) Len() int { return len(q) }

// Less implements heap.Interface.
func (q queue) Less(i, j int) bool { return q[i].before(q[j]) }

// Swap implements heap.Interface.
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *queue) Push(t any) { *q = append(*q, t.(turn)) }

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	old := *q
	t := old[len(old)-1]
	*q = old[:len(old)-1]
	return t
}

// delay is the turn of a task that is not queued before a moment.
type delay struct {
	turn
	until time.Time
}

// delays is a heap of delays, the first to end on top.
type delays []delay

// Len implements heap.Interface.
func (d delays) Len() int { return len(d) }

// Less implements heap.Interface.
func (d delays) Less(i, j int) bool { return d[i].until.Before(d[j].until) }

// Swap implements heap.Interface.
func (d delays) Swap(i, j int) { d[i], d[j] = d[j], d[i] }

// Push implements heap.Interface.
func (d *delays) Push(t any) { *d = append(*d, t.(delay)) }

// Pop implements heap.Interface.
func (d *delays) Pop() any {
	old := *d
	t := old[len(old)-1]
	*d = old[:len(old)-1]
	return t
}
