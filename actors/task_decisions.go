package actors

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"watchpost"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
)

// paid is a debit and the session actor of the account that it is of.
type paid struct {
	watchpost.Debit
	session *actor.PID
}

// payments are the debits of a task's hand-outs.
type payments []paid

// debits returns them as they are stored.
func (p payments) debits() (debits []watchpost.Debit) {
	for _, d := range p {
		debits = append(debits, d.Debit)
	}
	return debits
}

// takeBack removes the debits of an attempt, to be given back to the days that were
// debited, and returns them with the session actor that owns them; nil when there
// are none.
func (p *payments) takeBack(attempt int) (debits []watchpost.Debit, owner *actor.PID) {
	*p = slices.DeleteFunc(*p, func(d paid) bool {
		if d.Attempt == attempt {
			debits, owner = append(debits, d.Debit), d.session
		}
		return d.Attempt == attempt
	})
	return debits, owner
}

// decide takes over a new state and hands it to the team.
func (t *task) decide(next watchpost.Task, c taskChange, then func(error)) {
	t.decideIn(decided{onCommitted: then}, next, c)
}

// decideIn is decide as a part of a decision.
func (t *task) decideIn(d decided, next watchpost.Task, c taskChange) {
	t.state = next
	t.endSpan()
	c.task = next
	if d.batch == nil {
		d.batch = &persistence.Batch{}
	}
	ended := next.State.Final()
	if ended && next.Type.Scan() { // no caller asks for it
		d.batch.Delete(teamspace.Key(teamspace.KeyTask, next.ID))
	} else {
		putTask(d.batch, &next)
	}
	refund, owner := t.debits.takeBack(c.refund)
	d.refund = refund
	if c.event == taskLeased || len(c.debited) > 0 || owner != nil {
		putOpen(d.batch, next.ID, t.debits.debits())
	}
	if ended {
		d.batch.Delete(teamspace.Key(teamspace.KeyOpen, next.ID))
		if next.Unknown() { // the truth may still give them back
			d.batch.Put(teamspace.Key(teamspace.KeyDebits, next.ID), teamspace.Encode(t.debits.debits()))
		}
		then, env, team := d.onCommitted, t.env, t.team
		d.onCommitted = both(func(err error) {
			if err == nil {
				env.system.Root.Send(team, taskClosed{&next})
			}
		}, then)
	}
	d.task = &c
	t.submit(d, owner)
	if ended {
		event := string(next.State)
		if next.Failure != nil && next.Failure.Code == failDropped {
			event = "cancelled"
		}
		t.env.metrics.tasks.WithLabelValues(string(next.Type), event).Inc()
	}
	t.arm()
}

// submit sends a decision to the team, by way of the session actor that the last
// one passed, of the one that holds the lease, and of the one, if any, whose ledger
// it changes.
func (t *task) submit(d decided, owner *actor.PID) {
	for _, session := range []*actor.PID{t.last, t.session, owner} {
		if n := len(d.path); session != nil && (n == 0 || d.path[n-1] != session) {
			d.path = append(d.path, session)
		}
	}
	if len(d.path) == 0 {
		t.ctx.Send(t.team, d)
		return
	}
	t.last = d.path[len(d.path)-1]
	t.ctx.Send(d.path[0], d)
}

// answer sends what waits for all decisions of the task so far.
func (t *task) answer(then func(error)) { t.submit(decided{onCommitted: then}, nil) }

// pay notes a debit for an attempt.
func (t *task) pay(d watchpost.Debit, attempt int) []watchpost.Debit {
	if d.Action == watchpost.ActionNone {
		return nil
	}
	d.Attempt = attempt
	t.debits = append(t.debits, paid{d, t.session})
	return []watchpost.Debit{d}
}

// onCarryOver notes that the lease costs a unit of the period that has begun, too.
func (t *task) onCarryOver(m carryOver) {
	if t.state.Holds(m.lease) {
		t.decide(t.state, taskChange{event: taskActs, debited: t.pay(m.debit, t.state.Lease.Attempt)}, nil)
	}
}
