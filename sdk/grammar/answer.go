package grammar

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// AnswerSchema is a JSON Schema for the answer to a request, for engines that hold outputs to such a schema and to nothing
// else: the schema that the request wants the content to follow, or a call of one of its tools as an object with its name
// and arguments. It is nil where the model may answer freely, which no schema can leave open. Lost is what it cannot say.
func AnswerSchema(r *chat.Request) (schema json.RawMessage, lost []string, err error) {
	switch {
	case r.ToolChoice.Mode == chat.ToolRequired || r.ToolChoice.Mode == chat.ToolNamed:
		lost = append(lost, "the output is one call as a JSON object with name and arguments, in place of the template's own way to write calls: read it as JSON")
		if r.ParallelToolCalls {
			lost = append(lost, "several calls in a turn are not possible")
		}
		schema, err = callSchema(r)
		return schema, lost, err
	case !r.JSONSchema.IsZero():
		if len(r.Tools) > 0 && r.ToolChoice.Mode != chat.ToolNone {
			lost = append(lost, "calls of tools are not possible")
		}
		return r.JSONSchema.Raw(), lost, nil
	case len(r.Tools) > 0 && r.ToolChoice.Mode != chat.ToolNone:
		lost = append(lost, `arguments are not held to their schemas: a JSON Schema cannot leave it to the model whether to call a tool; send tool_choice "required", or take another target`)
	}
	return nil, lost, nil
}

// callSchema is a call of one of the tools that the request allows.
func callSchema(r *chat.Request) (json.RawMessage, error) {
	calls := &value{kind: arrayKind}
	for i, t := range r.Tools {
		if r.ToolChoice.Mode == chat.ToolNamed && t.Name != r.ToolChoice.Name {
			continue
		}
		arguments := newObject()
		arguments.set("type", stringValue("object"))
		if !t.Parameters.IsZero() {
			var err error
			if arguments, err = decode(t.Parameters.Raw()); err != nil {
				return nil, &chat.RequestError{Path: fmt.Sprintf("tools[%d].function.parameters", i), Message: err.Error()}
			}
		}
		calls.items = append(calls.items, oneCall(t.Name, arguments.moved(fmt.Sprintf("/anyOf/%d/properties/arguments", len(calls.items)))))
	}
	out := newObject()
	out.set("anyOf", calls)
	return json.RawMessage(out.compact()), nil
}

// oneCall is the schema of a call.
func oneCall(name string, arguments *value) *value {
	constant := newObject()
	constant.set("const", stringValue(name))
	properties := newObject()
	properties.set("name", constant)
	properties.set("arguments", arguments)
	out := newObject()
	out.set("type", stringValue("object"))
	out.set("properties", properties)
	out.set("required", &value{kind: arrayKind, items: []*value{stringValue("name"), stringValue("arguments")}})
	out.set("additionalProperties", &value{kind: boolKind})
	return out
}

// moved is a schema for use at another place, to which its references lead.
func (v *value) moved(to string) *value {
	out := *v
	out.items, out.fields = nil, nil
	for _, item := range v.items {
		out.items = append(out.items, item.moved(to))
	}
	if v.kind != objectKind {
		return &out
	}
	out.fields = make(map[string]*value, len(v.fields))
	for k, field := range v.fields {
		if k == "$ref" && field.kind == stringKind && strings.HasPrefix(field.text, "#") {
			out.fields[k] = stringValue("#" + to + field.text[1:])
			continue
		}
		out.fields[k] = field.moved(to)
	}
	return &out
}
