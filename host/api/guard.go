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
	last    context.Context // ends when what still runs is cut off
	config  func() *config.Config
	secrets *Secrets
	errors  *connect.ErrorWriter
	others  endpoints
	use     struct {
		requests  atomic.Int64 // in progress, except the following and streams of one output
		shared    atomic.Int64 // streams that outputs share
		operating atomic.Int64 // requests to what only operators may call
		bodies    atomic.Int64 // bytes, see body
	}
}

// maxOperating is how many requests of operators run at once. They have a gate of their own, so that clients cannot lock them out.
const maxOperating = 100

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	cfg := g.config()
	to := routeOf(r)
	to.endpoint = g.others.find(r)
	to.output = to.output || to.endpoint != nil && to.endpoint.Output
	rc := http.NewResponseController(w)
	d := to.deadlines(cfg.Limits)
	in := &body{ReadCloser: r.Body, rc: rc, limit: cfg.Limits.BodyBytes, left: cfg.Limits.BodyBytes}
	out := &writer{ResponseWriter: w, rc: rc, unary: !to.stream && to.endpoint == nil, later: to.turns}
	out.time = newWatchdog(d, func() { _ = rc.SetWriteDeadline(time.Now()) })
	if out.later {
		in.before = out.push
	}
	ctx, cancel := context.WithCancelCause(withConnection(r.Context(), &connection{rc, in, out}))
	defer cancel(nil)
	defer context.AfterFunc(g.last, func() {
		cancel(shuttingDown())
		interrupt(ctx)
	})()
	in.cause = func() error { return context.Cause(ctx) }
	if !d.end.IsZero() {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadline(ctx, d.end)
		defer stop()
	}
	in.time = newWatchdog(to.reading(d, cfg.Limits), func() { _ = rc.SetReadDeadline(time.Now()) })
	defer in.time.stop()
	defer in.taken()
	if to.stream {
		in.left = -1
	}
	in.refused = in.left >= 0 && r.ContentLength > int64(in.limit)
	r = r.WithContext(ctx)
	r.Body = in
	if to.framed {
		r.Body = &ahead{bufio.NewReaderSize(in, aheadBytes), in}
	}
	defer out.finish()
	defer in.leave()
	if to.endpoint != nil && openTo(out, r, to.endpoint, cfg.Listen.Origins) {
		return
	}
	done, err := g.admit(out.Header(), r, to, cfg)
	if err != nil {
		g.refuse(out, r, err)
		return
	}
	defer done()
	in.shares = g.shares(recordOf(ctx).key, cfg.Limits)
	admitted(ctx)
	g.next.ServeHTTP(out, r.WithContext(recordOf(ctx).key.context(ctx)))
}

// route is what the path of a request says about it. The zero value is a unary call.
type route struct {
	stream bool // may take longer and send more
	output bool // a single output, which counts as a session
	shared bool // many outputs, with limits of their own: the stream itself may be silent
	framed bool // small messages, each with a head
	turns  bool // reads and writes in turn: answers can wait until it reads

	endpoint *Endpoint // nil: a service's method
}

func routeOf(r *http.Request) route {
	switch path := r.URL.Path; {
	case path == linesPath:
		return route{stream: true, output: true, turns: true}
	case path == parseStreamPath:
		return route{stream: true, output: true, framed: true, turns: true}
	case path == parseStreamsPath:
		return route{stream: true, shared: true, framed: true}
	case path == watchRecordingsPath:
		return route{stream: true, shared: true}
	default:
		return route{stream: strings.HasPrefix(path, reflectionPath)}
	}
}

// deadlines returns the deadlines of a request that begins now.
func (to route) deadlines(limits config.Limits) *deadlines {
	switch {
	case to.shared:
		return new(deadlines)
	case to.stream, to.output:
		return &deadlines{idle: limits.SessionIdle, end: time.Now().Add(limits.SessionTime)}
	default:
		return &deadlines{idle: limits.RequestTime, end: time.Now().Add(limits.RequestTime)}
	}
}

// reading returns the deadlines for the body of a request that has these deadlines: an endpoint's body comes at once, whatever comes
// back.
func (to route) reading(whole *deadlines, limits config.Limits) *deadlines {
	if to.endpoint != nil {
		return route{}.deadlines(limits)
	}
	return whole
}

// forClients reports whether clients may call it.
func (to route) forClients(path string) bool {
	if to.endpoint != nil {
		return !to.endpoint.Operator
	}
	return forClients(path)
}

// admit authenticates a request and counts it until done is called. h are the headers of its answer.
func (g *guard) admit(h http.Header, r *http.Request, to route, cfg *config.Config) (done func(), err error) {
	if public(r) || to.endpoint != nil && to.endpoint.Public || r.URL.Path == metricsPath && cfg.Metrics.Public {
		return func() {}, notForeign(r, to, cfg.Listen)
	}
	by, ok := g.secrets.keys.find(to.endpoint.token(r), cfg.Auth)
	if !ok {
		return nil, &fault.Error{Code: fault.Unauthenticated, Message: "missing or unknown bearer token",
			Remedy: "send the header Authorization: Bearer TOKEN with one of auth.tokens, auth.client_tokens or auth.tokens_file"}
	}
	recordOf(r.Context()).key = by
	if err := notForeign(r, to, cfg.Listen); err != nil {
		return nil, err
	}
	if !by.allows(to.forClients(r.URL.Path)) {
		return nil, &fault.Error{Code: fault.PermissionDenied, Place: r.URL.Path, Message: "the token is a client's, and this is for operators",
			Remedy: "use a token of auth.tokens, or one of auth.tokens_file without role=client"}
	}
	if err := by.ask(time.Now(), cfg.Limits.KeyRate); err != nil {
		return nil, err
	}
	if to.endpoint != nil && to.endpoint.Output {
		recordOf(r.Context()).answers = true
		if err := by.askModel(time.Now(), cfg.Limits, h); err != nil {
			return nil, err
		}
	}
	return g.count(r.URL.Path, to, by, cfg.Limits)
}

