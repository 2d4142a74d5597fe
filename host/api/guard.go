package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/fault"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// guard stands before all that costs something: who may come in, how much they may send, and for how long.
type guard struct {
	next    http.Handler
	config  func() *config.Config
	secrets *Secrets
	errors  *connect.ErrorWriter
	running atomic.Int64 // requests being answered that are no streams of one output
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
	in := &body{ReadCloser: r.Body, rc: rc, deadlines: d, limit: cfg.Limits.BodyBytes, left: cfg.Limits.BodyBytes}
	if to.stream {
		in.left = -1
	}
	in.refused = in.left >= 0 && r.ContentLength > int64(in.limit)
	r = r.WithContext(ctx)
	r.Body = in
	if to.framed {
		r.Body = &ahead{bufio.NewReaderSize(in, aheadBytes), in}
	}
	out := &writer{ResponseWriter: w, rc: rc, deadlines: d, unary: !to.stream}
	done, err := g.admit(r, to, cfg)
	if err != nil {
		g.refuse(out, r, err)
		return
	}
	defer done()
	g.next.ServeHTTP(out, r)
}

// route is what the guard knows of a request by its path. The zero value is one message each way.
type route struct {
	stream bool // it may take longer than others and send more
	output bool // it brings one output, which is counted among the sessions
	shared bool // it brings many, which have limits of their own: it may be silent and last
	framed bool // its pieces come as small messages, each with a head
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

// deadlines bound a request that begins now.
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

// admit says whether a request is let in: whose it is, and whether there is room for it until done.
func (g *guard) admit(r *http.Request, to route, cfg *config.Config) (done func(), err error) {
	if public(r) || r.URL.Path == metricsPath && cfg.Metrics.Public {
		return func() {}, nil
	}
	by, ok := g.secrets.keys.find(r, cfg.Auth.Tokens, cfg.Auth.TokensFile != "")
	if !ok {
		return nil, &fault.Error{Code: fault.Unauthenticated, Message: "a bearer token is needed, and this is none that is let in",
			Remedy: "send the header Authorization: Bearer TOKEN with one of auth.tokens"}
	}
	recordOf(r.Context()).key = by
	if err := by.ask(time.Now(), cfg.Limits.KeyRate); err != nil {
		return nil, err
	}
	if to.output {
		return func() {}, nil // counted as a session
	}
	if running := g.running.Add(1); int(running) > cfg.Limits.Requests {
		g.running.Add(-1)
		return nil, &fault.Error{Code: fault.Unavailable, Message: fmt.Sprintf("%d requests are being answered already", cfg.Limits.Requests),
			Remedy: "try again later, or raise limits.requests"}
	}
	return func() { g.running.Add(-1) }, nil
}

// refuse answers with an error in the form that the client understands.
func (g *guard) refuse(w *writer, r *http.Request, err error) {
	recordOf(r.Context()).err = err
	switch fault.CodeOf(err) {
	case fault.Unauthenticated:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case fault.RateLimited:
		w.unary = false // its status is what connect makes of it
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

// public says whether a request is one of those that supervisors send, who have no token.
func public(r *http.Request) bool {
	return r.URL.Path == healthPath || r.URL.Path == readyPath || strings.HasPrefix(r.URL.Path, grpcHealthPath)
}

type interruptKey struct{}

// withInterrupt lets the handler of a stream end its reading and writing.
func withInterrupt(ctx context.Context, rc *http.ResponseController) context.Context {
	return context.WithValue(ctx, interruptKey{}, rc)
}

// interrupt ends the reading of a stream, which may be waiting for its client.
func interrupt(ctx context.Context) {
	if rc, ok := ctx.Value(interruptKey{}).(*http.ResponseController); ok {
		_ = rc.SetReadDeadline(time.Now()) // fails only when the stream is over
	}
}

// interruptWriting ends the writing of a stream, whose client may not be taking anything.
func interruptWriting(ctx context.Context) {
	if rc, ok := ctx.Value(interruptKey{}).(*http.ResponseController); ok {
		_ = rc.SetWriteDeadline(time.Now())
	}
}

// deadlines bound how long one read or write may take, and all reads together. The zero value bounds nothing.
type deadlines struct {
	idle time.Duration
	end  time.Time
}

func (d *deadlines) read() time.Time { return d.readSince(time.Now()) }

// readSince is when the client, which was last heard of then, must be heard of again.
func (d *deadlines) readSince(heard time.Time) time.Time {
	if d.idle == 0 {
		return time.Time{}
	}
	if t := heard.Add(d.idle); t.Before(d.end) {
		return t
	}
	return d.end
}

// lastWords is what a write has beyond the time in which the client must be heard of: on HTTP/2 the deadline of a write ends the
// stream even while nothing is written, and a busy daemon must still come to tell a client that fell silent why it is cut off.
const lastWords = 5 * time.Second

func (d *deadlines) write() time.Time {
	if d.idle == 0 {
		return time.Time{}
	}
	return time.Now().Add(d.idle + lastWords)
}

// passed says whether a deadline that was set must be replaced by the next. On HTTP/2 each costs a turn of the connection's
// goroutine, so small steps are saved: what is idle may end by a sixteenth of its time too soon.
func (d *deadlines) passed(set, next time.Time) bool {
	return next.Before(set) || next.Sub(set) > d.idle/16
}

// fault is what a client is told whose deadline has passed.
func (d *deadlines) fault() error {
	if !time.Now().Before(d.end) {
		return &fault.Error{Code: fault.TimedOut, Message: "the request took too long as a whole",
			Remedy: "raise limits.request_time, for streams limits.session_time"}
	}
	return &fault.Error{Code: fault.TimedOut, Message: fmt.Sprintf("nothing was sent for %v", d.idle),
		Remedy: "close the stream when the output ends, or raise limits.session_idle"}
}

// body is the body of a request, within its limits. Its errors are connect's, which connect passes on as they are.
type body struct {
	io.ReadCloser
	rc        *http.ResponseController
	deadlines *deadlines
	limit     int
	left      int       // bytes that may still come; negative: any number
	refused   bool      // the header says that more will come
	set       time.Time // the deadline
}

func (b *body) Read(p []byte) (int, error) {
	if b.refused {
		return 0, b.tooLarge()
	}
	if next := b.deadlines.read(); b.deadlines.passed(b.set, next) {
		// A connection that knows no deadlines, as in tests without a network, has none.
		_ = b.rc.SetReadDeadline(next)
		b.set = next
		if b.left < 0 { // streams may be silent while they are heard of, so the deadline of the next write goes along
			_ = b.rc.SetWriteDeadline(b.deadlines.write())
		}
	}
	if b.left >= 0 && len(p) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left >= 0 {
		if b.left -= n; b.left < 0 {
			b.refused = true
			return 0, b.tooLarge()
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		_ = b.rc.SetReadDeadline(time.Time{})
		b.set = time.Time{}
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = failure(b.deadlines.fault())
	}
	return n, err
}

func (b *body) tooLarge() error {
	return failure(&fault.Error{Code: fault.LimitExceeded, Message: fmt.Sprintf("the body has more than %d bytes", b.limit),
		Remedy: "send less at once, or raise limits.body_bytes"})
}

// ahead is the body of a stream, of which more is read at once than a message's head: each read of an HTTP/2 body costs a turn
// of the connection's goroutine.
type ahead struct {
	*bufio.Reader
	io.Closer
}

// aheadBytes is how much of a stream is read at once. A piece of an output is a few bytes.
const aheadBytes = 512

// writer is the answer to a request, within its deadlines.
type writer struct {
	http.ResponseWriter
	rc        *http.ResponseController
	deadlines *deadlines
	unary     bool
	set       time.Time // the deadline
}

// WriteHeader spells as the client's fault what is, and says why where connect answers with a status alone.
func (w *writer) WriteHeader(status int) {
	switch {
	case w.unary && status == http.StatusTooManyRequests:
		status = http.StatusRequestEntityTooLarge
	case w.unary && status == http.StatusNotImplemented: // a compression that is not known; the body says so
		w.ResponseWriter.WriteHeader(http.StatusUnsupportedMediaType)
		return
	case status == http.StatusUnsupportedMediaType:
		w.explain(status, "the Content-Type is none that is understood", "send one of "+w.Header().Get("Accept-Post")+"; streams of lines go to "+linesPath)
		return
	case status == http.StatusMethodNotAllowed:
		w.explain(status, "methods are called with POST", "send the message as the body of a POST")
		return
	case status == http.StatusHTTPVersionNotSupported:
		w.explain(status, "streams of both directions need HTTP/2", "speak HTTP/2, or send lines of JSON to "+linesPath)
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) explain(status int, message, remedy string) {
	body, _ := jsonCodec{}.Marshal(&dragomanv1.ParseStreamResponse{Error: chatapi.EncodeError(&fault.Error{Code: fault.InvalidArgument, Message: message, Remedy: remedy})})
	w.Header().Set("Content-Type", "application/json")
	w.ResponseWriter.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // fails only when the client is gone
}

// Write gives the client time to take what is written.
func (w *writer) Write(p []byte) (int, error) {
	w.patient()
	return w.ResponseWriter.Write(p)
}

// Flush sends what was written.
func (w *writer) Flush() {
	w.patient()
	_ = w.rc.Flush() // the next write tells when the client is gone
}

// patient sets the deadline of the next write.
func (w *writer) patient() {
	if next := w.deadlines.write(); w.deadlines.passed(w.set, next) {
		_ = w.rc.SetWriteDeadline(next)
		w.set = next
	}
}

// Unwrap lets http.ResponseController find what is below.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
