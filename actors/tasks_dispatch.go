package actors

import (
	"errors"
	"fmt"
	"time"

	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/internal/ordered"
	"watchpost/persistence"
	"watchpost/watchpost"
)

// handOut assigns waiting tasks to free sessions until nothing fits. Rules get the
// sessions that are still free then.
func (t *tasks) handOut() {
	now := t.env.Clock.Now()
	t.beginDay(now)
	for t.Broken == nil {
		a, ok := t.team.dispatch.Next(now)
		if !ok {
			break
		}
		t.handTo(a)
	}
	t.team.workRules(now)
	t.team.accounts.showRelieved()
	if t.team.dispatch.HasNews() {
		t.team.sessions.statusesChanged()
	}
	t.showPending(now)
	if t.team.dispatch.Withholds() {
		t.armWake()
	}
}

// handAtOnce assigns a task that was made for a connection that is free.
func (t *tasks) handAtOnce(id watchpost.TaskID) {
	if a, ok := t.team.dispatch.Take(id, t.env.Clock.Now()); ok {
		t.handTo(a)
		return
	}
	t.tell(rulePostponed, t.open[id])
}

// accountFor says what a member's account may do of a type, for a rule to decide by.
func (t *tasks) accountFor(kind watchpost.TaskType, member watchpost.MemberID, now time.Time) watchpost.RuleAccount {
	account := t.team.members.accountOf(member)
	reason, until := t.team.dispatch.Why(dispatch.Key{Kind: kind, Member: member, Account: account}, now)
	return watchpost.RuleAccount{
		Seen: t.team.accounts.alive[member].last, Connected: reason == watchpost.PendingQueued || !until.IsZero(),
		Ready: until, Free: t.team.dispatch.Free(member, account, kind, now),
	}
}

// beginDay has the session actors debit their leases to the period that begins.
// All later assignments come after that.
func (t *tasks) beginDay(now time.Time) {
	day := dispatch.PeriodOf(watchpost.Daily, now)
	if day == t.day {
		return
	}
	t.day = day
	for _, l := range t.team.accounts.ledgers {
		l.Forget(now)
	}
	for _, session := range ordered.ByKey(t.team.accounts.actors) {
		t.unanswered++
		t.Context.Send(session, newDay{})
	}
}

// handTo assigns a task to a session. It fails the task when the account has done the
// same already, or when the rule that asked for it would not do it now; one that undoes
// what an open task does waits for the end of that one.
func (t *tasks) handTo(a dispatch.Assignment) {
	open := t.open[a.Task]
	if !t.start(open) {
		return
	}
	if !t.team.rules.Allow(a.Task) {
		t.handNothing(a.Worker)
		t.tell(rulePostponed, open)
		return
	}
	first, err := t.team.effects.duplicate(open, a.Worker.Account)
	before, err2 := t.team.effects.waitsFor(open, a.Worker.Account)
	if err := errors.Join(err, err2); err != nil {
		t.Fail(err)
		return
	}
	switch {
	case first != "":
		t.handNothing(a.Worker)
		t.tell(duplicateOf(first), open)
	case before != "":
		t.handNothing(a.Worker)
		t.team.effects.behind[before] = append(t.team.effects.behind[before], open)
	default:
		t.assign(open, a)
	}
}

// handNothing frees a worker that was chosen for a task.
func (t *tasks) handNothing(w *dispatch.Worker) {
	w.Task = ""
	t.team.dispatch.Changed(w)
}

// assign asks the session actor of the chosen connection to do a task.
func (t *tasks) assign(open *openTask, a dispatch.Assignment) {
	open.offered = a.Worker.Account
	a.Worker.Offers++
	t.unanswered++
	t.Context.Send(t.team.accounts.actors[open.offered], assign{
		id: a.Task, task: open.actor, kind: a.Kind, units: open.units, session: a.Worker.Session, until: t.renewed,
		before: t.team.rules.Closing(a.Task),
	})
}

