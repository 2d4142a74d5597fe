package chat

import (
	"encoding/json"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// UnmarshalJSON reads a tool, wrapped as {"type":"function","function":{…}} or bare. Errors are of type *fault.Error.
func (t *Tool) UnmarshalJSON(data []byte) error { return unmarshal(t, data, readTool) }

// readTool reads a tool and checks its schema. Raw is wrapped even if the tool is not, because templates expect that.
func readTool(v value) (t Tool, err error) {
	bare := true
	var rest []Field
	function := map[string]func(value) error{
		"name":        into(&t.Name, value.text),
		"description": into(&t.Description, value.text),
		"parameters":  into(&t.Parameters, readParameters),
		"strict":      into(&t.Strict, value.boolean),
	}
	wrapper := map[string]func(value) error{
		"type":     checkFunctionType,
		"function": func(v value) error { bare = false; return v.fields(function, &rest) },
	}
	if v.has("function") {
		err = v.fields(wrapper, &rest)
	} else {
		function["type"] = checkFunctionType
		err = v.fields(function, &rest)
	}
	if err != nil {
		return t, err
	}
	if t.Name == "" {
		return t, v.missing("the name of the function", nameOf(!bare)...)
	}
	t.Raw = v.Raw()
	if bare {
		t.Raw, err = wrapTool(v)
	}
	return t, err
}

// wrapTool wraps the members of a bare tool, except its type, in a function.
func wrapTool(v value) (json.RawMessage, error) {
	w := newWriter()
	w.open('{')
	w.member("type").text("function")
	w.member("function").open('{')
	for name, m := range v.Members() {
		if name != "type" {
			w.member(name).raw(m.Raw())
		}
	}
	w.close('}')
	w.close('}')
	return w.bytes()
}

// readParameters checks that v describes an object, as arguments are.
func readParameters(v value) (jsonschema.Schema, error) {
	schema, err := readSchema(v)
	if err != nil {
		return schema, err
	}
	named := schema.Value().Get("type")
	if named.Is(jsonschema.String|jsonschema.Array) && named.Text != "object" && !slices.Contains(named.Strings(), "object") {
		return schema, v.get("type").expected(`"object"`, "the arguments of a function are always an object")
	}
	return schema, nil
}
