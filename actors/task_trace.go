package actors

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"watchpost/internal/tracing"
	"watchpost/watchpost"
)

// beginSpan begins the span of a lease, below the request that created the task, and
// notes it in the lease, so that the session can put its own below. Tasks of no one's
// request, scans, have none. A restart loses the span, not the task.
func (t *task) beginSpan(next *watchpost.Task) {
	if next.Trace == "" {
		return
	}
	ctx, span := t.env.tracer.Start(tracing.Under(context.Background(), next.Trace), "task "+string(next.Type), trace.WithAttributes(
		attribute.String("watchpost.task", string(next.ID)), attribute.Int("watchpost.attempt", next.Lease.Attempt),
		attribute.Float64("watchpost.waited_seconds", t.env.Clock.Now().Sub(next.CreatedAt).Seconds())))
	if t.span != nil {
		t.span.End() // of a lease that another one follows at once
	}
	next.Lease.Trace, t.span = tracing.Of(ctx), span
}

// endSpan ends the span when its lease is over.
func (t *task) endSpan() {
	if t.span == nil || t.state.Lease != nil {
		return
	}
	t.span.SetAttributes(attribute.String("watchpost.state", string(t.state.State)))
	if f := t.state.Failure; f != nil {
		t.span.SetStatus(codes.Error, f.Code)
	}
	t.span.End()
	t.span = nil
}
