package chat

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// MarshalJSON returns the message with its members in the order role, content, reasoning_content, tool_calls, name,
// tool_call_id, and then Extra. Role and content are always present.
func (m Message) MarshalJSON() ([]byte, error) { return marshal(m.write) }

// MarshalJSON returns null, a string or an array of parts.
func (c Content) MarshalJSON() ([]byte, error) { return marshal(c.write) }

// MarshalJSON returns Raw, or a text part with Type and Text if Raw is nil.
func (p Part) MarshalJSON() ([]byte, error) { return marshal(p.write) }

// MarshalJSON returns the call wrapped as a function, with its members in the order type, function, id, and then Extra.
func (c Call) MarshalJSON() ([]byte, error) { return marshal(c.write) }

// MarshalJSON returns Raw, or the other fields wrapped as a function if Raw is nil.
func (t Tool) MarshalJSON() ([]byte, error) { return marshal(t.write) }

// MarshalJSON returns JSON that ParseRequest reads as r, except for Now, which is not part of a request's JSON.
func (r Request) MarshalJSON() ([]byte, error) { return marshal(r.write) }

func (m Message) write(w *writer) {
	w.open('{')
	w.member("role").text(m.Role)
	m.Content.write(w.member("content"))
	w.optional("reasoning_content", m.ReasoningContent)
	if len(m.ToolCalls) > 0 {
		w.member("tool_calls").open('[')
		for _, call := range m.ToolCalls {
			call.write(w)
		}
		w.close(']')
	}
	w.optional("name", m.Name)
	w.optional("tool_call_id", m.ToolCallID)
	w.fields(m.Extra)
	w.close('}')
}

func (c Content) write(w *writer) {
	switch {
	case c.Text != nil:
		w.text(*c.Text)
	case c.Parts == nil:
		w.token(jsontext.Null)
	default:
		w.open('[')
		for _, part := range c.Parts {
			part.write(w)
		}
		w.close(']')
	}
}

func (p Part) write(w *writer) {
	if p.Raw != nil {
		w.raw(p.Raw)
		return
	}
	w.open('{')
	w.member("type").text(p.Type)
	w.member("text").text(p.Text)
	w.close('}')
}

func (c Call) write(w *writer) {
	w.open('{')
	w.member("type").text("function")
	w.member("function").open('{')
	w.member("name").text(c.Name)
	w.member("arguments").text(c.Arguments)
	w.close('}')
	w.optional("id", c.ID)
	w.fields(c.Extra)
	w.close('}')
}

func (t Tool) write(w *writer) {
	if t.Raw != nil {
		w.raw(t.Raw)
		return
	}
	w.open('{')
	w.member("type").text("function")
	w.member("function").open('{')
	w.member("name").text(t.Name)
	w.optional("description", t.Description)
	if !t.Parameters.IsZero() {
		w.member("parameters").raw(t.Parameters.Raw())
	}
	w.flag("strict", t.Strict)
	w.close('}')
	w.close('}')
}

// writeFormat writes the format of the answer, in one of the fields that can hold it.
func (r Request) writeFormat(w *writer) {
	switch {
	case r.StrictSchema:
		w.member("response_format").open('{')
		w.member("type").text("json_schema")
		w.member("json_schema").open('{')
		w.member("schema").raw(r.JSONSchema.Raw())
		w.flag("strict", true)
		w.close('}')
		w.close('}')
	case !r.JSONSchema.IsZero():
		w.member("json_schema").raw(r.JSONSchema.Raw())
	case r.Grammar.Kind == GrammarGBNF:
		w.member("grammar").text(r.Grammar.Text)
	case r.Grammar.Kind == GrammarRegex:
		w.member("guided_regex").text(r.Grammar.Text)
	case r.Grammar.Kind == GrammarChoice:
		w.member("guided_choice").open('[')
		for _, text := range r.Grammar.Choices {
			w.text(text)
		}
		w.close(']')
	}
}

