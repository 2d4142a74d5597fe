// Package check runs recorded cases and tells which of them hold. It is what `dragoman check` does.
//
//	cases ─read→ case ─subject→ plan, messages, prompts ─judge→ Result ─print→ failures, then "N passed, N failed"
//	                                                                  └─write→ one JSON line a case
//
// A case holds or fails by itself: a line that cannot be read, a template that cannot be used, a request that is refused are
// failures with a reason, and the run goes on. What makes a case fail is in judge.go, one function a requirement:
//
//	parse      the message is the expected one; every cut of the output gives the same message and report; where the
//	           reference is constrained so is the plan, its trigger fires before calls, and its grammar accepts what
//	           follows; where the case asks for it, rendering the message again continues prompt and output
//	plan       prompt and generation prompt are the reference's; where the reference is constrained so is the plan.
//	           Whatever else differs is a remark
//	template   the prompt is the expected one, or rendering fails where that is expected
//
// Words that must not be confused: a *failure* is something that must hold and does not; a *remark* is a difference that a
// person may want to see. The *subject* is what is put to the test; the *reference* is what another implementation said.
package check

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Subject is what cases are run against. Its methods may be called concurrently.
type Subject interface {
	// Plan plans a request.
	Plan(ctx context.Context, t Template, req *chat.Request) (Planned, error)
	// Render renders a request's prompt and nothing else.
	Render(ctx context.Context, t Template, req *chat.Request) (string, error)
	// RenderVariables renders the template with variables, a JSON object, as they are.
	RenderVariables(ctx context.Context, t Template, variables json.RawMessage, now time.Time) (string, error)
}

// Planned is a plan that outputs can be parsed with.
type Planned interface {
	Plan() *session.Plan
	// Parse feeds one output in pieces and returns the message it becomes. Truncated says that more would have come.
	Parse(pieces iter.Seq[[]byte], truncated bool) (chat.Message, *chat.Report, error)
}

// Template says which template a case is about, and how it is to be served.
type Template struct {
	Name     string
	BOSToken string
	EOSToken string
	Handler  string // the handler that must serve it; empty: the one that claims it
}

// Options are the choices of a run. The zero value works.
type Options struct {
	// Splits is how many random cuts each output is parsed at, besides whole and byte by byte. Seed makes them.
	Splits int
	Seed   uint64
	// Report takes failures, as text; Results takes one JSON object a line for each case. Nil: not written.
	Report  io.Writer
	Results io.Writer
	// Remarks prints the remarks of cases that hold, too.
	Remarks bool
	// Workers is how many cases run at the same time; below 1 means two.
	Workers int
}

// Input is a file of cases.
type Input struct {
	Name   string
	Reader io.Reader
}

// Tally counts the cases of a run.
type Tally struct{ Passed, Failed int }
