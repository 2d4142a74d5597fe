package api

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/dragoman-project/dragoman/host/api/metrics"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// observe is the outermost middleware. It reports each request as a line in the log, a count and a span.
type observe struct {
	next    http.Handler
	config  func() *config.Config
	log     *slog.Logger
	metrics *metrics.Metrics
	tracer  trace.Tracer
	methods map[string]string // by path
	others  endpoints
}

func (o *observe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun := time.Now()
	rec := &record{id: requestID(r), method: o.methods[r.URL.Path]}
	if e := o.others.find(r); e != nil {
		rec.method = e.Path
	}
	if rec.method == "" {
		rec.method = otherMethod
	}
	spoken(r.Context())
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := o.tracer.Start(ctx, rec.method, trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(begun))
	rec.parts = func(ctx context.Context, part *record) (context.Context, func()) {
		begun := time.Now()
		ctx, span := o.tracer.Start(ctx, part.method, trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(begun))
		return ctx, func() { o.report(r, part, span, part.code(http.StatusOK, nil), time.Since(begun)) }
	}
	w.Header().Set(requestIDHeader, rec.id)
	out := &statusWriter{ResponseWriter: w}
	whole := false
	defer func() {
		if !whole { // a panic
			rec.err = &fault.Error{Code: fault.Internal}
		}
		o.report(r, rec, span, rec.code(out.status, w.Header()), time.Since(begun))
	}()
	o.next.ServeHTTP(out, r.WithContext(context.WithValue(ctx, recordKey{}, rec)))
	whole = true
}

// traced returns ctx with the trace of a part of a request, if traceparent names one.
func traced(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": traceparent})
}

// report logs, counts and traces a request that was answered.
func (o *observe) report(r *http.Request, rec *record, span trace.Span, code string, took time.Duration) {
	o.metrics.Answered(rec.method, code, took)
	if rec.overhead > 0 {
		o.metrics.Overhead(rec.method, rec.overhead)
	}
	if rec.shared != nil {
		o.metrics.Shared(rec.method, *rec.shared)
	}
	endSpan(r, rec, span, code)
	level := slog.LevelInfo
	if rec.method == metricsPath || public(r) {
		level = slog.LevelDebug // sent every few seconds
	}
	wanted := o.config().Log.Access
	if wanted == "none" || wanted == "failed" && code == "ok" || !o.log.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", rec.method), slog.String("code", code), slog.Float64("duration", took.Seconds()),
		slog.String("peer", r.RemoteAddr), slog.String("request_id", rec.id),
	}
	for _, a := range []struct{ key, value string }{{"output", rec.output}, {"template", rec.template}, {"handler", rec.handler}, {"status", rec.status}, {"key", rec.key.called()}} {
		if a.value != "" {
			attrs = append(attrs, slog.String(a.key, a.value))
		}
	}
	for _, a := range []struct {
		key string
		n   int
	}{{"prompt_tokens", rec.promptTokens}, {"completion_tokens", rec.completionTokens}} {
		if a.n > 0 {
			attrs = append(attrs, slog.Int(a.key, a.n))
		}
	}
	for _, a := range []struct {
		key string
		d   time.Duration
	}{{"first_token", rec.firstToken}, {"overhead", rec.overhead}} {
		if a.d > 0 {
			attrs = append(attrs, slog.Float64(a.key, a.d.Seconds()))
		}
	}
	if rec.shared != nil {
		attrs = append(attrs, slog.Float64("shared_prefix", *rec.shared))
	}
	if s := span.SpanContext(); s.IsValid() {
		attrs = append(attrs, slog.String("trace_id", s.TraceID().String()))
	}
	if rec.err != nil {
		attrs = append(attrs, slog.String("error", brief(rec.err).Error()))
	}
	o.log.LogAttrs(r.Context(), level, "request", attrs...)
}

// endSpan completes the span of a request.
func endSpan(r *http.Request, rec *record, span trace.Span, code string) {
	if !span.IsRecording() {
		return
	}
	service, method, isRPC := strings.Cut(strings.TrimPrefix(rec.method, "/"), "/")
	if isRPC && !strings.HasPrefix(rec.method, "/") {
		span.SetAttributes(attribute.String("rpc.system", rpcSystem(r)), attribute.String("rpc.service", service), attribute.String("rpc.method", method))
	}
	span.SetAttributes(
		attribute.String("dragoman.code", code), attribute.String("dragoman.template", rec.template), attribute.String("dragoman.handler", rec.handler),
		attribute.String("dragoman.status", rec.status), attribute.String("dragoman.request_id", rec.id), attribute.String("network.peer.address", r.RemoteAddr),
	)
	if rec.promptTokens > 0 {
		span.SetAttributes(attribute.Int("dragoman.prompt_tokens", rec.promptTokens), attribute.Int("dragoman.completion_tokens", rec.completionTokens))
	}
	if rec.firstToken > 0 {
		span.SetAttributes(attribute.Float64("dragoman.first_token", rec.firstToken.Seconds()))
	}
	if code == string(fault.Internal) || code == string(fault.Unavailable) {
		span.SetStatus(otelcodes.Error, code)
	}
	span.End()
}

// rpcSystem returns the protocol of a request, as OpenTelemetry names it.
func rpcSystem(r *http.Request) string {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		return "grpc"
	}
	return "connect_rpc"
}

// statusWriter records the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader records the first final status.
func (w *statusWriter) WriteHeader(status int) {
	if w.status < http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Flush sends what was written.
func (w *statusWriter) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // the next write fails if the client is gone
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
