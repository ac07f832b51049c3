package actors

import (
	"slices"

	"watchpost/actors/changefeed"
	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// takeBack removes the debits of an attempt, to be given back to the days that were
// debited, and returns them.
func (t *task) takeBack(attempt int) (debits []watchpost.Debit) {
	t.debits = slices.DeleteFunc(t.debits, func(d watchpost.Debit) bool {
		if d.Attempt == attempt {
			debits = append(debits, d)
		}
		return d.Attempt == attempt
	})
	return debits
}

// decide takes over a new state and hands it to the team. Whatever is decided of an
// attempt, it is paid in the period that holds now, too, unless it is given back: its
// session may have touched the network since the reset, and the report can be here
// before the session actor's carryOver.
func (t *task) decide(next watchpost.Task, c taskChange, then func(error)) {
	if l := t.state.Lease; l != nil && l.Attempt != c.refund {
		if d, due := dispatch.CarryOver(t.debits, l.Attempt, t.env.Clock.Now()); due {
			c.debited = append(c.debited, t.pay(d, l.Attempt)...)
		}
	}
	before := t.state
	t.state = next
	t.endSpan()
	d := decided{batch: &persistence.Batch{}, onCommitted: then}
	noteWaiting(d.batch, &before, &next)
	ended := next.State.Final()
	if ended && next.Type.Scan() { // no caller asks for it
		d.batch.Delete(teamspace.Key(teamspace.KeyTask, next.ID))
	} else {
		putTask(d.batch, &next)
	}
	c.refunded = t.takeBack(c.refund)
	if c.refund == watchpost.EveryAttempt {
		c.refunded, t.debits = t.debits, nil
	}
	c.wrote = (before.State == watchpost.TaskActing) != (next.State == watchpost.TaskActing)
	if c.event == taskLeased || len(c.debited) > 0 || len(c.refunded) > 0 {
		putOpen(d.batch, next.ID, t.debits)
	}
	if ended {
		changefeed.Note(d.batch, next.Changes()...)
		d.batch.Delete(teamspace.Key(teamspace.KeyOpen, next.ID))
		if next.Unknown() { // the truth may still give them back
			d.batch.Put(teamspace.Key(teamspace.KeyDebits, next.ID), teamspace.Encode(t.debits))
		}
		then, env, team := d.onCommitted, t.env, t.team
		d.onCommitted = root.Both(func(err error) {
			if err == nil {
				env.System.Root.Send(team, taskClosed{&next})
			}
		}, then)
	}
	t.submit(d, c)
	if ended {
		event := string(next.State)
		if next.Failure != nil && next.Failure.Code == failDropped {
			event = "cancelled"
		}
		t.env.metrics.tasks.WithLabelValues(string(next.Type), event).Inc()
	}
	t.arm()
}

// submit sends a decision to the team. There is no other way: the team submits the
// decisions of a task in the order of their numbers.
func (t *task) submit(d decided, c taskChange) {
	t.decisions++
	c.number, c.task, c.at = t.decisions, t.state, t.env.Clock.Now()
	d.task = &c
	t.ctx.Send(t.team, d)
}

// answer sends what waits for all decisions of the task so far.
func (t *task) answer(then func(error)) { t.ctx.Send(t.team, decided{onCommitted: then}) }

// pay notes a debit for an attempt.
func (t *task) pay(d watchpost.Debit, attempt int) []watchpost.Debit {
	if d.Action == watchpost.ActionNone {
		return nil
	}
	d.Attempt = attempt
	t.debits = append(t.debits, d)
	return []watchpost.Debit{d}
}

// onCarryOver notes that the lease costs a unit of the period that has begun, too,
// unless a decision has noted that by now.
func (t *task) onCarryOver(m carryOver) {
	if !t.state.Holds(m.lease) {
		return
	}
	attempt := t.state.Lease.Attempt
	paid := func(d watchpost.Debit) bool { return d.Attempt == attempt && d.Period == m.debit.Period }
	if !slices.ContainsFunc(t.debits, paid) {
		t.decide(t.state, taskChange{event: taskActs, debited: t.pay(m.debit, attempt)}, nil)
	}
}
