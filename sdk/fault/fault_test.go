package fault_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

func TestTheTextOfAnErrorJoinsWhatIsKnown(t *testing.T) {
	for want, e := range map[string]*fault.Error{
		"expected a string":                       {Message: "expected a string"},
		"messages[0]: expected a string":          fault.Invalid("messages[0]", "expected a string"),
		"no such template; put one":               {Message: "no such template", Remedy: "put one"},
		"t.jinja:3:14: unknown filter; remove it": {Place: "t.jinja:3:14", Message: "unknown filter", Remedy: "remove it"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheCodeIsThatOfTheOutermostError(t *testing.T) {
	inner := &fault.Error{Code: fault.InvalidArgument, Message: "no JSON", Err: io.EOF}
	outer := fmt.Errorf("plugin p: %w", &fault.Error{Code: fault.Unavailable, Message: "no answer", Err: inner})
	if got := fault.CodeOf(outer); got != fault.Unavailable {
		t.Errorf("got %s", got)
	}
	if !errors.Is(outer, io.EOF) {
		t.Error("the cause is lost")
	}
	if got := fault.CodeOf(io.EOF); got != fault.Internal {
		t.Errorf("any other error has the code %s", got)
	}
}

// TestCodesAreWrittenAsEachProtocolDoes compares the numbers with the names that the protocols give them.
func TestCodesAreWrittenAsEachProtocolDoes(t *testing.T) {
	want := map[fault.Code]string{
		fault.InvalidArgument:  "400 Bad Request, InvalidArgument",
		fault.NotFound:         "404 Not Found, NotFound",
		fault.LimitExceeded:    "413 Request Entity Too Large, ResourceExhausted",
		fault.OutputRefused:    "400 Bad Request, FailedPrecondition",
		fault.Unavailable:      "503 Service Unavailable, Unavailable",
		fault.RateLimited:      "429 Too Many Requests, ResourceExhausted",
		fault.Unauthenticated:  "401 Unauthorized, Unauthenticated",
		fault.PermissionDenied: "403 Forbidden, PermissionDenied",
		fault.TimedOut:         "504 Gateway Timeout, DeadlineExceeded",
		fault.Canceled:         "499 , Canceled",
		fault.Internal:         "500 Internal Server Error, Internal",
	}
	for _, c := range fault.Codes() {
		if got := fmt.Sprintf("%d %s, %v", c.HTTP(), http.StatusText(c.HTTP()), codes.Code(c.RPC())); got != want[c] {
			t.Errorf("%s is %s, want %s", c, got, want[c])
		}
	}
	if len(fault.Codes()) != len(want) {
		t.Errorf("there are %d codes", len(fault.Codes()))
	}
	unknown := fault.Code("unknown")
	if unknown.HTTP() != http.StatusInternalServerError || unknown.RPC() != uint32(codes.Internal) {
		t.Error("an unknown code is not an internal error")
	}
}

func TestNumbersAloneStandForCodes(t *testing.T) {
	for number, want := range map[codes.Code]fault.Code{
		codes.ResourceExhausted: fault.LimitExceeded, codes.DeadlineExceeded: fault.TimedOut, codes.Unimplemented: fault.NotFound,
		codes.Unavailable: fault.Unavailable, codes.DataLoss: fault.Internal,
	} {
		if got := fault.OfRPC(uint32(number)); got != want {
			t.Errorf("%v is %s, want %s", number, got, want)
		}
	}
	for status, want := range map[int]fault.Code{400: fault.InvalidArgument, 404: fault.NotFound, 405: fault.InvalidArgument, 502: fault.Internal, 504: fault.TimedOut} {
		if got := fault.OfHTTP(status); got != want {
			t.Errorf("%d is %s, want %s", status, got, want)
		}
	}
}
