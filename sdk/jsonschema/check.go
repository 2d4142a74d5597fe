package jsonschema

import (
	"fmt"
	"strings"
)

// maxCheckedDepth bounds how deep schemas may nest in the schemas of requests: far more than people write, and little enough
// for every later stage.
const maxCheckedDepth = 64

// Error is a fault of a schema.
type Error struct {
	Path    string // a JSON pointer from the schema's root, such as "#/properties/a"
	Message string // what was expected, what was found, what to do
}

func (e *Error) Error() string { return "schema: " + e.Path + ": " + e.Message }

// Check finds keywords whose values are of the wrong kind, in a schema that a client has sent. It ignores unknown keywords;
// whether a schema can be turned into a grammar is decided there. Errors are of type *Error.
func (s Schema) Check() error { return check(s.value(), "#", 0) }

func check(v *Value, path string, depth int) error {
	switch {
	case depth > maxCheckedDepth:
		return &Error{path, "the schema nests too deep; flatten it, or use $defs and $ref"}
	case v.Is(Bool):
		return nil
	case !v.Is(Object):
		return expected(v, path, "a JSON Schema: an object, true or false")
	}
	for name, value := range v.All() {
		if value.Is(Null) { // some clients write null for "not set"
			continue
		}
		if err := checkKeyword(name, value, Pointer(path, name), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// checkKeyword checks the value of one keyword.
func checkKeyword(name string, v *Value, path string, depth int) error {
	k := keywords[name]
	switch {
	case k.required == 0:
		return nil
	case k.holds == schema, k.holds == schemaOrList && !v.Is(Array):
		return check(v, path, depth)
	case !v.Is(k.required):
		return k.expected(name, v, path)
	case k.stringItems:
		return checkStrings(v, path)
	case k.holds == schemasByName:
		for inner, sub := range v.All() {
			if err := check(sub, Pointer(path, inner), depth); err != nil {
				return err
			}
		}
	case k.holds == schemas, k.holds == schemaOrList:
		for i, item := range v.Items {
			if err := check(item, fmt.Sprint(path, "/", i), depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// expected is the error for a value of the wrong kind.
func (k Keyword) expected(name string, v *Value, path string) *Error {
	switch name {
	case "type":
		return expected(v, path, `a type such as "string", or a list of types`)
	case "required":
		return expected(v, path, "a list of strings", "the required properties are named in the object that has them")
	}
	return expected(v, path, k.required.Noun())
}

func checkStrings(v *Value, path string) error {
	for i, item := range v.Items {
		if !item.Is(String) {
			return expected(item, fmt.Sprint(path, "/", i), "a string")
		}
	}
	return nil
}

// expected is the error for a value of the wrong kind, with what to do.
func expected(v *Value, path, what string, remedy ...string) *Error {
	message := fmt.Sprintf("expected %s, found %s", what, v.found())
	return &Error{path, strings.Join(append([]string{message}, remedy...), "; ")}
}

// found describes v in messages: a short string as it is, anything else by its kind.
func (v *Value) found() string {
	const short = 40
	if v.Kind == String && len(v.source) <= short {
		return string(v.source)
	}
	return v.Kind.Noun()
}
