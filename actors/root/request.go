package root

import (
	"context"

	"watchpost/internal/tracing"
	"watchpost/watchpost"
)

// Request is a message to a root actor that is answered with an R or an error.
type Request[R any] interface{ AnsweredWith(R) }

// Done answers requests that have nothing to tell.
type Done struct{}

// Ask sends a request to a root actor, with the origin of its context, and waits for
// its reply. When ctx ends first, or the actor fails meanwhile, the error is Unavailable
// and it is not known whether the request was carried out.
func Ask[R any](ctx context.Context, r *Registry, name string, request Request[R]) (R, error) {
	return Call[R](ctx, r, name, Originating(ctx, request))
}

// WithOrigin returns a context whose requests to a team are audited as coming from
// there. Requests without an origin come from the service itself.
func WithOrigin(ctx context.Context, from watchpost.Origin) context.Context {
	return context.WithValue(ctx, originKey{}, from)
}

// OriginOf returns the origin of a context, and whether it has one.
func OriginOf(ctx context.Context) (from watchpost.Origin, known bool) {
	from, known = ctx.Value(originKey{}).(watchpost.Origin)
	return from, known
}

type originKey struct{}

// Originated is a request with its origin; answered as the request.
type Originated struct {
	From    watchpost.Origin
	Trace   string // of the span that it belongs to; "": it is not traced
	Request any
}

// Originating returns the message for a request under a context.
func Originating(ctx context.Context, request any) any {
	from, known := OriginOf(ctx)
	if trace := tracing.Of(ctx); known || trace != "" {
		return Originated{from, trace, request}
	}
	return request
}
