package request

import (
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// setting reads a member of the request that is not the same in chats.
type setting func(r *reader, v *ordered.Value) error

// settings are the members that chats call otherwise or do not have. Others are passed on, and nil ones are read elsewhere or have no
// effect that anyone expects.
var settings = map[string]setting{
	"input": nil, "instructions": nil, "tools": nil, "tool_choice": nil, "stream_options": nil, "client_metadata": nil,

	"max_output_tokens":    func(r *reader, v *ordered.Value) error { return r.pass("max_tokens", v) },
	"text":                 verbosity,
	"store":                flag(func(r *reader, b bool) { r.Store = b }),
	"include":              include,
	"previous_response_id": func(r *reader, v *ordered.Value) (err error) { r.Previous, err = text(v); return err },
	"truncation":           truncation,
	"background":           background,
	"conversation":         refused("conversations are not kept; send the whole conversation as input"),
	"prompt":               refused("prompts are not kept; send it as instructions and input"),
	"max_tool_calls":       ignored("the gateway has no tools of its own"),
	"context_management":   ignored("conversations are not shortened"),

	"messages": moved("input"), "response_format": moved("text.format"), "functions": moved("tools"), "function_call": moved("tool_choice"),
	"max_tokens": moved("max_output_tokens"), "max_completion_tokens": moved("max_output_tokens"),
	"n": only("1", "a response has one answer; leave it out"), "logprobs": only("false", noLogprobs), "top_logprobs": only("0", noLogprobs),
}

const noLogprobs = "not supported in responses; leave it out, or send a chat request"

// settings reads the members besides the conversation and the tools.
func (r *reader) settings() error {
	for name, v := range r.root.Members() {
		read, own := settings[name]
		var err error
		switch {
		case v.Kind() == ordered.Null:
		case !own:
			err = r.pass(name, v)
		case read != nil:
			err = read(r, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pass passes a member on.
func (r *reader) pass(name string, v *ordered.Value) error {
	r.member(name, v.Path())
	r.out = append(r.out, v.Raw()...)
	return nil
}

func flag(store func(*reader, bool)) setting {
	return func(r *reader, v *ordered.Value) error {
		if v.Kind() != ordered.Bool {
			return v.Expected("true or false")
		}
		store(r, v.IsTrue())
		return nil
	}
}

func refused(why string) setting {
	return func(_ *reader, v *ordered.Value) error { return v.Fault("not supported: " + why) }
}

func moved(to string) setting {
	return func(_ *reader, v *ordered.Value) error {
		return v.Fault("a member of chat requests; send " + to + " instead")
	}
}

func ignored(why string) setting {
	return func(r *reader, v *ordered.Value) error {
		r.note("ignored %s: %s", v.Path(), why)
		return nil
	}
}

// only refuses a member with another value.
func only(value, why string) setting {
	return func(_ *reader, v *ordered.Value) error {
		if string(v.Raw()) != value {
			return v.Fault(why)
		}
		return nil
	}
}

func background(_ *reader, v *ordered.Value) error {
	if v.IsTrue() {
		return v.Fault("not supported: a response ends with its request; leave it out")
	}
	return flag(func(*reader, bool) {})(nil, v)
}

func truncation(r *reader, v *ordered.Value) error {
	switch v.Text() {
	case "disabled":
	case "auto":
		r.note("ignored truncation: conversations are not shortened")
	default:
		return v.Expected(`"auto" or "disabled"`)
	}
	return nil
}

// verbosity passes on what chats call otherwise, besides the format.
func verbosity(r *reader, v *ordered.Value) error {
	if v.Kind() != ordered.Object {
		return v.Expected("an object")
	}
	if m := v.Get("verbosity"); isSet(m) {
		return r.pass("verbosity", m)
	}
	return nil
}

// include reads what the response should contain beyond the usual.
func include(r *reader, v *ordered.Value) error {
	if v.Kind() != ordered.Array {
		return v.Expected("an array of strings")
	}
	for _, item := range v.Items() {
		if item.Kind() != ordered.String {
			return item.Expected("a string")
		}
		switch name := item.Text(); name {
		case "reasoning.encrypted_content":
			r.Encrypted = true
		case "message.output_text.logprobs":
			return item.Fault(noLogprobs)
		default:
			r.note("ignored include %q: there is none of it", name)
		}
	}
	return nil
}

// format writes the format of the answer.
func (r *reader) format() error {
	v := r.root.Get("text").Get("format")
	if !isSet(v) {
		return nil
	}
	if v.Kind() != ordered.Object {
		return v.Expected("an object")
	}
	kind, err := needed(v, "type", `"text", "json_schema" or "json_object"`)
	if err != nil || kind == "text" {
		return err
	}
	r.member("response_format", v.Path())
	if kind != "json_schema" {
		r.out = append(r.out, v.Raw()...)
		return nil
	}
	if !isSet(v.Get("schema")) {
		return v.Missing("schema", "a JSON Schema")
	}
	r.places.Add("response_format.json_schema", v.Path())
	r.out = append(r.out, `{"type":"json_schema","json_schema":{`...)
	for name, m := range v.Members() {
		if name != "type" {
			r.out = append(appendName(r.out, name), m.Raw()...)
		}
	}
	r.out = append(r.out, "}}"...)
	return nil
}

// choice writes which tools the model may or must call.
func (r *reader) choice() error {
	v := r.root.Get("tool_choice")
	if !isSet(v) {
		return nil
	}
	if v.Kind() == ordered.String {
		return r.mode(v)
	}
	kind, err := needed(v, "type", `"function", "custom" or "allowed_tools"`)
	if err != nil {
		return err
	}
	switch kind {
	case "allowed_tools": // readTools has left out the others
		if m := v.Get("mode"); isSet(m) {
			return r.mode(m)
		}
		return nil
	case "function", "custom":
		return r.named(v)
	}
	return &fault.Error{Code: fault.InvalidArgument, Place: v.Path() + ".type", Message: "the gateway has no tool of type " + kind, Remedy: `send "auto", or name a function`}
}

// mode writes "auto", "none" or "required". Without tools there is nothing to choose from.
func (r *reader) mode(v *ordered.Value) error {
	if word := v.Text(); len(r.tools) > 0 || word != "auto" && word != "none" {
		return r.pass("tool_choice", v)
	}
	return nil
}

// named writes that one tool must be called.
func (r *reader) named(v *ordered.Value) error {
	name, err := functionOf(v)
	if err != nil {
		return err
	}
	r.member("tool_choice", v.Path())
	r.places.Add("tool_choice.function", v.Path())
	r.out = append(appendText(append(r.out, `{"type":"function","function":{"name":`...), name), "}}"...)
	return nil
}