// answered notes that a session actor has answered an offer or a message.
func (t *tasks) answered(open *openTask) {
	if open != nil {
		open.offered = ""
	}
	if t.unanswered--; t.unanswered > 0 {
		return
	}
	for _, waker := range t.wakers {
		t.Commits.Submit(nil, t.env.ReplyTo(waker, root.Done{}))
	}
	t.wakers = nil
}

// decide submits the decision of a task with the team's part of it, and tells the
// session actors that it concerns. The decisions of a task have one way, from the task
// to here, so they come in their order; if that ever fails, the tree ends before the
// store is wrong. What waits for the decision runs when the session actor has
// announced what its account may do now, too: who sees the decision sees what follows
// from it.
func (t *tasks) decide(d decided) {
	c := d.task
	open := t.open[c.task.ID]
	if open == nil { // closed, and offered just before
		t.Commits.Submit(d.batch, d.onCommitted)
		return
	}
	if c.number != open.decisions+1 {
		t.Fail(fmt.Errorf("decision %d of task %s came after decision %d", c.number, c.task.ID, open.decisions))
		t.Refuse(d)
		return
	}
	open.decisions = c.number
	if d.batch == nil {
		d.batch = &persistence.Batch{}
	}
	if open.created != nil {
		t.addCreation(&d, open)
	}
	accounts := []watchpost.AccountURN{open.account}
	if c.event == taskLeased || c.event == taskDeclined {
		accounts[0] = open.offered
	}
	accounts = append(accounts, t.team.accounts.count(d.batch, c)...)
	t.onTaskChange(d.batch, open, c)
	if !t.team.accounts.submit(d.batch, c, d.onCommitted, accounts...) {
		t.handOut() // else it follows the announcement
	}
}

// onTaskChange adds the team's part to a task's decision.
func (t *tasks) onTaskChange(batch *persistence.Batch, open *openTask, c *taskChange) {
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
		switch {
		case c.task.State != watchpost.TaskPending:
		case c.task.Asked.Kind == watchpost.AskedByRule:
			t.tell(rulePostponed, open)
		default:
			t.team.dispatch.Add(&c.task, t.env.Clock.Now())
		}
	case taskActs:
		t.team.dispatch.Requeue(&c.task, t.env.Clock.Now())
	case taskReturned:
		t.hold(c.task.ID, open, "")
		t.team.dispatch.Add(&c.task, t.env.Clock.Now())
		t.armWake()
		if _, known := t.team.members.byID(open.member); open.member != "" && !known {
			t.tell(memberRemoved, open) // while it was acting
		}
	case taskMoved:
		t.onMoved(batch, open, &c.task)
	case taskEnded:
		t.hold(c.task.ID, open, "")
		open.ended = true
		t.tally.count(open)
		t.team.dispatch.Remove(c.task.ID)
		t.team.effects.end(batch, &c.task)
		t.team.effects.endUndone(batch, &c.task)
		noteFetched(batch, &c.task)
		t.team.rules.OnTaskEnded(batch, &c.task)
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
	at := t.team.dispatch.Wake(t.env.Clock.Now())
	if t.wake != nil {
		if t.wakeAt.Equal(at) {
			return
		}
		t.wake.Stop()
	}
	t.wakeAt = at
	t.wake = t.env.TellAt(at, t.Context.Self(), wakeUp{})
}

// onWake hands out what a reset or the end of a pause has made possible.
func (t *tasks) onWake() {
	t.wake = nil
	t.handOut()
	t.team.sessions.statusesChanged()
	t.armWake()
	t.answerTimer()
}

// answerTimer lets the clock go on when all hand-outs of this moment are decided.
func (t *tasks) answerTimer() {
	if sender := t.Context.Sender(); t.unanswered > 0 && sender != nil {
		t.wakers = append(t.wakers, sender)
		return
	}
	t.Answer(root.Done{}, nil)
}
