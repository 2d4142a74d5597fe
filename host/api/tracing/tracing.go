// Package tracing sends spans to an OpenTelemetry collector.
//
// Package api creates one span per request; this package exports them by OTLP over HTTP to the configured endpoint, in batches
// and asynchronously. If the collector does not answer, spans are lost and a warning is logged; requests are not affected. Nothing
// global is set: the provider belongs to one daemon.
//
// Words that must not be confused: a *trace* covers a whole request through all systems; a *span* is this daemon's part in it.
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

// name is the name of the tracer.
const name = "github.com/dragoman-project/dragoman"

// tracesPath is the path of the endpoint unless it has one.
const tracesPath = "/v1/traces"

// Start returns a tracer for a daemon of that version, and a function to call at its end, which sends the last spans. Without an
// endpoint both do nothing.
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
		sdktrace.WithBatcher(logged{exporter, log}),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(cfg.Sample))),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "dragoman"), attribute.String("service.version", version))),
	)
	return provider.Tracer(name), provider.Shutdown, nil
}

// logged is an exporter that logs its errors.
type logged struct {
	sdktrace.SpanExporter
	log *slog.Logger
}

// ExportSpans sends spans.
func (t logged) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := t.SpanExporter.ExportSpans(ctx, spans); err != nil {
		t.log.Warn("traces could not be sent", "spans", len(spans), "error", err)
	}
	return nil
}
