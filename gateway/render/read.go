package render

import (
	"errors"
	"fmt"
	"reflect"

	gojson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// read reads what a client has sent into a struct. Unknown members are ignored, as vLLM does. place is where data stands in the request.
func read(place string, data []byte, into any) error {
	err := gojson.Unmarshal(data, into, jsontext.AllowDuplicateNames(true))
	var kind *gojson.SemanticError
	var own *fault.Error
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own
	case errors.As(err, &kind):
		return fault.Invalid(ordered.PointerPath(place, kind.JSONPointer), fmt.Sprintf("expected %s, found %s", expected(kind.GoType), found(kind)))
	case errors.As(err, &syntax):
		return fault.Invalid(place, fmt.Sprintf("invalid JSON at byte %d: %v; send the body as JSON", syntax.ByteOffset, syntax.Err))
	}
	return fault.Invalid(place, fmt.Sprintf("invalid JSON: %v", err))
}

// expected describes what a member of a type holds.
func expected(t reflect.Type) string {
	if t == nil {
		return "another value"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return expected(t.Elem())
	case reflect.Uint32:
		return "a token id"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

// found describes what stands there.
func found(e *gojson.SemanticError) string {
	const shown = 40
	if len(e.JSONValue) > 0 && len(e.JSONValue) <= shown {
		return string(e.JSONValue)
	}
	switch e.JSONKind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	}
	return "something else"
}

// texts is a string or an array of strings.
type texts []string

// UnmarshalJSON reads either form.
func (t *texts) UnmarshalJSON(data []byte) error {
	if jsontext.Value(data).Kind() == '"' {
		*t = make(texts, 1)
		return gojson.Unmarshal(data, &(*t)[0])
	}
	return gojson.Unmarshal(data, (*[]string)(t))
}
