package check

import (
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
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
	Plan   *Plan
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

// Plan is what a result shows of a plan.
type Plan struct {
	Prompt           string      `json:"prompt"`
	GenerationPrompt string      `json:"generation_prompt"`
	Constraint       *Constraint `json:"constraint"` // null: sampling is free
	PreservedTokens  []string    `json:"preserved_tokens"`
	Stops            []string    `json:"stops"`
	ThinkingStart    string      `json:"thinking_start"`
	ThinkingEnds     []string    `json:"thinking_ends"`
	Notes            []string    `json:"notes,omitempty"` // what a person should know
}

// Constraint is what a result shows of a constraint.
type Constraint struct {
	Grammar  string            `json:"grammar"`
	Lazy     bool              `json:"lazy"`
	Triggers []grammar.Trigger `json:"triggers"`
	Target   grammar.Target    `json:"target,omitempty"`
	Content  string            `json:"content,omitempty"`
}

// PlanOf is what results show of p.
func PlanOf(p *handler.Plan) *Plan {
	out := &Plan{
		Prompt: p.Prompt, GenerationPrompt: p.GenerationPrompt,
		PreservedTokens: orEmpty(p.PreservedTokens), Stops: orEmpty(p.Stops),
		ThinkingStart: p.ThinkingStart, ThinkingEnds: orEmpty(p.ThinkingEnds), Notes: p.Notes,
	}
	if c := p.Constraint; c != nil {
		out.Constraint = &Constraint{Grammar: c.Grammar, Lazy: c.Lazy, Triggers: orEmpty(c.Triggers), Target: c.Target, Content: c.Content}
	}
	return out
}

// orEmpty is list, written as [] where it is nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
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
			Plan   *Plan          `json:"plan"`
		}{head, r.Actual, r.Report, r.Plan}
	case cases.Plan:
		return struct {
			common
			Plan *Plan `json:"plan"`
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
