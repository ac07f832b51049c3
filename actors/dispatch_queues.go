package actors

import (
	"cmp"
	"time"

	"watchpost/watchpost"
)

// queueKey separates the tasks that the same conditions let run.
type queueKey struct {
	kind watchpost.TaskType
	// member and account are whose account does it, and which that is as soon as
	// it is known; "" for reads that any may do.
	member  watchpost.MemberID
	account watchpost.AccountURN
}

func queueOf(t *watchpost.Task) queueKey { return queueKey{t.LeasedType(), t.Member, t.Account} }

// queue holds the waiting tasks of one key. It exists while there is one.
type queue struct {
	key       queueKey
	turns     ordered[*waiter] // those that may begin
	delayed   int              // those that may not begin yet
	candidate bool
	at        int // in queues.candidates
}

func newQueue(k queueKey) *queue {
	return &queue{key: k, turns: ordered[*waiter]{
		before: func(a, b *waiter) bool { return a.before(b.turn) },
		place:  func(w *waiter) *int { return &w.at },
	}}
}

// waiting counts its tasks.
func (q *queue) waiting() int { return q.turns.Len() + q.delayed }

// waiter is a waiting task.
type waiter struct {
	turn
	queue *queue
	until time.Time // when it may begin; zero: it is in queue.turns
	at    int       // in queue.turns or in queues.delayed
}

// queues are the queues of a dispatcher. They hold no task: only the order in
// which tasks wait.
type queues struct {
	byKey    map[queueKey]*queue
	byMember map[watchpost.MemberID]map[*queue]bool // "" has those that any may do
	waiting  map[watchpost.TaskID]*waiter
	delayed  ordered[*waiter]
	// candidates are the queues that a free session may serve: no session may
	// serve another one. Ordered by the first turn.
	candidates ordered[*queue]
	// recounted are the members whose queues have changed in length since the
	// statuses were told.
	recounted map[watchpost.MemberID]bool
}

func newQueues() queues {
	return queues{
		byKey: map[queueKey]*queue{}, byMember: map[watchpost.MemberID]map[*queue]bool{},
		waiting: map[watchpost.TaskID]*waiter{}, recounted: map[watchpost.MemberID]bool{},
		delayed: ordered[*waiter]{
			before: func(a, b *waiter) bool { return a.until.Before(b.until) },
			place:  func(w *waiter) *int { return &w.at },
		},
		candidates: ordered[*queue]{
			before: func(a, b *queue) bool { return a.turns.list[0].before(b.turns.list[0].turn) },
			place:  func(q *queue) *int { return &q.at },
		},
	}
}

// add queues a pending task, at its NotBefore when that is to come.
func (qs *queues) add(t *watchpost.Task, now time.Time) {
	if qs.waits(t.ID) {
		return
	}
	k := queueOf(t)
	q := qs.byKey[k]
	if q == nil {
		q = newQueue(k)
		qs.byKey[k] = q
		if qs.byMember[k.member] == nil {
			qs.byMember[k.member] = map[*queue]bool{}
		}
		qs.byMember[k.member][q] = true
	}
	w := &waiter{turn: turnOf(t), queue: q}
	qs.waiting[t.ID] = w
	qs.recounted[k.member] = true
	if t.NotBefore.After(now) {
		w.until = t.NotBefore
		q.delayed++
		qs.delayed.add(w)
		return
	}
	qs.enqueue(w)
}

// enqueue gives a task its turn. Its queue becomes a candidate if it was empty;
// otherwise it is one already, or no session may serve it.
func (qs *queues) enqueue(w *waiter) {
	q := w.queue
	q.turns.add(w)
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
		qs.candidates.add(q)
	}
}

// dismiss ends that a queue is a candidate.
func (qs *queues) dismiss(q *queue) {
	if q.candidate {
		q.candidate = false
		qs.candidates.remove(q)
	}
}

// reorder moves a candidate whose first turn may have changed.
func (qs *queues) reorder(q *queue) {
	if q.candidate {
		qs.candidates.fix(q)
	}
}

// waits reports whether a task waits.
func (qs *queues) waits(id watchpost.TaskID) bool { return qs.waiting[id] != nil }

// advance gives a queued task an earlier turn; a later one changes nothing.
func (qs *queues) advance(to turn) {
	w := qs.waiting[to.id]
	if w == nil || !to.before(w.turn) {
		return
	}
	w.turn = to
	if w.until.IsZero() {
		w.queue.turns.fix(w)
		qs.reorder(w.queue)
	}
}

// mature queues the delayed tasks whose time has come.
func (qs *queues) mature(now time.Time) {
	for qs.delayed.Len() > 0 && !qs.delayed.list[0].until.After(now) {
		w := qs.delayed.list[0]
		qs.delayed.remove(w)
		w.until = time.Time{}
		w.queue.delayed--
		qs.enqueue(w)
	}
}

// remove takes a task out of its queue.
func (qs *queues) remove(id watchpost.TaskID) {
	w := qs.waiting[id]
	if w == nil {
		return
	}
	delete(qs.waiting, id)
	q := w.queue
	qs.recounted[q.key.member] = true
	if !w.until.IsZero() {
		qs.delayed.remove(w)
		q.delayed--
	} else {
		q.turns.remove(w)
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
	delete(qs.byMember[q.key.member], q)
	if len(qs.byMember[q.key.member]) == 0 {
		delete(qs.byMember, q.key.member)
	}
}

// requeue moves a waiting task whose next slice is of another type by now.
func (qs *queues) requeue(t *watchpost.Task, now time.Time) {
	if w := qs.waiting[t.ID]; w != nil && w.queue.key != queueOf(t) {
		qs.remove(t.ID)
		qs.add(t, now)
	}
}

// waitingFor counts the waiting tasks that an account of a member could do.
func (qs *queues) waitingFor(member watchpost.MemberID, account watchpost.AccountURN) (n int) {
	for _, of := range []watchpost.MemberID{"", member} {
		for q := range qs.byMember[of] {
			if q.key.account == "" || q.key.account == account {
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
