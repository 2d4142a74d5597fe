package fault

// Code is the kind of an error. Codes are part of the API: they are added, and never renamed.
type Code string

// The codes.
const (
	// InvalidArgument: the request can never work as it is; Place says where.
	InvalidArgument Code = "invalid_argument"
	// NotFound: there is no template of that name.
	NotFound Code = "not_found"
	// LimitExceeded: a configured limit was reached: of a body, an output, the sessions, a rendering.
	LimitExceeded Code = "limit_exceeded"
	// OutputRefused: a policy of the request turns what the model wrote into an error; sampling again can help.
	OutputRefused Code = "output_refused"
	// Unavailable: a plugin or the daemon does not answer; trying again later can help.
	Unavailable Code = "unavailable"
	// RateLimited: the bearer token has used up its rate; trying again soon can help.
	RateLimited Code = "rate_limited"
	// Unauthenticated: the bearer token is missing or unknown.
	Unauthenticated Code = "unauthenticated"
	// PermissionDenied: the role of the bearer token does not allow the call, or a web page of another host makes it.
	PermissionDenied Code = "permission_denied"
	// TimedOut: the client, or what it asked for, took longer than a limit allows.
	TimedOut Code = "timed_out"
	// Canceled: the client went away, or cancelled the call.
	Canceled Code = "canceled"
	// Internal: a fault of the daemon or of a plugin.
	Internal Code = "internal"
)

// protocols maps each code to its status in HTTP and its number in gRPC and Connect. Where several codes share a number, the first
// one is what the number alone stands for. The numbers are written out because handlers import this package, and should not pull
// in net/http.
var protocols = []struct {
	code Code
	http int
	rpc  uint32
}{
	{InvalidArgument, 400, 3},
	{NotFound, 404, 5},
	{LimitExceeded, 413, 8}, // Connect writes 429 for RESOURCE_EXHAUSTED, but trying again does not help
	{OutputRefused, 400, 9}, // FAILED_PRECONDITION
	{Unavailable, 503, 14},
	{RateLimited, 429, 8}, // RESOURCE_EXHAUSTED
	{Unauthenticated, 401, 16},
	{PermissionDenied, 403, 7},
	{TimedOut, 504, 4}, // DEADLINE_EXCEEDED
	{Canceled, 499, 1}, // as nginx writes it; no client receives it
	{Internal, 500, 13},
}

// unimplemented is the number in gRPC of a call to an unknown method.
const unimplemented = 12

const internalError = 500 // as an HTTP status

// Codes returns all codes.
func Codes() []Code {
	all := make([]Code, len(protocols))
	for i, p := range protocols {
		all[i] = p.code
	}
	return all
}

// HTTP returns the HTTP status of an answer with this code.
func (c Code) HTTP() int {
	for _, p := range protocols {
		if p.code == c {
			return p.http
		}
	}
	return internalError
}

// RPC returns the number of the code in gRPC, which is also the value of Connect's code.
func (c Code) RPC() uint32 {
	for _, p := range protocols {
		if p.code == c {
			return p.rpc
		}
	}
	return Internal.RPC()
}

// OfHTTP returns the code of an answer with an HTTP status that is an error.
func OfHTTP(status int) Code {
	for _, p := range protocols {
		if p.http == status {
			return p.code
		}
	}
	if status < internalError {
		return InvalidArgument
	}
	return Internal
}

// OfRPC returns the code of an error that is known by its number in gRPC only.
func OfRPC(number uint32) Code {
	for _, p := range protocols {
		if p.rpc == number {
			return p.code
		}
	}
	if number == unimplemented {
		return NotFound
	}
	return Internal
}
