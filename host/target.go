package host

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// In is the plan for an engine that takes constraints in the notation of target: the same plan with another constraint, and
// notes about what is lost in it. Where the notation has no words for the constraint, sampling is free and a note says so;
// a request that insists on a certain answer is refused then.
func (p *Planned) In(target grammar.Target) (*Planned, error) {
	if target == "" || target == grammar.TargetGBNF || p.Plan.Constraint == nil || p.translate == nil {
		return p, nil
	}
	plan := *p.Plan
	out := *p
	out.Plan = &plan
	if target == grammar.TargetJSONSchema {
		return &out, out.answerSchema()
	}
	c, err := p.translate(target)
	if err != nil {
		out.note(fmt.Sprintf("sampling is free, for target %q has no words for the constraint: %v", target, err))
	} else {
		out.note(c.Notes...)
	}
	plan.Constraint = c
	return &out, out.enforced()
}

// answerSchema makes the constraint a JSON Schema, and notes what that cannot say.
func (p *Planned) answerSchema() error {
	if p.request.Grammar.Kind != chat.GrammarNone {
		return &chat.RequestError{Path: p.request.Grammar.Path, Message: "a JSON Schema cannot say it: take another target"}
	}
	schema, lost, err := grammar.AnswerSchema(p.request)
	if err != nil {
		return err
	}
	p.note(lost...)
	if schema == nil {
		p.Plan.Constraint = nil
		return nil
	}
	if p.Plan.ReasoningState == handler.ReasoningOpen {
		p.note("the prompt has begun reasoning, which a JSON Schema cannot end: send enable_thinking false")
	} else if p.Plan.SupportsThinking {
		p.note("the model cannot reason before it answers")
	}
	c := *p.Plan.Constraint
	c.Target, c.Content, c.Lazy, c.Triggers = grammar.TargetJSONSchema, string(schema), false, []grammar.Trigger{}
	p.Plan.Constraint = &c
	return nil
}

// ParseTarget reads the name of a target as clients send it; an empty one is GBNF.
func ParseTarget(name string) (grammar.Target, error) {
	target, err := grammar.ParseTarget(name)
	if err != nil {
		return "", &Error{Code: InvalidArgument, Place: "target", Message: err.Error(), Err: err}
	}
	return target, nil
}
