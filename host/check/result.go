package check

import (
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Result is the outcome of one case. Its JSON has id, ok and why, and depending on the kind of the case actual, report and plan
// (parse), plan (plan) or prompt (template); they are null if the run did not get that far.
type Result struct {
	ID       string
	Kind     cases.Kind
	Template string
	// Where is the case's file and line.
	Where string
	// Why joins the failures, a paragraph each; empty if the case holds.
	Why     string
	Remarks []string

	Actual *cases.Message
	Report *chat.Report
	Plan   *session.Plan
	Prompt *string
}

// OK reports whether the case holds.
func (r *Result) OK() bool { return r.Why == "" }

// title identifies the case. A line without a case has a place only.
func (r *Result) title() string {
	if r.ID == r.Where {
		return r.Where
	}
	return fmt.Sprintf("%s %s (%s)", r.Where, r.ID, r.Template)
}

// line returns the result as it is written to Options.Results.
func (r *Result) line() any {
	type common struct {
		ID  string `json:"id"`
		OK  bool   `json:"ok"`
		Why string `json:"why"`
	}
	head := common{r.ID, r.OK(), r.Why}
	switch r.Kind {
	case cases.Parse:
		return struct {
			common
			Actual *cases.Message `json:"actual"`
			Report *chat.Report   `json:"report"`
			Plan   *session.Plan  `json:"plan"`
		}{head, r.Actual, r.Report, r.Plan}
	case cases.Plan:
		return struct {
			common
			Plan *session.Plan `json:"plan"`
		}{head, r.Plan}
	case cases.Template:
		return struct {
			common
			Prompt *string `json:"prompt"`
		}{head, r.Prompt}
	}
	return head
}

func (r *Result) fail(why string) {
	if why == "" {
		return
	}
	if r.Why != "" {
		r.Why += "\n"
	}
	r.Why += why
}

func (r *Result) remark(remark string) {
	if remark != "" {
		r.Remarks = append(r.Remarks, remark)
	}
}

func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }
