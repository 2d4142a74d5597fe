package chat

import (
	"errors"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// readSchema reads a JSON Schema that is an object, and checks its shape. Whether it can be turned into a grammar is decided
// there.
func readSchema(v value) (jsonschema.Schema, error) {
	if v.Kind() != ordered.Object {
		return jsonschema.Schema{}, v.expected("a JSON Schema, which is an object")
	}
	s, err := jsonschema.Parse(v.Raw())
	if err != nil { // its syntax has been checked
		return s, v.fault("the schema nests too deep; flatten it, or use $defs and $ref")
	}
	return s, SchemaFault(v.Path(), s.Check())
}

// SchemaFault returns an error of the package jsonschema about the schema at path as a *fault.Error; nil for nil.
func SchemaFault(path string, err error) error {
	if err == nil {
		return nil
	}
	message := err.Error()
	if fault := new(jsonschema.Error); errors.As(err, &fault) {
		path, message = PathTo(path, fault.Path), fault.Message
	}
	return fault.Invalid(path, message)
}
