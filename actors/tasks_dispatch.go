package actors

import (
	"time"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// handOut offers waiting tasks to free sessions until nothing fits.
func (t *tasks) handOut() {
	now := t.env.clock.Now()
	t.debitNewDay(now)
	for t.broken == nil {
		a, ok := t.dispatch.next(now)
		if !ok {
			break
		}
		t.offer(a, now)
	}
	t.showPending(now)
}

// offer asks a task's actor to be leased, or to fail when the account has done
// the same already.
func (t *tasks) offer(a assignment, now time.Time) {
	first, err := t.team.effects.duplicate(t.open[a.task], a.worker.account)
	if err != nil {
		t.fail(err)
		return
	}
	if first != "" {
		a.worker.task = ""
		t.ctx.Send(t.open[a.task].pid, duplicateOf(first))
		return
	}
	t.ctx.Send(t.open[a.task].pid, offer{
		session: t.team.sessions.byID[a.worker.session].pid, until: t.renewed, kind: a.kind, lease: t.reserve(a, now),
	})
}

// reserve sets aside the allowance for an assignment and makes its lease.
func (t *tasks) reserve(a assignment, now time.Time) watchpost.Lease {
	open := t.open[a.task]
	units := max(1, min(open.units, t.dispatch.room(a.worker, a.kind, now)))
	open.reserved = t.team.sessions.ledger.reserve(a.worker.account, a.kind.Action(), units, now)
	open.account = a.worker.account
	// Its own from now on: a new connection must not be handed another task
	// while this one is under way.
	t.hold(a.task, open, a.worker.session)
	return watchpost.Lease{
		ID: watchpost.NewSecret(8), Session: a.worker.session, Account: a.worker.account,
		Journal: t.team.sessions.byID[a.worker.session].journal, Deadline: watchpost.Deadline(now), Units: units,
	}
}

// onTaskChange adds the team's part to a task's decision.
func (t *tasks) onTaskChange(batch *persistence.Batch, c *taskChange) {
	open := t.open[c.task.ID]
	if open == nil { // closed, and offered just before
		t.free(c.freed, c.task.ID)
		return
	}
	open.acting, open.units, open.kind = c.task.State == watchpost.TaskActing, c.task.Units(), c.task.LeasedType()
	open.fresh = c.task.Attempts == 0
	switch c.event {
	case taskLeased:
		t.team.effects.knowAccount(batch, open, &c.task)
		t.hold(c.task.ID, open, c.task.Lease.Session)
		open.pinned = c.task.Account
		t.debit(batch, open, c.task.Attempts)
		t.carryOver(batch, open, t.env.clock.Now()) // offered before a reset, taken after it
		putOpen(batch, c.task.ID, open)
	case taskDeclined:
		t.team.sessions.ledger.release(open.reserved)
		open.reserved = watchpost.Debit{}
		t.hold(c.task.ID, open, "")
		if c.task.State == watchpost.TaskPending {
			t.dispatch.add(&c.task, t.env.clock.Now())
		}
	case taskActs:
		t.dispatch.requeue(&c.task, t.env.clock.Now())
	case taskReturned:
		t.hold(c.task.ID, open, "")
		t.dispatch.add(&c.task, t.env.clock.Now())
		t.armWake()
		if _, known := t.team.members.byID(open.member); open.member != "" && !known {
			t.ctx.Send(open.pid, memberRemoved) // while it was acting
		}
	case taskMoved:
		t.onMoved(batch, open, &c.task)
	case taskEnded:
		t.hold(c.task.ID, open, "")
		open.ended = true
		t.dispatch.remove(c.task.ID)
	}
	if c.refund > 0 {
		t.refund(batch, open, c.refund)
		putOpen(batch, c.task.ID, open)
	}
	if c.event == taskEnded {
		batch.Delete(teamspace.Key(teamspace.KeyOpen, c.task.ID))
		if c.task.Unknown() { // the truth may still give them back
			batch.Put(teamspace.Key(teamspace.KeyDebits, c.task.ID), teamspace.Encode(open.debits))
		}
		t.team.effects.end(batch, &c.task)
		t.team.scans.onScanEnded(batch, open, c)
	}
	t.free(c.freed, c.task.ID)
	t.countReleases(c)
	t.pause(batch, c)
	t.team.sessions.statusesChanged()
}

// free notes that a session no longer works on a task.
func (t *tasks) free(session watchpost.SessionID, task watchpost.TaskID) {
	if s := t.team.sessions.byID[session]; s != nil && s.worker != nil && s.worker.task == task {
		s.worker.task = ""
	}
}

// armWake asks the clock for the next moment at which waiting tasks may run
// without anything else happening.
func (t *tasks) armWake() {
	if len(t.open) == 0 {
		return
	}
	at := t.dispatch.wake(t.env.clock.Now())
	if t.wake != nil {
		if t.wakeAt.Equal(at) {
			return
		}
		t.wake.Stop()
	}
	t.wakeAt = at
	t.wake = t.env.tell(at, t.ctx.Self(), wakeUp{})
}

// onWake hands out what a reset or the end of a pause has made possible.
func (t *tasks) onWake() {
	t.wake = nil
	for _, w := range t.dispatch.workers {
		t.team.sessions.showBlocked(w)
	}
	t.handOut()
	t.team.sessions.statusesChanged()
	t.armWake()
	t.answer(Done{}, nil)
}
