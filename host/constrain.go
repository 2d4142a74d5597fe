package host

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/go-json-experiment/json/jsontext"
)

// constrain makes the constraint that the plan's handler asked for. A program that cannot be constrained is free, and a note
// says why; a request that insists on a certain answer is then refused, like one with a schema that nothing can follow.
func (p *Planned) constrain(made *grammar.Cache) error {
	plan := p.Plan
	c, err := made.Build(plan.Program, grammar.Options{Mode: plan.Grammar, Prompt: plan.GenerationPrompt, Triggers: plan.Triggers})
	switch {
	case err != nil:
		if fault := faultySchema(p.request); fault != nil {
			return fault
		}
		plan.Notes = append(plan.Notes, fmt.Sprintf("sampling is free, for no constraint can be made: %v", err))
	case c != nil:
		plan.Notes = append(plan.Notes, c.Notes...)
	}
	plan.Constraint = c
	return p.enforced()
}

// enforced refuses a request that insists on a certain answer if its plan lets the model give another.
func (p *Planned) enforced() error {
	wish, ok := insistence(p.request)
	if !ok || p.Plan.Constraint != nil && !p.Plan.Constraint.Lazy {
		return nil
	}
	message := fmt.Sprintf("it cannot be enforced: handler %q makes no constraint for this template", p.Handler)
	if notes := p.Plan.Notes; len(notes) > 0 {
		message += " (" + strings.Join(notes, "; ") + ")"
	}
	return &chat.RequestError{Path: wish, Message: message + "; leave it out, and check the answer"}
}

// insistence is the field by which a request insists on a certain answer. One that wants no parsing insists on nothing.
func insistence(r *chat.Request) (field string, ok bool) {
	switch {
	case r.PureContent:
		return "", false
	case r.ToolChoice.Mode == chat.ToolRequired || r.ToolChoice.Mode == chat.ToolNamed:
		return "tool_choice", true
	}
	return "json_schema", r.JSONSchema != nil
}

// faultySchema finds the schema of a request that cannot be followed, and where in it the fault is; nil if there is none.
func faultySchema(r *chat.Request) error {
	if r.JSONSchema != nil {
		if err := schemaFault("json_schema", r.JSONSchema); err != nil {
			return err
		}
	}
	for i, t := range r.Tools {
		if t.Parameters == nil {
			continue
		}
		if err := schemaFault(fmt.Sprintf("tools[%d].function.parameters", i), t.Parameters); err != nil {
			return err
		}
	}
	return nil
}

func schemaFault(path string, schema []byte) error {
	_, err := grammar.FromSchema(schema)
	var fault *grammar.SchemaError
	if !errors.As(err, &fault) {
		return nil
	}
	return &chat.RequestError{Path: chat.PathTo(path, jsontext.Pointer(strings.TrimPrefix(fault.Path, "#"))), Message: fault.Message}
}
