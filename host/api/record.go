package api

import (
	"context"
	"crypto/rand"
	"net/http"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// record collects what log, metrics and trace report of a request. It is used by one goroutine at a time.
type record struct {
	id       string
	output   string // the number of one of many outputs; "" for the request itself
	method   string // one of a fixed set
	template string
	handler  string
	status   string // of the report
	key      *key   // of its bearer token; nil if none is required
	answers  bool   // a model does, whose tokens count for the limits of the key
	reached  bool   // a method was called; errors before that are the client's
	err      error  // the answer, if it is a known error

	promptTokens, completionTokens int // as the engine counts them
	firstToken, overhead           time.Duration
	shared                         *float64 // see Facts

	// parts starts the report of a part of the request; nil in tests.
	parts func(ctx context.Context, part *record) (_ context.Context, told func())
}

type recordKey struct{}

// recordOf returns the record of the request that a context belongs to, or a new one, as in tests.
func recordOf(ctx context.Context) *record {
	if r, ok := ctx.Value(recordKey{}).(*record); ok {
		return r
	}
	return new(record)
}

// part starts the record of one of many outputs of a request. The caller calls told when it has ended.
func (r *record) part(ctx context.Context, method, output string) (_ context.Context, part *record, told func()) {
	part = &record{id: r.id, output: output, method: method, key: r.key}
	told = func() {}
	if r.parts != nil {
		ctx, told = r.parts(ctx, part)
	}
	return context.WithValue(ctx, recordKey{}, part), part, told
}

// maxNoted limits the length of texts chosen by clients.
const maxNoted = 200

func (r *record) noteTemplate(name string) { r.template = name[:min(len(name), maxNoted)] }

// noteReport records how an output ended. The report may be nil.
func (r *record) noteReport(report *chat.Report) {
	if report != nil {
		r.status = string(report.Status)
	}
}

// code returns the code of the answer: "ok" or that of the error. Errors that connect creates itself, for invalid bodies, are
// visible in the answer only.
func (r *record) code(status int, header http.Header) string {
	if r.err != nil {
		return string(asFault(r.err).Code)
	}
	code := codeOfAnswer(status, header)
	if code == fault.Internal && !r.reached {
		code = fault.InvalidArgument
	}
	return string(code)
}

// codeOfAnswer derives the code from the status of an answer.
func codeOfAnswer(status int, header http.Header) fault.Code {
	for _, name := range []string{"Grpc-Status", http.TrailerPrefix + "Grpc-Status"} {
		if rpc := header.Get(name); rpc != "" && rpc != "0" {
			number, _ := strconv.ParseUint(rpc, 10, 32) // we wrote it
			return fault.OfRPC(uint32(number))
		}
	}
	if status < http.StatusBadRequest {
		return "ok"
	}
	return fault.OfHTTP(status)
}

// noted is an interceptor that records the error of a stream, which the client receives within the body, where code does not look.
var noted = connect.WithInterceptors(streamNotes{})

type streamNotes struct{}

func (streamNotes) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc { return next }

func (streamNotes) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (streamNotes) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, stream connect.StreamingHandlerConn) error {
		rec := recordOf(ctx)
		rec.reached = true
		err := next(ctx, stream)
		rec.err = err
		return err
	}
}

// requestID returns the id that the client or a proxy chose, or a new one.
func requestID(r *http.Request) string {
	id := r.Header.Get(requestIDHeader)
	plain := func(c rune) bool { return c > ' ' && c < 0x7f && c != '"' && c != '\\' }
	if id != "" && len(id) <= 128 && strings.IndexFunc(id, func(c rune) bool { return !plain(c) }) < 0 {
		return id
	}
	return rand.Text()
}

const requestIDHeader = "X-Request-Id"

// outputMethod is the method name of an output of a shared stream.
const outputMethod = dragomanv1connect.ChatServiceName + "/ParseStreams/output"

// otherMethod replaces unknown paths, whose number is unbounded.
const otherMethod = "other"

// methodNames returns the names of methods in log, metrics and traces, by path.
func methodNames(others endpoints) map[string]string {
	names := map[string]string{}
	for _, e := range others {
		names[e.Path] = e.Path
	}
	for _, path := range []string{linesPath, healthPath, readyPath, metricsPath} {
		names[path] = path
	}
	for _, name := range []string{"grpc.health.v1.Health/Check", "grpc.health.v1.Health/Watch",
		"grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"} {
		names["/"+name] = name
	}
	for _, service := range services {
		d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
		if err != nil {
			continue // impossible: the generated code registers them
		}
		methods := d.(protoreflect.ServiceDescriptor).Methods()
		for i := range methods.Len() {
			name := service + "/" + string(methods.Get(i).Name())
			names["/"+name] = name
		}
	}
	return names
}
