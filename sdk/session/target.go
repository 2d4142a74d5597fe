package session

import (
	"context"
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/grammar/target"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// In returns the plan for an engine that takes constraints in the notation of target: the same plan with another constraint,
// and with notes about what is lost in it. Where the notation cannot express the constraint, sampling is free and a note gives
// the reason; a request that insists on a certain answer is refused then. The work ends with ctx.
func (p *Plan) In(ctx context.Context, target grammar.Target) (*Plan, error) {
	if target == "" || target == grammar.TargetGBNF || p.Constraint == nil || p.constraints == nil {
		return p, nil
	}
	out := *p
	if target == grammar.TargetJSONSchema {
		return &out, out.answerSchema()
	}
	o := p.options
	o.Target = target
	m := grammar.NewMeter(ctx)
	c, err := p.constraints.Build(m, p.Program, o)
	if m.Exceeded(err) {
		return nil, err
	}
	if err != nil {
		out.note(fmt.Sprintf("sampling is free: target %q cannot express the constraint: %v", target, err))
	} else {
		out.note(c.Notes...)
	}
	out.Constraint = c
	return &out, out.enforced()
}

// After returns the plan with the constraint for what may follow when written, which continues the generation prompt, is in the prompt
// already. The error is that of the work, or of a text that the program cannot begin with.
func (p *Plan) After(ctx context.Context, written string) (*Plan, error) {
	out := *p
	out.Prompt, out.GenerationPrompt = p.Prompt+written, p.GenerationPrompt+written
	if p.Constraint == nil {
		return &out, nil
	}
	out.options.Prompt = out.GenerationPrompt
	c, err := p.constraints.Build(grammar.NewMeter(ctx), p.Program, out.options)
	out.Constraint = c
	return &out, err
}

// answerSchema replaces the constraint by a JSON Schema, and notes what that cannot express.
func (p *Plan) answerSchema() error {
	if p.request.Grammar.Kind != chat.GrammarNone {
		return fault.Invalid(p.request.Grammar.Path, "a JSON Schema cannot express it: choose another target")
	}
	schema, lost := target.AnswerSchema(p.request)
	p.note(lost...)
	if schema == nil {
		p.Constraint = nil
		return nil
	}
	if p.ReasoningState == handler.ReasoningOpen {
		p.note("the prompt begins reasoning, which a JSON Schema cannot end: send enable_thinking false")
	} else if p.SupportsThinking {
		p.note("the model cannot reason before it answers")
	}
	c := *p.Constraint
	c.Target, c.Content, c.Lazy, c.Triggers = grammar.TargetJSONSchema, string(schema), false, []grammar.Trigger{}
	p.Constraint = &c
	return nil
}
