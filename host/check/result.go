package check

import (
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Result is what became of one case. Its JSON holds id, ok and why, and what the kind of the case asks for: of a parse case
// actual, report and plan, of a plan case plan, of a template case prompt; null where it did not come to that.
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

// OK says whether the case holds.
func (r *Result) OK() bool { return r.Why == "" }

// title says which case it is. A line that holds none has a place only.
func (r *Result) title() string {
	if r.ID == r.Where {
		return r.Where
	}
	return fmt.Sprintf("%s %s (%s)", r.Where, r.ID, r.Template)
}

// line is the result as it is written.
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
