package jsonschema

import (
	"fmt"
	"strconv"
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
func (s Schema) Check() error {
	if fault := check(s.value(), 0); fault != nil {
		fault.Path = "#" + fault.Path
		return fault
	}
	return nil
}

// check checks a schema and those in it. The paths of its errors begin there.
func check(v *Value, depth int) *Error {
	switch {
	case depth > maxCheckedDepth:
		return &Error{Message: "the schema nests too deep; flatten it, or use $defs and $ref"}
	case v.Is(Bool):
		return nil
	case !v.Is(Object):
		return expected(v, "a JSON Schema: an object, true or false")
	}
	for name, value := range v.All() {
		if value.Is(Null) { // some clients write null for "not set"
			continue
		}
		if fault := checkKeyword(name, value, depth+1); fault != nil {
			return fault.within(name)
		}
	}
	return nil
}

// within returns the error as seen from around the member of that name.
func (e *Error) within(name string) *Error {
	e.Path = Pointer("", name) + e.Path
	return e
}

// checkKeyword checks the value of one keyword.
func checkKeyword(name string, v *Value, depth int) *Error {
	k := keywords[name]
	switch {
	case k.required == 0:
		return nil
	case k.holds == schema, k.holds == schemaOrList && !v.Is(Array):
		return check(v, depth)
	case !v.Is(k.required):
		return k.expected(name, v)
	}
	for inner, sub := range v.All() {
		if k.holds != schemasByName {
			break
		}
		if fault := check(sub, depth); fault != nil {
			return fault.within(inner)
		}
	}
	for i, item := range v.List() {
		if fault := k.checkItem(item, depth); fault != nil {
			return fault.within(strconv.Itoa(i))
		}
	}
	return nil
}

// checkItem checks an item of the value of a keyword.
func (k Keyword) checkItem(item *Value, depth int) *Error {
	switch {
	case k.stringItems && !item.Is(String):
		return expected(item, "a string")
	case k.holds == schemas, k.holds == schemaOrList:
		return check(item, depth)
	}
	return nil
}

// expected returns the error for a value of the wrong kind.
func (k Keyword) expected(name string, v *Value) *Error {
	switch name {
	case "type":
		return expected(v, `a type such as "string", or a list of types`)
	case "required":
		return expected(v, "a list of strings", "the required properties are named in the object that has them")
	}
	return expected(v, k.required.Noun())
}

// expected returns the error for a value of the wrong kind, with what to do.
func expected(v *Value, what string, remedy ...string) *Error {
	message := fmt.Sprintf("expected %s, found %s", what, v.found())
	return &Error{Message: strings.Join(append([]string{message}, remedy...), "; ")}
}

// found describes v in messages: a short string as it is, anything else by its kind.
func (v *Value) found() string {
	const short = 40
	if v.Kind == String && len(v.source) <= short {
		return string(v.source)
	}
	return v.Kind.Noun()
}
