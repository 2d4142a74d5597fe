package functionary

import (
	"context"
	_ "embed"
	"regexp"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// The markers of the format.
const (
	section     = ">>>" // and a recipient, on a line of its own
	everyone    = "all" // the recipient of content
	python      = "python"
	turnEnd     = "<|eot_id|>"
	messageEnd  = "<|eom_id|>"
	headerStart = "<|start_header_id|>" // and a role
	headerEnd   = "<|end_header_id|>"
)

//go:embed cases.jsonl
var golden []byte

// functionary handles templates of the format.
type functionary struct{ programs handler.Programs }

var _ handler.Handler = (*functionary)(nil)

// Describe returns the same description as functionary.yaml.
func (*functionary) Describe() handler.Description {
	return handler.Description{
		Name: "functionary", Version: "1.0.0", Priority: 100, Cases: golden,
		Match: `source contains ">>>all" and source contains ">>>${recipient}"`,
	}
}

// Plan plans a request.
func (h *functionary) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	last, part, err := in.Request.Continued()
	if err != nil {
		return nil, err
	}
	p := newProgram(in.Request)
	plan := p.Answer(h.programs.Build(in.Request, func(r *chat.Request) *peg.Program { return newProgram(r).build() }), p.triggers()...)
	plan.Request = in.Request.StartingNew()
	switch part {
	case chat.ContinueContent:
		plan.Prefill = everyone + "\n" + last.Content.Join("")
	case chat.ContinueReasoning:
		plan.Prefill = everyone + "\n" // the format has no reasoning
		plan.Notes = append(plan.Notes, "the format has no reasoning: the message continues with its content")
	}
	return plan, nil
}

// triggers fire at the recipient of a call. The prompt begins the first section, so the output
// begins with its recipient.
func (p program) triggers() []grammar.Trigger {
	var names []string
	for _, t := range p.Tools {
		names = append(names, regexp.QuoteMeta(t.Name))
	}
	if len(names) == 0 {
		return nil
	}
	any := "(?:" + strings.Join(names, "|") + `)\n`
	return []grammar.Trigger{
		{Type: grammar.TriggerPattern, Value: "^(" + any + `)[\s\S]*$`},
		{Type: grammar.TriggerPattern, Value: "(" + section + any + ")"},
	}
}
