// Package tracing exports spans to an OpenTelemetry collector, and carries their
// context as text: in messages, stored tasks and frames of sessions.
//
// A request's span is the parent of a span for each lease of the tasks that it has
// created, which is the parent of the session's span of that work, which is the parent
// of the session's requests to the network.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// scope names the spans of this program.
const scope = "watchpost"

// Off is the tracer that records nothing.
var Off trace.Tracer = noop.NewTracerProvider().Tracer(scope)

// Tracing is the export of a process's spans.
type Tracing struct {
	trace.Tracer
	provider *sdk.TracerProvider // nil: off
}

// Open begins the export to a collector (OTLP over HTTP; without a path, to
// /v1/traces). An empty endpoint turns it off. A collector that does not answer costs
// spans, which the log says, and nothing else.
func Open(ctx context.Context, endpoint, service, version string, log *slog.Logger) (*Tracing, error) {
	if endpoint == "" {
		return &Tracing{Tracer: Off}, nil
	}
	address, err := url.Parse(endpoint)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, fmt.Errorf("--otlp-endpoint %s: want an address as http://127.0.0.1:4318", endpoint)
	}
	if address.Path == "" || address.Path == "/" {
		address.Path = "/v1/traces"
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("spans are lost", "error", err) }))
	client, err := newCollector(address.String())
	if err != nil {
		return nil, fmt.Errorf("--otlp-endpoint: %w", err)
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("--otlp-endpoint: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(resource.NewSchemaless(
		attribute.String("service.name", service), attribute.String("service.version", version))))
	return &Tracing{Tracer: provider.Tracer(scope), provider: provider}, nil
}

// Close exports the last spans, until ctx ends.
func (t *Tracing) Close(ctx context.Context) error {
	if t == nil || t.provider == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// header is the name under which the W3C's format carries a context.
const header = "traceparent"

// Of returns the context's span as text, or "" when there is none or it is not recorded.
func Of(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[header]
}

// Under returns a context whose spans are below the span of a text from Of. Any other
// text changes nothing.
func Under(ctx context.Context, parent string) context.Context {
	if parent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{header: parent})
}
