package anthropic

import (
	"net/http"
	"strings"

	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// identify names the request in the header in which clients of this API look for its id.
func identify(w http.ResponseWriter) { w.Header().Set("Request-Id", w.Header().Get("X-Request-Id")) }

// errorObject is the body of an answer, or the event of a stream, with an error.
type errorObject struct {
	Type  string `json:"type"`
	Error struct {
		Type    string        `json:"type"`
		Message string        `json:"message"`
		Details *errorDetails `json:"details,omitempty"`
	} `json:"error"`
	RequestID string `json:"request_id"`
}

// errorDetails are for clients that can do without what is refused.
type errorDetails struct {
	Code        string   `json:"error_code"`
	Unsupported []string `json:"unsupported"`
}

// unthreaded lets clients that want a thread go on without one: they send the whole conversation.
var unthreaded = &errorDetails{"thread_unsupported_request", []string{"thread"}}

// kinds are the types of errors in this API, and their statuses.
var kinds = map[fault.Code]struct {
	name   string
	status int
}{
	fault.InvalidArgument:  {"invalid_request_error", http.StatusBadRequest},
	fault.OutputRefused:    {"invalid_request_error", http.StatusBadRequest},
	fault.Unauthenticated:  {"authentication_error", http.StatusUnauthorized},
	fault.PermissionDenied: {"permission_error", http.StatusForbidden},
	fault.NotFound:         {"not_found_error", http.StatusNotFound},
	fault.LimitExceeded:    {"request_too_large", http.StatusRequestEntityTooLarge},
	fault.RateLimited:      {"rate_limit_error", http.StatusTooManyRequests},
	fault.TimedOut:         {"timeout_error", http.StatusGatewayTimeout},
	fault.Unavailable:      {"overloaded_error", 529},
	fault.Internal:         {"api_error", http.StatusInternalServerError},
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, _ *http.Request, err *fault.Error) {
	identify(w)
	e, status := describe(w, err)
	_ = reply.WriteJSON(w, status, e) // fails only when the client is gone
}

// describe returns an error as Anthropic writes it, and its status.
func describe(w http.ResponseWriter, err *fault.Error) (e errorObject, status int) {
	kind, known := kinds[err.Code]
	if !known {
		kind = kinds[fault.Internal]
	}
	e.Type, e.Error.Type, e.RequestID = "error", kind.name, w.Header().Get("X-Request-Id")
	e.Error.Message = err.Message
	if err.Place != "" && !strings.HasPrefix(err.Message, err.Place) {
		e.Error.Message = err.Place + ": " + err.Message
	}
	if err.Remedy != "" {
		e.Error.Message += "; " + err.Remedy
	}
	if err.Place == "thread" {
		e.Error.Details = unthreaded
	}
	return e, kind.status
}
