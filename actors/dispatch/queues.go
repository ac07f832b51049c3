package dispatch

import (
	"cmp"
	"slices"
	"time"

	"watchpost/internal/ordered"
	"watchpost/watchpost"
)

// Key separates the tasks that the same conditions let run.
type Key struct {
	Kind watchpost.TaskType
	// Member and account are whose account does it, and which that is as soon as
	// it is known; "" for reads that any may do.
	Member  watchpost.MemberID
	Account watchpost.AccountURN
}

func queueOf(t *watchpost.Task) Key { return Key{t.LeasedType(), t.Member, t.Account} }

// queue holds the waiting tasks of one key. It exists while there is one.
type queue struct {
	key       Key
	turns     ordered.Heap[*waiter] // those that may begin
	lines     lines                 // of turns, when they are scans
	delayed   int                   // those that may not begin yet
	units     int                   // of their allowance that all of them need
	candidate bool
	at        int // in queues.candidates
}

func newQueue(k Key) *queue {
	return &queue{key: k, lines: lines{}, turns: ordered.New(
		func(a, b *waiter) bool { return a.before(b.turn) },
		func(w *waiter) *int { return &w.at },
	)}
}

// waiting counts its tasks.
func (q *queue) waiting() int { return q.turns.Len() + q.delayed }

// waiter is a waiting task.
type waiter struct {
	turn
	queue *queue
	units int       // that it needs
	until time.Time // when it may begin; zero: it is in queue.turns
	at    int       // in queue.turns or in queues.delayed
	// schedules are those that a scan is for, scans its places in their lines.
	schedules []Schedule
	scans     []*scan
}

// queues are the queues of a dispatcher. They hold no task: only the order in
// which tasks wait.
type queues struct {
	byKey    map[Key]*queue
	byMember map[watchpost.MemberID]map[*queue]bool // "" has those that any may do
	waiting  map[watchpost.TaskID]*waiter
	delayed  ordered.Heap[*waiter]
	// candidates are the queues that a free session may serve: no session may
	// serve another one. Ordered by the first turn.
	candidates ordered.Heap[*queue]
	// recounted are the members whose queues have changed in length since the
	// statuses were told.
	recounted map[watchpost.MemberID]bool
}

func newQueues() queues {
	return queues{
		byKey: map[Key]*queue{}, byMember: map[watchpost.MemberID]map[*queue]bool{},
		waiting: map[watchpost.TaskID]*waiter{}, recounted: map[watchpost.MemberID]bool{},
		delayed: ordered.New(
			func(a, b *waiter) bool { return a.until.Before(b.until) },
			func(w *waiter) *int { return &w.at },
		),
		candidates: ordered.New(
			func(a, b *queue) bool { return a.turns.First().before(b.turns.First().turn) },
			func(q *queue) *int { return &q.at },
		),
	}
}

// Add queues a pending task, at its NotBefore when that is to come.
func (qs *queues) Add(t *watchpost.Task, now time.Time) {
	if qs.Waits(t.ID) {
		return
	}
	k := queueOf(t)
	q := qs.byKey[k]
	if q == nil {
		q = newQueue(k)
		qs.byKey[k] = q
		if qs.byMember[k.Member] == nil {
			qs.byMember[k.Member] = map[*queue]bool{}
		}
		qs.byMember[k.Member][q] = true
	}
	w := &waiter{turn: turnOf(t), queue: q, units: t.Units(), schedules: schedulesOf(t)}
	q.units += w.units
	qs.waiting[t.ID] = w
	qs.recounted[k.Member] = true
	if t.NotBefore.After(now) {
		w.until = t.NotBefore
		q.delayed++
		qs.delayed.Add(w)
		return
	}
	qs.enqueue(w)
}

// enqueue gives a task its turn. Its queue becomes a candidate if it was empty;
// otherwise it is one already, or no session may serve it.
func (qs *queues) enqueue(w *waiter) {
	q := w.queue
	q.turns.Add(w)
	for _, of := range w.schedules {
		q.lines.add(w, of)
	}
	if q.turns.Len() == 1 {
		qs.nominate(q)
	} else {
		qs.reorder(q)
	}
}