// count counts a request until done is called, unless there are too many of its kind.
func (g *guard) count(path string, to route, by *key, limits config.Limits) (done func(), err error) {
	switch {
	case to.output:
		return func() {}, nil // counted as a session
	case !to.forClients(path):
		return one(&g.use.operating, maxOperating, &fault.Error{Code: fault.Unavailable,
			Message: fmt.Sprintf("too many requests of operators at once, at most %d are allowed", maxOperating), Remedy: "try again later"})
	case to.shared:
		return both(by.begin(limits.KeySessions))(one(&g.use.shared, limits.Sessions, &fault.Error{Code: fault.Unavailable,
			Message: fmt.Sprintf("too many shared streams at once, at most %d are allowed", limits.Sessions), Remedy: "try again later, or raise limits.sessions"}))
	default:
		return both(by.request(limits.KeyRequests))(one(&g.use.requests, limits.Requests, &fault.Error{Code: fault.Unavailable,
			Message: fmt.Sprintf("too many requests at once, at most %d are allowed", limits.Requests), Remedy: "try again later, or raise limits.requests"}))
	}
}

// one adds one to a count until done is called, or returns an error if that is too many.
func one(count *atomic.Int64, limit int, tooMany error) (done func(), err error) {
	if int(count.Add(1)) > limit {
		count.Add(-1)
		return nil, tooMany
	}
	return func() { count.Add(-1) }, nil
}

// both joins two counts: neither is kept if the other has an error.
func both(first func(), err error) func(func(), error) (func(), error) {
	return func(second func(), failed error) (func(), error) {
		switch {
		case err == nil && failed == nil:
			return func() { first(); second() }, nil
		case err == nil:
			first()
			return nil, failed
		case failed == nil:
			second()
		}
		return nil, err
	}
}

// shares returns the bytes of bodies that the requests of a key may still hold, and those of all keys together.
func (g *guard) shares(by *key, limits config.Limits) (all []share) {
	all = []share{{&g.use.bodies, max(limits.BodiesBytes, limits.BodyBytes), "limits.bodies_bytes"}}
	if by != nil {
		all = append(all, share{&by.bodies, max(limits.KeyBodiesBytes, limits.BodyBytes), "limits.key_bodies_bytes"})
	}
	return all
}

// refuse answers with an error in the client's protocol.
func (g *guard) refuse(w *writer, r *http.Request, err error) {
	recordOf(r.Context()).err = err
	advise(w, err)
	if fault.CodeOf(err) == fault.RateLimited {
		w.unary = false // keeps connect's status
	}
	if e := g.others.find(r); e != nil {
		e.Refuse(w, r, brief(err))
		return
	}
	if g.errors.IsSupported(r) {
		_ = g.errors.Write(w, r, failure(err)) // fails only when the client is gone
		return
	}
	writeError(w, err)
}

// advise sets the headers that say what to do about an error.
func advise(w http.ResponseWriter, err error) {
	switch fault.CodeOf(err) {
	case fault.Unauthenticated:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case fault.RateLimited, fault.Unavailable:
		w.Header().Set("Retry-After", retryAfter(err))
	}
}

// public reports whether a request needs no token because it is a health check.
func public(r *http.Request) bool {
	return r.URL.Path == healthPath || r.URL.Path == readyPath || strings.HasPrefix(r.URL.Path, grpcHealthPath)
}

type connectionKey struct{}

// connection is what a stream needs of its connection.
type connection struct {
	rc  *http.ResponseController
	in  *body
	out *writer
}

// withConnection returns a context with which interrupt, interruptWriting and connectionOf work.
func withConnection(ctx context.Context, c *connection) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// interrupt ends the reading of a stream, which may be blocked.
func interrupt(ctx context.Context) {
	if c, ok := ctx.Value(connectionKey{}).(*connection); ok {
		_ = c.rc.SetReadDeadline(time.Now()) // fails only when the stream is over
	}
}

// interruptWriting ends the writing of a stream, which may be blocked.
func interruptWriting(ctx context.Context) {
	if c, ok := ctx.Value(connectionKey{}).(*connection); ok {
		_ = c.rc.SetWriteDeadline(time.Now())
	}
}

// connectionOf returns the connection of a context, which in tests is nil.
func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}

// receivedWhole records that a message of a stream is complete: its bytes are no longer held.
func (c *connection) receivedWhole() {
	if c != nil {
		c.in.taken()
	}
}

// push sends what waits to be written.
func (c *connection) push() {
	if c != nil {
		c.out.push()
	}
}
