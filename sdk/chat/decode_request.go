package chat

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// ParseRequest reads and checks the JSON of a chat request. Errors are of type *fault.Error, with the place in the request and
// what to do. The result shares no memory with data.
func ParseRequest(data []byte) (*Request, error) { return ParseRequestWith(data, Policies{}) }

// ParseRequestWith is ParseRequest with defaults for the policies that the request does not set.
func ParseRequestWith(data []byte, defaults Policies) (*Request, error) {
	r := new(Request)
	if err := unmarshal(r, data, new(wireRequest).reader(defaults)); err != nil {
		return nil, err
	}
	return r, nil
}

// UnmarshalJSON reads a request like ParseRequest. It does not change r if that fails.
func (r *Request) UnmarshalJSON(data []byte) error {
	return unmarshal(r, data, new(wireRequest).reader(Policies{}))
}

// reader returns the reader of a request with these defaults.
func (in *wireRequest) reader(defaults Policies) func(value) (Request, error) {
	return func(v value) (Request, error) { return in.read(v, defaults) }
}

func (in *wireRequest) read(v value, defaults Policies) (r Request, err error) {
	r.Parsing, r.ParallelToolCalls = defaults, true
	if err = v.fields(in.readers(&r), &r.Extra); err != nil {
		return r, err
	}
	r.AddGenerationPrompt = r.ContinueFinalMessage == ContinueNone
	return r, firstError(
		func() error { return in.settleFormat(&r) },
		func() error { return in.thinking.settle(&r) },
		func() error { return in.settleVariables(&r) },
		func() error { return checkMessages(v, &r) },
		func() error { return checkContinuation(&r, in.addGenerationPrompt) },
		func() error { return checkToolChoice(&r) },
	)
}

// wireRequest holds the values that a request may have in several fields, until all of them are known.
type wireRequest struct {
	formats             []format
	addGenerationPrompt *bool
	thinking            wireThinking
	kwargs              value  // the variables of the template
	known               []Tool // in place of those in the text
}

// readTools reads the tools, unless they are known.
func (in *wireRequest) readTools(v value) ([]Tool, error) {
	if in.known != nil {
		return in.known, nil
	}
	return each(readTool)(v)
}

func (in *wireRequest) readers(r *Request) map[string]func(value) error {
	readers := in.formatReaders()
	maps.Copy(readers, in.thinking.readers())
	maps.Copy(readers, map[string]func(value) error{
		"messages":               into(&r.Messages, each(readMessage)),
		"tools":                  into(&r.Tools, in.readTools),
		"tool_choice":            into(&r.ToolChoice, readToolChoice),
		"parallel_tool_calls":    into(&r.ParallelToolCalls, value.boolean),
		"reasoning_format":       into(&r.ReasoningFormat, oneOf(reasoningFormats)),
		"add_generation_prompt":  into(&in.addGenerationPrompt, optional(value.boolean)),
		"continue_final_message": into(&r.ContinueFinalMessage, readContinuation),
		"chat_template_kwargs":   into(&in.kwargs, readKwargs),
		"pure_content":           into(&r.PureContent, value.boolean),
		"parsing":                into(&r.Parsing, r.Parsing.read),
		"functions":              replaced("tools"),
		"function_call":          replaced("tool_choice"),
	})
	return readers
}

// replaced returns a reader that rejects a field that OpenAI has replaced by another, unless it has a default value, which some
// clients send for fields that are not set.
func replaced(by string) func(value) error {
	return func(v value) error {
		switch v.compact() {
		case "null", "[]", "{}", `"none"`, `"auto"`:
			return nil
		}
		return v.fault("replaced by " + by + "; send that instead")
	}
}

// settleVariables merges values that a request may have both as a field and as a variable of the template, which must agree.
// Thinking and the generation prompt end up in their fields.
func (in *wireRequest) settleVariables(r *Request) error {
	var kwargs []Field
	for name, m := range in.kwargs.Members() { // null ones, too: to a template, null differs from absent
		v, field := value{m}, Field{Name: name, Value: m.Raw()}
		var err error
		switch name {
		case "enable_thinking":
			err = in.thinking.override(v, r)
		case "add_generation_prompt":
			err = agree(&in.addGenerationPrompt, v)
		case "reasoning_effort":
			if own := in.thinking.effort.by; own != nil && own.compact() != v.compact() {
				err = v.disagrees(*own)
			}
			kwargs = append(kwargs, field)
		case "messages", "tools":
			err = v.fault("not a variable of its own; send it as the request's " + name)
		default:
			kwargs = append(kwargs, field)
		}
		if err != nil {
			return err
		}
	}
	if in.addGenerationPrompt != nil {
		r.AddGenerationPrompt = *in.addGenerationPrompt
	}
	r.TemplateKwargs = kwargs
	return nil
}

// agree stores a boolean variable in its field; it is an error if the field has another value. Null means not set.
func agree(field **bool, variable value) error {
	if variable.isNull() {
		return nil
	}
	b, err := variable.boolean()
	if err != nil {
		return err
	}
	if *field != nil && **field != b {
		return variable.fault(fmt.Sprintf("found %t, but the request's own field is %t; send one of them", b, **field))
	}
	*field = &b
	return nil
}

func checkMessages(v value, r *Request) error {
	switch {
	case !v.has("messages"):
		return v.missing("a non-empty array", "messages")
	case len(r.Messages) == 0:
		return fault.Invalid("messages", "expected a non-empty array; send at least one message")
	}
	return nil
}

func checkContinuation(r *Request, addGenerationPrompt *bool) error {
	if r.ContinueFinalMessage == ContinueNone {
		return nil
	}
	last := len(r.Messages) - 1
	if role := r.Messages[last].Role; role != RoleAssistant {
		return fault.Invalid(memberPath(indexPath("messages", last), "role"), fmt.Sprintf("continue_final_message needs a last message of the assistant, found one of role %q", role))
	}
	if addGenerationPrompt != nil && *addGenerationPrompt {
		return fault.Invalid("add_generation_prompt", "true starts a new message, but continue_final_message continues the last one; send one of them")
	}
	return nil
}

func checkToolChoice(r *Request) error {
	switch choice := r.ToolChoice; choice.Mode {
	case ToolRequired:
		if len(r.Tools) == 0 {
			return fault.Invalid("tool_choice", `"required" needs at least one tool; send tools, or "auto"`)
		}
	case ToolNamed:
		if !slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == choice.Name }) {
			return fault.Invalid("tool_choice.function.name", fmt.Sprintf("no tool of the request is named %q", choice.Name))
		}
	}
	return nil
}

func firstError(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}
