package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// constrain builds the constraint that the handler asked for, or the request itself. Where none can be built, sampling is
// free and a note gives the reason; a request that insists on a certain answer is refused then, and so is one with an
// invalid schema.
func (p *Plan) constrain(m *work.Meter) error {
	if err := p.strictFault(m); err != nil {
		return err
	}
	if err := p.choose(); err != nil {
		return err
	}
	c, err := p.constraints.Build(m, p.Program, p.options)
	if m.Exceeded(err) {
		return err
	}
	if err != nil {
		if fault := faultySchema(m, p.request); fault != nil {
			return fault
		}
		p.unconstrained = err
		p.note(fmt.Sprintf("sampling is free: no constraint can be built: %v", err))
	} else if c != nil {
		p.note(c.Notes...)
		if err := p.separateArguments(); err != nil {
			return err
		}
	}
	p.Constraint = c
	return p.enforced()
}

// choose sets the constraint to build: the handler's, or the grammar that the request has for the content. It notes strict tools
// that the handler's constraint does not enforce.
func (p *Plan) choose() error {
	o := &p.options
	switch {
	case p.request.PureContent:
	case p.request.Grammar.Kind != chat.GrammarNone:
		content, err := contentGrammar(p.request)
		o.Mode, o.Content = grammar.Strict, content
		return err
	case o.Mode == grammar.Free && mayCall(p.request) && slices.ContainsFunc(p.request.Tools, isStrict):
		p.note("the schemas of strict tools are not enforced: in this format a call cannot be told from prose; send tool_choice \"required\" to enforce them")
	}
	return nil
}

func isStrict(t chat.Tool) bool { return t.Strict }

// mayCall reports whether an answer may call tools.
func mayCall(r *chat.Request) bool { return len(r.Tools) > 0 && r.ToolChoice.Mode != chat.ToolNone }

// contentGrammar returns the grammar that a request has for the content, in GBNF.
func contentGrammar(r *chat.Request) (text string, err error) {
	invalid := func(format string, args ...any) error {
		return fault.Invalid(r.Grammar.Path, fmt.Sprintf(format, args...))
	}
	if mayCall(r) {
		return "", invalid("it constrains the content and leaves no room for calls: leave out the tools, send tool_choice \"none\", or describe the answer with json_schema, which allows calls")
	}
	switch r.Grammar.Kind {
	case chat.GrammarRegex:
		if text, err = grammar.FromPattern(r.Grammar.Text); err != nil {
			return "", invalid("no grammar can be built from it: %v", err)
		}
	case chat.GrammarChoice:
		text = grammar.FromChoice(r.Grammar.Choices)
	default:
		text = r.Grammar.Text
	}
	if _, err := grammar.Parse(text); err != nil {
		return "", invalid("%v", err)
	}
	return text, nil
}

// strictFault refuses a request with a strict schema that has keywords which cannot be enforced.
func (p *Plan) strictFault(m *work.Meter) error {
	r := p.request
	if r.StrictSchema {
		if err := p.enforceable(m, r.JSONSchema, "response_format.json_schema.schema"); err != nil {
			return err
		}
	}
	for i, t := range r.Tools {
		if t.Strict && !t.Parameters.IsZero() && mayCall(r) {
			if err := p.enforceable(m, t.Parameters, fmt.Sprintf("tools[%d].function.parameters", i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// enforceable returns an error for a strict schema that a grammar does not completely enforce.
func (p *Plan) enforceable(m *work.Meter, schema jsonschema.Schema, path string) error {
	var b peg.Builder
	c, err := p.constraints.Build(m, b.Build(b.Schema(schema, b.Value(peg.AnyJSON))), grammar.Options{Mode: grammar.Strict})
	if err == nil && len(c.Notes) == 0 {
		return nil
	}
	if m.Exceeded(err) {
		return err
	}
	if err != nil {
		return schemaFault(m, path, schema)
	}
	return fault.Invalid(path, "strict, but it cannot be enforced: "+strings.Join(c.Notes, "; ")+"; leave out what cannot be enforced, or strict")
}

// separateArguments notes the keywords of tools' schemas that constrain several arguments together, where the format writes
// arguments one by one. A strict tool with such a keyword is refused.
func (p *Plan) separateArguments() error {
	if !mayCall(p.request) {
		return nil
	}
	for i, t := range p.request.Tools {
		names := t.Parameters.Unread()
		if len(names) == 0 || constrains(p.Program, t.Parameters) {
			continue
		}
		path := fmt.Sprintf("tools[%d].function.parameters", i)
		message := fmt.Sprintf("%s cannot be enforced: the format writes arguments one by one", strings.Join(names, ", "))
		if t.Strict {
			return fault.Invalid(path, "strict, but "+message+"; leave out what cannot be enforced, or strict")
		}
		p.note(path + ": " + message)
	}
	return nil
}

// constrains reports whether a program constrains a value by the whole schema.
func constrains(program *peg.Program, schema jsonschema.Schema) bool {
	return slices.ContainsFunc(program.Nodes, func(n peg.Node) bool { return n.Op == peg.Schema && n.JSONSchema.Equal(schema) })
}

// enforced refuses a request that insists on a certain answer if its plan allows another.
func (p *Plan) enforced() error {
	field, ok := insistence(p.request)
	if !ok || p.Constraint != nil && !p.Constraint.Lazy {
		return nil
	}
	message := fmt.Sprintf("it cannot be enforced: the handler %q builds no constraint for this template", p.Handler)
	if notes := p.Notes; len(notes) > 0 {
		message += " (" + strings.Join(notes, "; ") + ")"
	}
	return fault.Invalid(field, message+"; leave it out, and check the answer")
}

// insistence returns the field by which a request insists on a certain answer. A request for pure content insists on nothing.
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

// faultySchema returns the error of the first schema of a request that cannot be used, with the place in it.
func faultySchema(m *work.Meter, r *chat.Request) error {
	if !r.JSONSchema.IsZero() {
		if err := schemaFault(m, "json_schema", r.JSONSchema); err != nil {
			return err
		}
	}
	for i, t := range r.Tools {
		if t.Parameters.IsZero() {
			continue
		}
		if err := schemaFault(m, fmt.Sprintf("tools[%d].function.parameters", i), t.Parameters); err != nil {
			return err
		}
	}
	return nil
}

// schemaFault returns the error of a schema at path; nil if a grammar can be built from it.
func schemaFault(m *work.Meter, path string, schema jsonschema.Schema) error {
	_, err := grammar.FromSchemaWithin(m, schema)
	if m.Exceeded(err) {
		return err
	}
	var unusable *grammar.SchemaError
	if !errors.As(err, &unusable) {
		return nil
	}
	return fault.Invalid(chat.PathTo(path, unusable.Path), unusable.Message)
}
