package target

import (
	"encoding/json"
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// AnswerSchema returns a JSON Schema for the answer to a request, for engines that support nothing
// else: the schema in the request, or a call of one of its tools as an object with name and
// arguments. It is nil if the model may answer freely, which a schema cannot express. Lost lists
// what is not enforced.
func AnswerSchema(r *chat.Request) (schema json.RawMessage, lost []string) {
	switch {
	case r.ToolChoice.Mode == chat.ToolRequired || r.ToolChoice.Mode == chat.ToolNamed:
		lost = append(lost, "the output is one call as a JSON object with name and arguments instead of the template's call format; parse it as JSON")
		if r.ParallelToolCalls {
			lost = append(lost, "parallel tool calls are not possible")
		}
		return callSchema(r), lost
	case !r.JSONSchema.IsZero():
		if len(r.Tools) > 0 && r.ToolChoice.Mode != chat.ToolNone {
			lost = append(lost, "tool calls are not possible")
		}
		return r.JSONSchema.Raw(), lost
	case len(r.Tools) > 0 && r.ToolChoice.Mode != chat.ToolNone:
		lost = append(lost, `the schemas of tools are not enforced: a JSON Schema cannot leave the choice between an answer and a call; send tool_choice "required", or use another target`)
	}
	return nil, lost
}

// callSchema returns the schema of a call of any tool that the request allows.
func callSchema(r *chat.Request) json.RawMessage {
	calls := jsonschema.NewArray()
	for _, t := range r.Tools {
		if r.ToolChoice.Mode == chat.ToolNamed && t.Name != r.ToolChoice.Name {
			continue
		}
		arguments := jsonschema.NewObject()
		arguments.Set("type", jsonschema.NewString("object"))
		if !t.Parameters.IsZero() {
			arguments = t.Parameters.Value()
		}
		calls.Items = append(calls.Items, oneCall(t.Name, arguments.Moved(fmt.Sprintf("/anyOf/%d/properties/arguments", len(calls.Items)))))
	}
	out := jsonschema.NewObject()
	out.Set("anyOf", calls)
	return json.RawMessage(out.Compact())
}

// oneCall returns the schema of a call of one tool.
func oneCall(name string, arguments *jsonschema.Value) *jsonschema.Value {
	constant := jsonschema.NewObject()
	constant.Set("const", jsonschema.NewString(name))
	properties := jsonschema.NewObject()
	properties.Set("name", constant)
	properties.Set("arguments", arguments)
	out := jsonschema.NewObject()
	out.Set("type", jsonschema.NewString("object"))
	out.Set("properties", properties)
	out.Set("required", jsonschema.NewArray(jsonschema.NewString("name"), jsonschema.NewString("arguments")))
	out.Set("additionalProperties", jsonschema.NewBool(false))
	return out
}
