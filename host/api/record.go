package api

import (
	"context"
	"crypto/rand"
	"net/http"
	"strconv"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// record is what is noted of a request while it is answered, for the log, the metrics and the trace. It is used by the one
// goroutine that works on the request.
type record struct {
	id       string
	output   string // the number of one of many outputs of a request; empty: the request itself
	method   string // one of a fixed set
	template string
	handler  string
	status   string // of the report
	key      *key   // whose token came with it; nil: none was asked for
	reached  bool   // a method of ours was called; before, only the client can be at fault
	err      error  // what it was answered with, where the surface knows

	// parts begins the record of a part of the request that is told of by itself; nil, as in tests: nobody is told.
	parts func(ctx context.Context, part *record) (_ context.Context, told func())
}

type recordKey struct{}

// recordOf is the record of the request that a context belongs to; a new one where there is none, as in tests.
func recordOf(ctx context.Context) *record {
	if r, ok := ctx.Value(recordKey{}).(*record); ok {
		return r
	}
	return new(record)
}

// part begins the record of one of many outputs of a request. told is called when it has ended.
func (r *record) part(ctx context.Context, method, output string) (_ context.Context, part *record, told func()) {
	part = &record{id: r.id, output: output, method: method, key: r.key}
	told = func() {}
	if r.parts != nil {
		ctx, told = r.parts(ctx, part)
	}
	return context.WithValue(ctx, recordKey{}, part), part, told
}

// maxNoted bounds what is noted of a text that a client chose.
const maxNoted = 200

func (r *record) noteTemplate(name string) { r.template = name[:min(len(name), maxNoted)] }

// noteReport notes how an output ended; nil says nothing.
func (r *record) noteReport(report *chat.Report) {
	if report != nil {
		r.status = string(report.Status)
	}
}

// code is how the answer is counted: "ok", or the code of the error. Errors that connect makes itself, of a body that is no
// message, are seen in the answer only.
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

// codeOfAnswer is the code that an answer was given, as far as it can be seen.
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

// noted lets handlers of streams note how a stream ended. It is told to the client within the body, in the protocol's own
// way, where code does not look.
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

// requestID is the id that a client or a proxy gave a request, or a new one.
func requestID(r *http.Request) string {
	id := r.Header.Get(requestIDHeader)
	plain := func(c rune) bool { return c > ' ' && c < 0x7f && c != '"' && c != '\\' }
	if id != "" && len(id) <= 128 && strings.IndexFunc(id, func(c rune) bool { return !plain(c) }) < 0 {
		return id
	}
	return rand.Text()
}

const requestIDHeader = "X-Request-Id"

// outputMethod is what an output is called that shares its stream with others.
const outputMethod = dragomanv1connect.ChatServiceName + "/ParseStreams/output"

// otherMethod stands for paths that are nothing, of which there is no end.
const otherMethod = "other"

// methodNames says, by path, what requests are called in log, metrics and traces.
func methodNames() map[string]string {
	names := map[string]string{}
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
			continue // the registry holds what the generated code put in
		}
		methods := d.(protoreflect.ServiceDescriptor).Methods()
		for i := range methods.Len() {
			name := service + "/" + string(methods.Get(i).Name())
			names["/"+name] = name
		}
	}
	return names
}
