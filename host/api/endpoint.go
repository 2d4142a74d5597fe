package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Endpoint is a path of plain HTTP that is served beside the services. It is guarded, limited and observed like them: keys and roles,
// the size of bodies, times, log, metrics and traces are not its business.
type Endpoint struct {
	// Method is that of HTTP; Path names the endpoint in log and metrics. One that ends in a slash covers all paths below it. A path
	// may have several methods.
	Method, Path string
	// Output marks an endpoint that delivers the output of a model: it counts as a session, and may take as long as one.
	Output bool
	// Public endpoints need no token.
	Public bool
	// TokenHeader is a header in which clients may send their token, too, as some APIs have it.
	TokenHeader string
	// Operator endpoints are for operators alone.
	Operator bool
	// Serve answers a request. An error that it returns before it has written anything is answered by Refuse.
	Serve func(w http.ResponseWriter, r *http.Request) error
	// Refuse answers with an error, in the words of the endpoint's API.
	Refuse func(w http.ResponseWriter, r *http.Request, err *fault.Error)
}

// Facts are what an endpoint adds to the log and the trace of a request.
type Facts struct {
	Template, Handler string
	Report            *chat.Report // of its output; nil: there is none
	// PromptTokens and CompletionTokens are those of its outputs, which count for the limits of the key where a model answers; 0: they are not known.
	PromptTokens, CompletionTokens int
	// FirstToken is how long the client has waited for the first piece of the output; 0: there was none.
	FirstToken time.Duration
	// Overhead is what the endpoint has taken until then, besides waiting for others.
	Overhead time.Duration
	// Shared is which share of the prompt the client had sent in an earlier turn of the conversation, 0 to 1; nil: this is its first.
	Shared *float64
}

// Note adds facts to the record of the request that a context belongs to.
func Note(ctx context.Context, f Facts) {
	rec := recordOf(ctx)
	if f.Template != "" {
		rec.noteTemplate(f.Template)
	}
	if f.Handler != "" {
		rec.handler = f.Handler
	}
	rec.noteReport(f.Report)
	rec.promptTokens += f.PromptTokens
	rec.completionTokens += f.CompletionTokens
	if rec.answers {
		rec.key.used(time.Now(), f.PromptTokens+f.CompletionTokens)
	}
	if f.FirstToken > 0 {
		rec.firstToken = f.FirstToken
	}
	if f.Overhead > 0 {
		rec.overhead = f.Overhead
	}
	if f.Shared != nil {
		rec.shared = f.Shared
	}
}

// Phase begins a part of the request that a context belongs to, which its trace shows, and returns the function that ends it.
func Phase(ctx context.Context, name string) (end func()) {
	_, span := trace.SpanFromContext(ctx).TracerProvider().Tracer("github.com/dragoman-project/dragoman/host/api").Start(ctx, name)
	return func() { span.End() }
}

// Received states that an endpoint has read the whole body of its request and keeps no more of it: its bytes no longer count.
func Received(ctx context.Context) { connectionOf(ctx).receivedWhole() }

type outputsKey struct{}

// Outputs counts n more outputs of the request that a context belongs to until release is called, unless they are too many.
func Outputs(ctx context.Context, n int) (release func(), err error) {
	admit, _ := ctx.Value(outputsKey{}).(func() (func(), error))
	var all []func()
	release = func() {
		for _, one := range all {
			one()
		}
	}
	for ; n > 0 && admit != nil; n-- {
		one, err := admit()
		if err != nil {
			release()
			return nil, err
		}
		all = append(all, one)
	}
	return release, nil
}

// endpoints finds the endpoint of a request.
type endpoints []Endpoint

// find returns the endpoint of a path: one with the method, or else with another one, which refuses it. For an unknown path it is nil.
func (all endpoints) find(r *http.Request) (found *Endpoint) {
	for i, e := range all {
		switch path := r.URL.Path; {
		case path != e.Path && !(strings.HasSuffix(e.Path, "/") && strings.HasPrefix(path, e.Path)):
		case e.Method == r.Method:
			return &all[i]
		case found == nil:
			found = &all[i]
		}
	}
	return found
}

// token returns the bearer token of a request; e may be nil.
func (e *Endpoint) token(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		return strings.TrimSpace(token)
	case e != nil && e.TokenHeader != "":
		return r.Header.Get(e.TokenHeader)
	}
	return ""
}

// Owner returns the name of the owner of the bearer token of the request that a context belongs to; "" where none is needed.
func Owner(ctx context.Context) string { return recordOf(ctx).key.called() }

// begunWriter records that something was written.
type begunWriter struct {
	http.ResponseWriter
	begun bool
}

func (w *begunWriter) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *begunWriter) Write(p []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(p)
}

// Flush sends what was written.
func (w *begunWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() } // the next write fails if the client is gone

// Unwrap returns the writer below, for http.ResponseController.
func (w *begunWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// handle returns a handler for an endpoint.
func (s *Server) handle(e *Endpoint, own faults) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rec := recordOf(r.Context())
		rec.reached = true
		out := &begunWriter{ResponseWriter: w}
		err := own.run(e.Path, func() error {
			if r.Method != e.Method {
				return &fault.Error{Code: fault.InvalidArgument, Message: "method not allowed, expected " + e.Method, Remedy: "send a " + e.Method}
			}
			ctx, release, err := s.counted(r.Context(), e)
			if err != nil {
				return err
			}
			defer release()
			return unlessOver(ctx, e.Serve(out, r.WithContext(ctx)))
		})
		rec.err = err
		if err != nil && !out.begun {
			advise(w, err)
			e.Refuse(out, r, brief(err))
		}
	}
}

// counted counts the output that an endpoint delivers, until release is called, and lets Outputs count more.
func (s *Server) counted(ctx context.Context, e *Endpoint) (_ context.Context, release func(), err error) {
	admit := func() (func(), error) { return s.chats.admit(ctx, s.config().Limits) }
	counting := context.WithValue(ctx, outputsKey{}, admit)
	if !e.Output {
		return counting, func() {}, nil
	}
	release, err = admit()
	return counting, release, err
}
