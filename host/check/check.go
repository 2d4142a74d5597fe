// Package check runs recorded cases and reports which of them hold. It implements `dragoman check`.
//
//	cases ─read→ case ─subject→ plan, messages, prompts ─judge→ Result ─print→ failures, then "N passed, N failed"
//	                                                                  └─write→ one JSON line a case
//
// Each case holds or fails by itself: a line that cannot be read, a template that cannot be used, and a refused request are
// failures with a reason, and the run goes on. What makes a case fail is in judge.go, one function for each requirement:
//
//	parse      the message is the expected one; every cut of the output gives the same message and report; if the
//	           reference is constrained, so is the plan, its trigger fires before calls, and its grammar accepts what
//	           follows; if the case demands it, rendering the message again continues prompt and output
//	plan       prompt and generation prompt are the reference's; if the reference is constrained, so is the plan.
//	           Any other difference is a remark
//	template   the prompt is the expected one, or rendering fails where that is expected
//
// Words that must not be confused: a *failure* is a broken requirement, a *remark* is a difference that may be of interest. The
// *subject* is what is tested; the *reference* is the answer of another implementation.
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

// Subject is the implementation to test. Its methods may be called concurrently.
type Subject interface {
	// Plan plans a request.
	Plan(ctx context.Context, t Template, req *chat.Request) (Planned, error)
	// Render renders a request's prompt.
	Render(ctx context.Context, t Template, req *chat.Request) (string, error)
	// RenderVariables renders the template with these variables, a JSON object.
	RenderVariables(ctx context.Context, t Template, variables json.RawMessage, now time.Time) (string, error)
}

// Planned is a plan that can parse outputs.
type Planned interface {
	Plan() *session.Plan
	// Parse parses one output in pieces and returns its message. truncated means that the output is cut off.
	Parse(pieces iter.Seq[[]byte], truncated bool) (chat.Message, *chat.Report, error)
}

// Template identifies the template of a case, and the handler that must serve it.
type Template struct {
	Name     string
	BOSToken string
	EOSToken string
	Handler  string // the handler that must serve it; empty: the one that claims it
}

// Options are the choices of a run. The zero value works.
type Options struct {
	// Splits is the number of random cuts to parse each output at, besides whole and byte by byte; Seed determines them.
	Splits int
	Seed   uint64
	// Report gets the failures as text, Results one line of JSON for each case. Nil: not written.
	Report  io.Writer
	Results io.Writer
	// Remarks adds the remarks of cases that hold to Report.
	Remarks bool
	// Progress, unless it is nil, is called after each case, with the tally so far.
	Progress func(Tally)
	// Workers is how many cases run concurrently; below 1 means two.
	Workers int
}

// Input is a file of cases.
type Input struct {
	Name   string
	Reader io.Reader
}

// Tally counts the cases of a run.
type Tally struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
}
