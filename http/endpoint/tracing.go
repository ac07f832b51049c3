package endpoint

import (
	"context"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// startSpan begins the span of a request, below the one that its caller names, and puts
// it into the request, which may be forwarded to another node. Connections of sessions
// and the questions of machines are not traced.
func startSpan(tracer trace.Tracer, r *http.Request) (context.Context, trace.Span) {
	path := r.URL.Path
	if tracer == nil || strings.HasPrefix(path, "/extension/") || path == "/healthz" || path == "/readyz" || path == "/metrics" {
		return r.Context(), nil
	}
	header := propagation.HeaderCarrier(r.Header)
	ctx, span := tracer.Start(propagation.TraceContext{}.Extract(r.Context(), header), r.Method, trace.WithSpanKind(trace.SpanKindServer))
	propagation.TraceContext{}.Inject(ctx, header)
	return ctx, span
}

// endSpan names the span by its route and ends it. It has no key, text or address of
// the request.
func (x *RequestState) endSpan(method string) {
	if x.span == nil {
		return
	}
	if x.route != nil && x.route.path != "" {
		x.span.SetName(method + " " + x.route.path)
		x.span.SetAttributes(attribute.String("http.route", x.route.path))
	}
	x.span.SetAttributes(attribute.String("http.request.method", method), attribute.Int("http.response.status_code", x.status),
		attribute.String("watchpost.request", x.ID), attribute.String("watchpost.team", string(x.Team)))
	if x.status >= http.StatusInternalServerError {
		x.span.SetStatus(codes.Error, http.StatusText(x.status))
	}
	x.span.End()
}

// observe counts the time of a request; a recorded span is its exemplar, so that a slow
// bucket of the histogram leads to a trace.
func (x *RequestState) observe(o prometheus.Observer, seconds float64) {
	if x.span != nil {
		if at := x.span.SpanContext(); at.IsSampled() {
			if e, ok := o.(prometheus.ExemplarObserver); ok {
				e.ObserveWithExemplar(seconds, prometheus.Labels{"trace_id": at.TraceID().String()})
				return
			}
		}
	}
	o.Observe(seconds)
}
