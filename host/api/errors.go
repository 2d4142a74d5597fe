package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode/utf8"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// The codes that only the surface has.
const (
	// unauthenticated: the bearer token is missing or unknown.
	unauthenticated host.Code = "unauthenticated"
	// rateLimited: the bearer token has used up what it may; trying again soon can help.
	rateLimited host.Code = "rate_limited"
	// timedOut: the client, or what it asked for, took longer than a limit allows.
	timedOut host.Code = "timed_out"
	// canceled: the client went away.
	canceled host.Code = "canceled"
)

// codes says how each code is spelled. What is too large is 413 in HTTP, where connect would write 429: to try again is no help.
var codes = []struct {
	code host.Code
	rpc  connect.Code
	http int
}{
	{host.InvalidArgument, connect.CodeInvalidArgument, http.StatusBadRequest},
	{host.NotFound, connect.CodeNotFound, http.StatusNotFound},
	{host.LimitExceeded, connect.CodeResourceExhausted, http.StatusRequestEntityTooLarge},
	{host.OutputRefused, connect.CodeFailedPrecondition, http.StatusBadRequest},
	{host.Unavailable, connect.CodeUnavailable, http.StatusServiceUnavailable},
	{rateLimited, connect.CodeResourceExhausted, http.StatusTooManyRequests},
	{unauthenticated, connect.CodeUnauthenticated, http.StatusUnauthorized},
	{timedOut, connect.CodeDeadlineExceeded, http.StatusGatewayTimeout},
	{canceled, connect.CodeCanceled, 499},
	{host.Internal, connect.CodeInternal, http.StatusInternalServerError},
}

// hostError is err as package host would say it.
func hostError(err error) *host.Error {
	var known *host.Error
	var request *chat.RequestError
	var rpc *connect.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &request):
		return &host.Error{Code: host.InvalidArgument, Place: request.Path, Message: request.Message, Err: err}
	case errors.As(err, &rpc):
		return &host.Error{Code: codeOf(rpc.Code()), Message: rpc.Message(), Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &host.Error{Code: timedOut, Message: "it took too long", Remedy: "ask for less at once, or raise limits.request_time, for streams limits.session_time", Err: err}
	case errors.Is(err, context.Canceled):
		return &host.Error{Code: canceled, Message: "the client went away", Err: err}
	default:
		return &host.Error{Code: host.Internal, Message: err.Error(), Err: err}
	}
}

// rpcNumber is a code as gRPC writes it.
func rpcNumber(code connect.Code) string { return strconv.FormatUint(uint64(code), 10) }

// codeOf is the code that one of connect stands for.
func codeOf(rpc connect.Code) host.Code {
	for _, c := range codes {
		if c.rpc == rpc {
			return c.code
		}
	}
	return host.Internal
}

// What a client is told of an error at most, in bytes. It may repeat what the client has sent, and in gRPC it travels twice within
// a header, of which clients take as little as 8 KiB.
const (
	maxPlace   = 200
	maxMessage = 1500
	maxRemedy  = 1000
)

// brief is err as package host would say it, no longer than a client can take it.
func brief(err error) *host.Error {
	known := hostError(err)
	return &host.Error{Code: known.Code, Place: cut(known.Place, maxPlace), Message: cut(known.Message, maxMessage), Remedy: cut(known.Remedy, maxRemedy), Err: known.Err}
}

// cut shortens a text that is longer than n bytes, and makes it one that can be sent.
func cut(text string, n int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= n {
		return text
	}
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// describe is err as clients get it, and its HTTP status.
func describe(err error) (e *dragomanv1.Error, status int) {
	known := brief(err)
	e = &dragomanv1.Error{Code: string(known.Code), Place: known.Place, Message: known.Message, Remedy: known.Remedy}
	for _, c := range codes {
		if c.code == known.Code {
			return e, c.http
		}
	}
	return e, http.StatusInternalServerError
}

// failure is err as connect sends it: the message for people, and the Error as its detail.
func failure(err error) *connect.Error {
	known := brief(err)
	rpc := connect.CodeInternal
	for _, c := range codes {
		if c.code == known.Code {
			rpc = c.rpc
		}
	}
	out := connect.NewError(rpc, known)
	what, _ := describe(known)
	if detail, err := connect.NewErrorDetail(what); err == nil {
		out.AddDetail(detail)
	}
	return out
}

func invalid(place, message, remedy string) error {
	return &host.Error{Code: host.InvalidArgument, Place: place, Message: message, Remedy: remedy}
}

// faults keeps the daemon up and its log informed when a method fails by its own fault.
type faults struct{ logger *slog.Logger }

// told makes the errors of unary methods what clients are told.
func (f faults) told(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (res connect.AnyResponse, err error) {
		method := req.Spec().Procedure
		recordOf(ctx).reached = true
		defer func() {
			if value := recover(); value != nil {
				err = f.panicked(method, value)
				recordOf(ctx).err = err
				res, err = nil, failure(err)
			}
		}()
		if res, err = next(ctx, req); err == nil {
			return res, nil
		}
		err = unlessOver(ctx, err)
		recordOf(ctx).err = err
		f.log(method, err)
		return nil, failure(err)
	}
}

// unlessOver is the error of a request, or why the request is over: what notices first that nobody waits any longer may take it
// for a fault of what it was given. A limit that was reached, on the other hand, is why.
func unlessOver(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	switch hostError(err).Code {
	case host.InvalidArgument, host.Internal, canceled:
		if why := new(host.Error); errors.As(context.Cause(ctx), &why) {
			return why
		}
		return ctx.Err()
	default:
		return err
	}
}

// log logs an error that is the daemon's own fault.
func (f faults) log(method string, err error) {
	if err != nil && hostError(err).Code == host.Internal {
		f.logger.Error("a request failed", "method", method, "error", err)
	}
}

// kept does something of a stream, and logs what the daemon is to blame for. A panic is an error of it.
func (f faults) kept(method string, do func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = f.panicked(method, value)
		} else {
			f.log(method, err)
		}
	}()
	return do()
}

// panicked logs a panic, and is what the client is told of it.
func (f faults) panicked(method string, value any) error {
	f.logger.Error("a request panicked", "method", method, "panic", value, "stack", string(debug.Stack()))
	return &host.Error{Code: host.Internal, Message: "the daemon failed at this request",
		Remedy: "please report it, with the request and the daemon's log"}
}
