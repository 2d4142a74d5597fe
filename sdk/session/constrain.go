package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// constrain builds the constraint that the handler asked for, or the request itself. Where none can be built, sampling is
// free and a note gives the reason; a request that insists on a certain answer is refused then, and so is one with an
// invalid schema.
func (p *Plan) constrain() error {
	if err := p.strictFault(); err != nil {
		return err
	}
	if err := p.choose(); err != nil {
		return err
	}
	c, err := p.constraints.Build(p.Program, p.options)
	if err != nil {
		if fault := faultySchema(p.request); fault != nil {
			return fault
		}
		p.unconstrained = err
		p.note(fmt.Sprintf("sampling is free, for no constraint can be made: %v", err))
	} else if c != nil {
		p.note(c.Notes...)
		if err := p.unread(); err != nil {
			return err
		}
	}
	p.Constraint = c
	return p.enforced()
}

// choose sets the constraint to build: the handler's, or that of a grammar which the request has for the content. Strict
// tools that the handler's constraint does not enforce are noted.
func (p *Plan) choose() error {
	o := &p.options
	switch {
	case p.request.PureContent:
	case p.request.Grammar.Kind != chat.GrammarNone:
		content, err := contentGrammar(p.request)
		o.Mode, o.Content = grammar.Strict, content
		return err
	case o.Mode == grammar.Free && mayCall(p.request) && slices.ContainsFunc(p.request.Tools, isStrict):
		p.note("strict tools are not held to their schemas: while this model may answer in prose, nothing tells its calls from it; send tool_choice \"required\" to enforce them")
	}
	return nil
}

func isStrict(t chat.Tool) bool { return t.Strict }

// mayCall reports whether an answer may call tools.
func mayCall(r *chat.Request) bool { return len(r.Tools) > 0 && r.ToolChoice.Mode != chat.ToolNone }

// contentGrammar is the grammar that a request has for the content, in GBNF.
func contentGrammar(r *chat.Request) (text string, err error) {
	fault := func(format string, args ...any) error {
		return fault.Invalid(r.Grammar.Path, fmt.Sprintf(format, args...))
	}
	if mayCall(r) {
		return "", fault("it holds for the content, and says nothing of calls: leave out the tools, send tool_choice \"none\", or describe the answer with json_schema, beside which calls are possible")
	}
	switch r.Grammar.Kind {
	case chat.GrammarRegex:
		if text, err = grammar.FromPattern(r.Grammar.Text); err != nil {
			return "", fault("no grammar can be made of it: %v", err)
		}
	case chat.GrammarChoice:
		text = grammar.FromChoice(r.Grammar.Choices)
	default:
		text = r.Grammar.Text
	}
	if _, err := grammar.Parse(text); err != nil {
		return "", fault("%v", err)
	}
	return text, nil
}

// strictFault refuses a request with a schema that is strict and has keywords which cannot be held to.
func (p *Plan) strictFault() error {
	r := p.request
	if r.StrictSchema {
		if err := p.unheld(r.JSONSchema, "response_format.json_schema.schema"); err != nil {
			return err
		}
	}
	for i, t := range r.Tools {
		if t.Strict && !t.Parameters.IsZero() && mayCall(r) {
			if err := p.unheld(t.Parameters, fmt.Sprintf("tools[%d].function.parameters", i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// unheld is the error for a strict schema that a grammar cannot wholly hold to.
func (p *Plan) unheld(schema jsonschema.Schema, path string) error {
	var b peg.Builder
	c, err := p.constraints.Build(b.Build(b.Schema(schema, b.Value(peg.AnyJSON))), grammar.Options{Mode: grammar.Strict})
	if err == nil && len(c.Notes) == 0 {
		return nil
	}
	if err != nil {
		return schemaFault(path, schema)
	}
	return fault.Invalid(path, "strict, but it cannot be held to: "+strings.Join(c.Notes, "; ")+"; leave out what cannot be enforced, or strict")
}

// unread notes what the schemas of tools say of arguments together, where the program writes them one by one. A tool that is
// strict is refused.
func (p *Plan) unread() error {
	if !mayCall(p.request) {
		return nil
	}
	for i, t := range p.request.Tools {
		names := t.Parameters.Unread()
		if len(names) == 0 || follows(p.Program, t.Parameters) {
			continue
		}
		path := fmt.Sprintf("tools[%d].function.parameters", i)
		message := fmt.Sprintf("%s cannot be held to, for the format writes arguments one by one", strings.Join(names, ", "))
		if t.Strict {
			return fault.Invalid(path, "strict, but "+message+"; leave out what cannot be enforced, or strict")
		}
		p.note(path + ": " + message)
	}
	return nil
}

// follows says whether a program holds a value to a whole schema.
func follows(program *peg.Program, schema jsonschema.Schema) bool {
	return slices.ContainsFunc(program.Nodes, func(n peg.Node) bool { return n.Op == peg.Schema && n.JSONSchema.Equal(schema) })
}

// enforced refuses a request that insists on a certain answer if its plan lets the model give another.
func (p *Plan) enforced() error {
	wish, ok := insistence(p.request)
	if !ok || p.Constraint != nil && !p.Constraint.Lazy {
		return nil
	}
	message := fmt.Sprintf("it cannot be enforced: handler %q makes no constraint for this template", p.Handler)
	if notes := p.Notes; len(notes) > 0 {
		message += " (" + strings.Join(notes, "; ") + ")"
	}
	return fault.Invalid(wish, message+"; leave it out, and check the answer")
}

// insistence is the field by which a request insists on a certain answer. One that wants no parsing insists on nothing.
func insistence(r *chat.Request) (field string, ok bool) {
	switch {
	case r.PureContent:
		return "", false
	case r.ToolChoice.Mode == chat.ToolRequired || r.ToolChoice.Mode == chat.ToolNamed:
		return "tool_choice", true
	case r.Grammar.Kind != chat.GrammarNone:
		return r.Grammar.Path, true
	}
	return "json_schema", !r.JSONSchema.IsZero()
}

// faultySchema finds the schema of a request that cannot be followed, and where in it the fault is; nil if there is none.
func faultySchema(r *chat.Request) error {
	if !r.JSONSchema.IsZero() {
		if err := schemaFault("json_schema", r.JSONSchema); err != nil {
			return err
		}
	}
	for i, t := range r.Tools {
		if t.Parameters.IsZero() {
			continue
		}
		if err := schemaFault(fmt.Sprintf("tools[%d].function.parameters", i), t.Parameters); err != nil {
			return err
		}
	}
	return nil
}

func schemaFault(path string, schema jsonschema.Schema) error {
	_, err := grammar.FromSchema(schema)
	var unusable *grammar.SchemaError
	if !errors.As(err, &unusable) {
		return nil
	}
	return fault.Invalid(chat.PathTo(path, unusable.Path), unusable.Message)
}
