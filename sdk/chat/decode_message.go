package chat

import (
	"encoding/json"

	"github.com/dragoman-project/dragoman/internal/ordered"
)

// TextContent returns a content that is one text.
func TextContent(text string) Content { return Content{Text: &text} }

// UnmarshalJSON reads an OpenAI message. Errors are of type *fault.Error.
func (m *Message) UnmarshalJSON(data []byte) error { return unmarshal(m, data, readMessage) }

// UnmarshalJSON reads null, a string or an array of parts. Errors are of type *fault.Error.
func (c *Content) UnmarshalJSON(data []byte) error { return unmarshal(c, data, readContent) }

// UnmarshalJSON reads a typed part. Errors are of type *fault.Error.
func (p *Part) UnmarshalJSON(data []byte) error { return unmarshal(p, data, readPart) }

// UnmarshalJSON reads a tool call, wrapped as OpenAI does or bare. Errors are of type *fault.Error.
func (c *Call) UnmarshalJSON(data []byte) error { return unmarshal(c, data, readCall) }

// unmarshal reads a whole document. It does not change target if that fails.
func unmarshal[T any](target *T, data []byte, read func(value) (T, error)) error {
	v, err := document(data)
	if err != nil {
		return err
	}
	result, err := read(v)
	if err == nil {
		*target = result
	}
	return err
}

func readMessage(v value) (m Message, err error) {
	var alias string
	err = v.fields(map[string]func(value) error{
		"role":              into(&m.Role, value.text),
		"content":           into(&m.Content, readContent),
		"reasoning_content": into(&m.ReasoningContent, value.text),
		"reasoning":         into(&alias, value.text), // what some engines and clients call it; reasoning_content wins
		"tool_calls":        into(&m.ToolCalls, each(readCall)),
		"tool_call_id":      into(&m.ToolCallID, value.text),
		"name":              into(&m.Name, value.text),
	}, &m.Extra)
	if err != nil {
		return m, err
	}
	if m.ReasoningContent == "" {
		m.ReasoningContent = alias
	}
	if m.Role == "" {
		return m, v.missing(`a role such as "user"`, "role")
	}
	if !v.has("content", "tool_calls", "reasoning_content", "reasoning", "refusal") {
		return m, v.missing("content or tool_calls", "content")
	}
	return m, nil
}

func readContent(v value) (c Content, err error) {
	switch v.Kind() {
	case ordered.Null:
		return c, nil
	case ordered.String:
		text, err := v.text()
		return TextContent(text), err
	case ordered.Array:
		c.Parts, err = each(readPart)(v)
		return c, err
	}
	return c, v.expected("a string, null or an array of parts")
}

func readPart(v value) (p Part, err error) {
	var rest []Field
	err = v.fields(map[string]func(value) error{"type": into(&p.Type, value.text)}, &rest)
	if err != nil {
		return p, err
	}
	if p.Type == "" {
		return p, v.missing(`a type such as "text"`, "type")
	}
	p.Raw = json.RawMessage(v.Raw())
	if p.Type != "text" {
		return p, nil
	}
	if text := v.get("text"); text.Value != nil {
		p.Text, err = text.text()
		return p, err
	}
	return p, v.missing("a string", "text")
}

func readCall(v value) (c Call, err error) {
	wrapped := false
	var dropped []Field // templates and clients know no other members of a function
	function := map[string]func(value) error{
		"name":      into(&c.Name, value.text),
		"arguments": into(&c.Arguments, readArguments),
	}
	err = v.fields(map[string]func(value) error{
		"id":        into(&c.ID, value.text),
		"type":      checkCallType,
		"function":  func(v value) error { wrapped = true; return v.fields(function, &dropped) },
		"name":      function["name"],
		"arguments": function["arguments"],
	}, &c.Extra)
	if err == nil && c.Name == "" {
		err = v.missing("the name of the function that was called", nameOf(wrapped)...)
	}
	return c, err
}

// readArguments keeps arguments as JSON text, whether they come as such or as an object.
func readArguments(v value) (string, error) {
	switch v.Kind() {
	case ordered.String:
		return v.text()
	case ordered.Object:
		return v.compact(), nil
	}
	return "", v.expected("a JSON text or an object")
}

// checkCallType rejects types other than functions. Clients that assemble a call from deltas may leave its type empty.
func checkCallType(v value) error {
	if text, err := v.text(); err == nil && text == "" {
		return nil
	}
	return checkFunctionType(v)
}

func checkFunctionType(v value) error {
	text, err := v.text()
	if err == nil && text != "function" {
		err = v.expected(`"function"`, "only functions are supported")
	}
	return err
}

// nameOf returns the path of the name in a call or tool.
func nameOf(wrapped bool) []string {
	if wrapped {
		return []string{"function", "name"}
	}
	return []string{"name"}
}
