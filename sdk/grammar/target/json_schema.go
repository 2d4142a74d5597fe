package target

import (
	"encoding/json"
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/value"
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
	calls := &value.Value{Kind: value.Array}
	for i, t := range r.Tools {
		if r.ToolChoice.Mode == chat.ToolNamed && t.Name != r.ToolChoice.Name {
			continue
		}
		arguments := value.NewObject()
		arguments.Set("type", value.NewString("object"))
		if !t.Parameters.IsZero() {
			var err error
			if arguments, err = value.Decode(t.Parameters.Raw()); err != nil {
				return nil, fault.Invalid(fmt.Sprintf("tools[%d].function.parameters", i), err.Error())
			}
		}
		calls.Items = append(calls.Items, oneCall(t.Name, arguments.Moved(fmt.Sprintf("/anyOf/%d/properties/arguments", len(calls.Items)))))
	}
	out := value.NewObject()
	out.Set("anyOf", calls)
	return json.RawMessage(out.Compact()), nil
}

// oneCall is the schema of a call.
func oneCall(name string, arguments *value.Value) *value.Value {
	constant := value.NewObject()
	constant.Set("const", value.NewString(name))
	properties := value.NewObject()
	properties.Set("name", constant)
	properties.Set("arguments", arguments)
	out := value.NewObject()
	out.Set("type", value.NewString("object"))
	out.Set("properties", properties)
	out.Set("required", &value.Value{Kind: value.Array, Items: []*value.Value{value.NewString("name"), value.NewString("arguments")}})
	out.Set("additionalProperties", &value.Value{Kind: value.Bool})
	return out
}
