package actors

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"watchpost/actors/changefeed"
	"watchpost/actors/dispatch"
	"watchpost/actors/root"
	"watchpost/internal/tracing"
	"watchpost/persistence"
	"watchpost/persistence/teamspace"
	"watchpost/watchpost"
)

// paidDebits are what the hand-outs of a task have cost.
type paidDebits []watchpost.Debit

// pay notes a debit for an attempt, and returns what was noted.
func (p *paidDebits) pay(d watchpost.Debit, attempt int) []watchpost.Debit {
	if d.Action == watchpost.ActionNone {
		return nil
	}
	d.Attempt = attempt
	*p = append(*p, d)
	return []watchpost.Debit{d}
}

// takeBack removes the debits of an attempt, to be given back to the days that were
// debited, and returns them.
func (p *paidDebits) takeBack(attempt int) (debits []watchpost.Debit) {
	*p = slices.DeleteFunc(*p, func(d watchpost.Debit) bool {
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
			c.debited = append(c.debited, t.debits.pay(d, l.Attempt)...)
		}
	}
	before := t.state
	t.state = next
	t.span.end(&t.state)
	d := decided{batch: &persistence.Batch{}, onCommitted: then}
	noteWaiting(d.batch, &before, &next)
	ended := next.State.Final()
	if ended && next.Type.Scan() { // no caller asks for it
		d.batch.Delete(teamspace.Key(teamspace.KeyTask, next.ID))
	} else {
		putTask(d.batch, &next)
	}
	c.refunded = t.debits.takeBack(c.refund)
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

// onCarryOver notes that the lease costs a unit of the period that has begun, too,
// unless a decision has noted that by now.
func (t *task) onCarryOver(m carryOver) {
	if !t.state.Holds(m.lease) {
		return
	}
	attempt := t.state.Lease.Attempt
	paid := func(d watchpost.Debit) bool { return d.Attempt == attempt && d.Period == m.debit.Period }
	if !slices.ContainsFunc(t.debits, paid) {
		t.decide(t.state, taskChange{event: taskStays, debited: t.debits.pay(m.debit, attempt)}, nil)
	}
}

// leaseSpan is the span of a lease; its Span is nil without one, or when the task is not
// traced. A restart loses the span, not the task.
type leaseSpan struct{ trace.Span }

// begin begins the span of the lease of next, below the request that created the task, and
// notes it in the lease, so that the session can put its own below. Tasks of no one's
// request, scans, have none.
func (s *leaseSpan) begin(tracer trace.Tracer, next *watchpost.Task, now time.Time) {
	if next.Trace == "" {
		return
	}
	ctx, span := tracer.Start(tracing.Under(context.Background(), next.Trace), "task "+string(next.Type), trace.WithAttributes(
		attribute.String("watchpost.task", string(next.ID)), attribute.Int("watchpost.attempt", next.Lease.Attempt),
		attribute.Float64("watchpost.waited_seconds", now.Sub(next.CreatedAt).Seconds())))
	if s.Span != nil {
		s.End() // of a lease that another one follows at once
	}
	next.Lease.Trace, s.Span = tracing.Of(ctx), span
}

// end ends the span when the lease of the task is over.
func (s *leaseSpan) end(state *watchpost.Task) {
	if s.Span == nil || state.Lease != nil {
		return
	}
	s.SetAttributes(attribute.String("watchpost.state", string(state.State)))
	if f := state.Failure; f != nil {
		s.SetStatus(codes.Error, f.Code)
	}
	s.End()
	s.Span = nil
}
