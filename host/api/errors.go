package api

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/fault"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// asFault converts err to a *fault.Error.
func asFault(err error) *fault.Error {
	var known *fault.Error
	var rpc *connect.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &rpc):
		return &fault.Error{Code: fault.OfRPC(uint32(rpc.Code())), Message: rpc.Message(), Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &fault.Error{Code: fault.TimedOut, Message: "the request took too long", Remedy: "ask for less at once, or raise limits.request_time, for streams limits.session_time", Err: err}
	case errors.Is(err, context.Canceled):
		return &fault.Error{Code: fault.Canceled, Message: "the client went away", Err: err}
	default:
		return &fault.Error{Code: fault.Internal, Message: err.Error(), Err: err}
	}
}

// Limits of the texts of an error, in bytes. They may repeat what the client sent, and gRPC sends them twice in a header, of which
// some clients accept as little as 8 KiB.
const (
	maxPlace   = 200
	maxMessage = 1500
	maxRemedy  = 1000
)

// brief returns err as a *fault.Error with texts no longer than a client accepts.
func brief(err error) *fault.Error {
	known := asFault(err)
	return &fault.Error{Code: known.Code, Place: cut(known.Place, maxPlace), Message: cut(known.Message, maxMessage), Remedy: cut(known.Remedy, maxRemedy), Err: known.Err}
}

// cut shortens a text to n bytes and replaces invalid UTF-8.
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

// describe returns the message for an error and its HTTP status.
func describe(err error) (e *dragomanv1.Error, status int) {
	known := brief(err)
	return chatapi.EncodeError(known), known.Code.HTTP()
}

// failure converts err to connect's error: the text for people, and an Error as its detail.
func failure(err error) *connect.Error {
	known := brief(err)
	out := connect.NewError(connect.Code(known.Code.RPC()), known)
	what, _ := describe(known)
	if detail, err := connect.NewErrorDetail(what); err == nil {
		out.AddDetail(detail)
	}
	return out
}

func invalid(place, message, remedy string) error {
	return &fault.Error{Code: fault.InvalidArgument, Place: place, Message: message, Remedy: remedy}
}

// faults recovers panics and logs internal errors.
type faults struct{ logger *slog.Logger }

// unary is an interceptor that converts the errors of unary methods for clients.
func (f faults) unary(next connect.UnaryFunc) connect.UnaryFunc {
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

// unlessOver returns the error of a request, or the reason why its context ended: code that is interrupted may report that as an
// invalid argument or an internal error. A limit that was reached remains the reason.
func unlessOver(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	switch asFault(err).Code {
	case fault.InvalidArgument, fault.Internal, fault.Canceled:
		if why := new(fault.Error); errors.As(context.Cause(ctx), &why) {
			return why
		}
		return ctx.Err()
	default:
		return err
	}
}

// log logs internal errors.
func (f faults) log(method string, err error) {
	if err != nil && asFault(err).Code == fault.Internal {
		f.logger.Error("a request failed", "method", method, "error", err)
	}
}

// run runs a part of a stream, converts panics to errors and logs internal ones.
func (f faults) run(method string, do func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = f.panicked(method, value)
		} else {
			f.log(method, err)
		}
	}()
	return do()
}

// panicked logs a panic and returns the error for the client.
func (f faults) panicked(method string, value any) error {
	f.logger.Error("a request panicked", "method", method, "panic", value, "stack", string(debug.Stack()))
	return &fault.Error{Code: fault.Internal, Message: "internal error",
		Remedy: "please report it, with the request and the daemon's log"}
}
