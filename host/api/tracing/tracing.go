// Package tracing sends what requests did, and how long it took, to a collector of OpenTelemetry traces.
//
// The surface makes one span of each request; this package only says where spans go: by OTLP over HTTP to the endpoint of the
// configuration, in batches, off the path of requests. A collector that does not answer costs spans and a line in the log,
// never a request. Nothing global is set: the provider belongs to one daemon.
//
// Words that must not be confused: a *trace* is everything that belongs to one request of somebody far away; a *span* is this
// daemon's part in it.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/dragoman-project/dragoman/host/config"
)

// name is what spans say made them.
const name = "github.com/dragoman-project/dragoman"

// tracesPath is where collectors take traces, unless the endpoint has a path.
const tracesPath = "/v1/traces"

// Start returns what makes spans for a daemon of that version, and what must be called at its end so that the last are sent.
// Without an endpoint both do nothing.
func Start(ctx context.Context, cfg config.Tracing, version string, log *slog.Logger) (trace.Tracer, func(context.Context) error, error) {
	if cfg.Endpoint == "" {
		return noop.NewTracerProvider().Tracer(name), func(context.Context) error { return nil }, nil
	}
	endpoint, err := url.Parse(cfg.Endpoint)
	if err != nil {
		return nil, nil, fmt.Errorf("tracing.endpoint: %w", err)
	}
	if strings.Trim(endpoint.Path, "/") == "" {
		endpoint.Path = tracesPath
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint.String()))
	if err != nil {
		return nil, nil, fmt.Errorf("tracing.endpoint: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(told{exporter, log}),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(cfg.Sample))),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "dragoman"), attribute.String("service.version", version))),
	)
	return provider.Tracer(name), provider.Shutdown, nil
}

// told is an exporter whose faults are told in the daemon's log.
type told struct {
	sdktrace.SpanExporter
	log *slog.Logger
}

// ExportSpans sends spans.
func (t told) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := t.SpanExporter.ExportSpans(ctx, spans); err != nil {
		t.log.Warn("traces could not be sent", "spans", len(spans), "error", err)
	}
	return nil
}