func (r Request) write(w *writer) {
	w.open('{')
	w.member("messages").open('[')
	for _, message := range r.Messages {
		message.write(w)
	}
	w.close(']')
	r.writeTools(w)
	r.writeFormat(w)
	if r.ReasoningFormat != ReasoningAuto {
		w.member("reasoning_format").text(r.ReasoningFormat.String())
	}
	r.writeThinking(w)
	w.member("add_generation_prompt").boolean(r.AddGenerationPrompt)
	if r.ContinueFinalMessage != ContinueNone {
		w.member("continue_final_message").text(r.ContinueFinalMessage.String())
	}
	if len(r.TemplateKwargs) > 0 {
		w.member("chat_template_kwargs").open('{')
		w.fields(r.TemplateKwargs)
		w.close('}')
	}
	w.flag("pure_content", r.PureContent)
	if r.Parsing != (Policies{}) {
		r.Parsing.write(w.member("parsing"))
	}
	w.fields(r.Extra)
	w.close('}')
}

func (r Request) writeTools(w *writer) {
	if len(r.Tools) > 0 {
		w.member("tools").open('[')
		for _, tool := range r.Tools {
			tool.write(w)
		}
		w.close(']')
	}
	switch r.ToolChoice.Mode {
	case ToolAuto:
	case ToolNamed:
		w.member("tool_choice").open('{')
		w.member("type").text("function")
		w.member("function").open('{')
		w.member("name").text(r.ToolChoice.Name)
		w.close('}')
		w.close('}')
	default:
		w.member("tool_choice").text(r.ToolChoice.Mode.String())
	}
	if len(r.Tools) > 0 || !r.ParallelToolCalls {
		w.member("parallel_tool_calls").boolean(r.ParallelToolCalls)
	}
}

func (r Request) writeThinking(w *writer) {
	if r.EnableThinking != nil {
		w.member("enable_thinking").boolean(*r.EnableThinking)
	}
	if r.Thinking != ThinkingAny {
		w.member("thinking").open('{')
		w.member("type").text(r.Thinking.String())
		w.close('}')
	}
	w.optional("reasoning_effort", r.ReasoningEffort)
	if r.ThinkingBudget > 0 {
		w.member("thinking_budget").token(jsontext.Int(int64(r.ThinkingBudget)))
	}
}

// writer writes JSON, up to the first error.
type writer struct {
	buffer bytes.Buffer
	enc    *jsontext.Encoder
	err    error
}

func newWriter() *writer {
	w := new(writer)
	w.enc = jsontext.NewEncoder(&w.buffer, jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
	return w
}

func marshal(write func(*writer)) ([]byte, error) {
	w := newWriter()
	write(w)
	return w.bytes()
}

func (w *writer) bytes() (json.RawMessage, error) {
	return bytes.TrimSuffix(w.buffer.Bytes(), []byte("\n")), w.err
}

func (w *writer) token(t jsontext.Token) {
	if w.err == nil {
		w.err = w.enc.WriteToken(t)
	}
}

func (w *writer) open(kind byte) {
	if kind == '{' {
		w.token(jsontext.BeginObject)
	} else {
		w.token(jsontext.BeginArray)
	}
}

func (w *writer) close(kind byte) {
	if kind == '}' {
		w.token(jsontext.EndObject)
	} else {
		w.token(jsontext.EndArray)
	}
}

func (w *writer) text(text string) { w.token(jsontext.String(text)) }

func (w *writer) boolean(b bool) { w.token(jsontext.Bool(b)) }

func (w *writer) raw(value []byte) {
	if w.err == nil {
		w.err = w.enc.WriteValue(value)
	}
}

// member writes the name of a member; its value is to be written next.
func (w *writer) member(name string) *writer {
	w.token(jsontext.String(name))
	return w
}

// optional writes a member if its text is not empty.
func (w *writer) optional(name, text string) {
	if text != "" {
		w.member(name).text(text)
	}
}

// flag writes a member if it is true.
func (w *writer) flag(name string, set bool) {
	if set {
		w.member(name).boolean(true)
	}
}

func (w *writer) fields(fields []Field) {
	for _, field := range fields {
		w.member(field.Name).raw(field.Value)
	}
}
