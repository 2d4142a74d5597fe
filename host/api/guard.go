package api

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// guard is the middleware that authenticates requests and limits their number, size and time.
type guard struct {
	next    http.Handler
	config  func() *config.Config
	secrets *Secrets
	errors  *connect.ErrorWriter
	running atomic.Int64 // requests in progress, except streams of one output
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	cfg := g.config()
	to := routeOf(r)
	rc := http.NewResponseController(w)
	d := to.deadlines(cfg.Limits)
	ctx := withInterrupt(r.Context(), rc)
	if !d.end.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, d.end)
		defer cancel()
	}
	in := &body{ReadCloser: r.Body, time: newWatchdog(d, func() { _ = rc.SetReadDeadline(time.Now()) }), limit: cfg.Limits.BodyBytes, left: cfg.Limits.BodyBytes}
	defer in.time.stop()
	if to.stream {
		in.left = -1
	}
	in.refused = in.left >= 0 && r.ContentLength > int64(in.limit)
	r = r.WithContext(ctx)
	r.Body = in
	if to.framed {
		r.Body = &ahead{bufio.NewReaderSize(in, aheadBytes), in}
	}
	out := &writer{ResponseWriter: w, rc: rc, time: newWatchdog(d, func() { _ = rc.SetWriteDeadline(time.Now()) }), unary: !to.stream}
	defer out.finish()
	done, err := g.admit(r, to, cfg)
	if err != nil {
		g.refuse(out, r, err)
		return
	}
	defer done()
	g.next.ServeHTTP(out, r.WithContext(recordOf(ctx).key.context(ctx)))
}

// route is what the path of a request says about it. The zero value is a unary call.
type route struct {
	stream bool // may take longer and send more
	output bool // a single output, which counts as a session
	shared bool // many outputs, with limits of their own: the stream itself may be silent
	framed bool // small messages, each with a head
}

func routeOf(r *http.Request) route {
	switch path := r.URL.Path; {
	case path == linesPath:
		return route{stream: true, output: true}
	case path == parseStreamPath:
		return route{stream: true, output: true, framed: true}
	case path == parseStreamsPath:
		return route{stream: true, shared: true, framed: true}
	default:
		return route{stream: strings.HasPrefix(path, reflectionPath)}
	}
}

// deadlines returns the deadlines of a request that begins now.
func (to route) deadlines(limits config.Limits) *deadlines {
	switch {
	case to.shared:
		return new(deadlines)
	case to.stream:
		return &deadlines{idle: limits.SessionIdle, end: time.Now().Add(limits.SessionTime)}
	default:
		return &deadlines{idle: limits.RequestTime, end: time.Now().Add(limits.RequestTime)}
	}
}

// admit authenticates a request and counts it until done is called.
func (g *guard) admit(r *http.Request, to route, cfg *config.Config) (done func(), err error) {
	if public(r) || r.URL.Path == metricsPath && cfg.Metrics.Public {
		return func() {}, notForeign(r, cfg.Listen)
	}
	by, ok := g.secrets.keys.find(r, cfg.Auth)
	if !ok {
		return nil, &fault.Error{Code: fault.Unauthenticated, Message: "missing or unknown bearer token",
			Remedy: "send the header Authorization: Bearer TOKEN with one of auth.tokens, auth.client_tokens or auth.tokens_file"}
	}
	recordOf(r.Context()).key = by
	if err := notForeign(r, cfg.Listen); err != nil {
		return nil, err
	}
	if !by.allows(r.URL.Path) {
		return nil, &fault.Error{Code: fault.PermissionDenied, Place: r.URL.Path, Message: "the token is a client's, and this is for operators",
			Remedy: "use a token of auth.tokens, or one of auth.tokens_file without role=client"}
	}
	if err := by.ask(time.Now(), cfg.Limits.KeyRate); err != nil {
		return nil, err
	}
	if to.output {
		return func() {}, nil // counted as a session
	}
	if running := g.running.Add(1); int(running) > cfg.Limits.Requests {
		g.running.Add(-1)
		return nil, &fault.Error{Code: fault.Unavailable, Message: fmt.Sprintf("too many requests at once, at most %d are allowed", cfg.Limits.Requests),
			Remedy: "try again later, or raise limits.requests"}
	}
	return func() { g.running.Add(-1) }, nil
}

// refuse answers with an error in the client's protocol.
func (g *guard) refuse(w *writer, r *http.Request, err error) {
	recordOf(r.Context()).err = err
	switch fault.CodeOf(err) {
	case fault.Unauthenticated:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case fault.RateLimited:
		w.unary = false // keeps connect's status
		w.Header().Set("Retry-After", "1")
	case fault.Unavailable:
		w.Header().Set("Retry-After", "1")
	}
	if g.errors.IsSupported(r) {
		_ = g.errors.Write(w, r, failure(err)) // fails only when the client is gone
		return
	}
	writeError(w, err)
}

// public reports whether a request needs no token because it is a health check.
func public(r *http.Request) bool {
	return r.URL.Path == healthPath || r.URL.Path == readyPath || strings.HasPrefix(r.URL.Path, grpcHealthPath)
}

type interruptKey struct{}

// withInterrupt returns a context with which interrupt and interruptWriting work.
func withInterrupt(ctx context.Context, rc *http.ResponseController) context.Context {
	return context.WithValue(ctx, interruptKey{}, rc)
}

// interrupt ends the reading of a stream, which may be blocked.
func interrupt(ctx context.Context) {
	if rc, ok := ctx.Value(interruptKey{}).(*http.ResponseController); ok {
		_ = rc.SetReadDeadline(time.Now()) // fails only when the stream is over
	}
}

// interruptWriting ends the writing of a stream, which may be blocked.
func interruptWriting(ctx context.Context) {
	if rc, ok := ctx.Value(interruptKey{}).(*http.ResponseController); ok {
		_ = rc.SetWriteDeadline(time.Now())
	}
}
