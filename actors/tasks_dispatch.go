package actors

import (
	"time"

	"watchpost"
	"watchpost/persistence"
)

// handOut assigns waiting tasks to free sessions until nothing fits.
func (t *tasks) handOut() {
	now := t.env.clock.Now()
	t.beginDay(now)
	for t.broken == nil {
		a, ok := t.dispatch.next(now)
		if !ok {
			break
		}
		t.handTo(a)
	}
	t.showPending(now)
}

// beginDay has the session actors debit their leases to the period that begins.
// All later assignments come after that.
func (t *tasks) beginDay(now time.Time) {
	day := watchpost.Daily.Key(now)
	if day == t.day {
		return
	}
	t.day = day
	for _, session := range t.team.accounts.actors {
		t.unanswered++
		t.ctx.Send(session, newDay{})
	}
}

// handTo assigns a task to a session, or fails it when the account has done the
// same already.
func (t *tasks) handTo(a assignment) {
	open := t.open[a.task]
	first, err := t.team.effects.duplicate(open, a.worker.account)
	if err != nil {
		t.fail(err)
		return
	}
	if first != "" {
		a.worker.task = ""
		t.ctx.Send(open.pid, duplicateOf(first))
		return
	}
	t.assign(open, a, nil)
}

// assign asks the session actor of the chosen connection to do a task. created is
// the decision that creates the task, if it is not stored yet.
func (t *tasks) assign(open *openTask, a assignment, created *decided) {
	open.offered = t.team.sessions.byID[a.worker.session].home
	a.worker.offers++
	t.unanswered++
	t.ctx.Send(open.offered, assign{
		id: a.task, task: open.pid, kind: a.kind, units: open.units, session: a.worker.session, until: t.renewed, created: created,
	})
}

// answered notes that a session actor has answered, about a task or the new day.
func (t *tasks) answered(open *openTask) {
	if open != nil {
		open.offered = nil
	}
	if t.unanswered--; t.unanswered > 0 {
		return
	}
	for _, waker := range t.wakers {
		t.commits.submit(nil, replyTo(t.env, waker, Done{}))
	}
	t.wakers = nil
}

// onTaskChange adds the team's part to a task's decision.
func (t *tasks) onTaskChange(batch *persistence.Batch, c *taskChange) {
	open := t.open[c.task.ID]
	if open == nil { // closed, and offered just before
		return
	}
	open.acting, open.units, open.kind = c.task.State == watchpost.TaskActing, c.task.Units(), c.task.LeasedType()
	open.fresh = c.task.Attempts == 0
	switch c.event {
	case taskLeased:
		t.answered(open)
		t.team.effects.knowAccount(batch, open, &c.task)
		t.hold(c.task.ID, open, c.task.Lease.Session)
		open.pinned, open.account = c.task.Account, c.task.Lease.Account
	case taskDeclined:
		t.answered(open)
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
		if c.verdict.SiteFault {
			t.armWake() // it may have opened a breaker
		}
		t.hold(c.task.ID, open, "")
		open.ended = true
		t.dispatch.remove(c.task.ID)
		t.team.effects.end(batch, &c.task)
		t.team.scans.onScanEnded(batch, open, c)
	}
	t.team.sessions.statusesChanged()
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
		t.team.accounts.showBlocked(w)
	}
	t.handOut()
	t.team.sessions.statusesChanged()
	t.armWake()
	// The clock goes on when all hand-outs of this moment are decided.
	if sender := t.ctx.Sender(); t.unanswered > 0 && sender != nil {
		t.wakers = append(t.wakers, sender)
		return
	}
	t.answer(Done{}, nil)
}