// nominate makes a queue a candidate.
func (qs *queues) nominate(q *queue) {
	if !q.candidate && q.turns.Len() > 0 {
		q.candidate = true
		qs.candidates.Add(q)
	}
}

// dismiss ends that a queue is a candidate.
func (qs *queues) dismiss(q *queue) {
	if q.candidate {
		q.candidate = false
		qs.candidates.Remove(q)
	}
}

// reorder moves a candidate whose first turn may have changed.
func (qs *queues) reorder(q *queue) {
	if q.candidate {
		qs.candidates.Fix(q)
	}
}

// Waits reports whether a task waits.
func (qs *queues) Waits(id watchpost.TaskID) bool { return qs.waiting[id] != nil }

// NoteMember makes the statuses of a member's sessions news, "" of all.
func (qs *queues) NoteMember(member watchpost.MemberID) { qs.recounted[member] = true }

// join is Dispatcher.Join.
func (qs *queues) join(id watchpost.TaskID, other *watchpost.Task) {
	w := qs.waiting[id]
	if w == nil {
		return
	}
	for _, of := range schedulesOf(other) {
		if slices.Contains(w.schedules, of) {
			continue
		}
		w.schedules = append(w.schedules, of)
		if w.until.IsZero() {
			w.queue.lines.add(w, of)
		}
	}
	to := turnOf(other)
	to.id = id
	if !to.before(w.turn) {
		return
	}
	w.turn = to
	if w.until.IsZero() {
		w.queue.turns.Fix(w)
		w.queue.lines.fix(w)
		qs.reorder(w.queue)
	}
}

// mature queues the delayed tasks whose time has come; it reports whether there are any.
func (qs *queues) mature(now time.Time) (ripe bool) {
	for qs.delayed.Len() > 0 && !qs.delayed.First().until.After(now) {
		w := qs.delayed.First()
		qs.delayed.Remove(w)
		w.until = time.Time{}
		w.queue.delayed--
		qs.enqueue(w)
		ripe = true
	}
	return ripe
}

// Remove takes a task out of its queue.
func (qs *queues) Remove(id watchpost.TaskID) {
	w := qs.waiting[id]
	if w == nil {
		return
	}
	delete(qs.waiting, id)
	q := w.queue
	q.units -= w.units
	qs.recounted[q.key.Member] = true
	if !w.until.IsZero() {
		qs.delayed.Remove(w)
		q.delayed--
	} else {
		q.turns.Remove(w)
		q.lines.remove(w)
		if q.turns.Len() > 0 {
			qs.reorder(q)
		} else {
			qs.dismiss(q)
		}
	}
	if q.waiting() > 0 {
		return
	}
	delete(qs.byKey, q.key)
	delete(qs.byMember[q.key.Member], q)
	if len(qs.byMember[q.key.Member]) == 0 {
		delete(qs.byMember, q.key.Member)
	}
}

// Requeue moves a waiting task whose next slice is of another type by now.
func (qs *queues) Requeue(t *watchpost.Task, now time.Time) {
	if w := qs.waiting[t.ID]; w != nil && w.queue.key != queueOf(t) {
		qs.Remove(t.ID)
		qs.Add(t, now)
	}
}

// WaitingFor counts the waiting tasks that an account of a member could do.
func (qs *queues) WaitingFor(member watchpost.MemberID, account watchpost.AccountURN) (n int) {
	for _, of := range []watchpost.MemberID{"", member} {
		for q := range qs.byMember[of] {
			if q.key.Account == "" || q.key.Account == account {
				n += q.waiting()
			}
		}
	}
	return n
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

// CompareTurns orders tasks as they wait.
func CompareTurns(a, b *watchpost.Task) int { return turnOf(a).compare(turnOf(b)) }

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
