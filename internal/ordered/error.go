package ordered

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// syntaxError returns err, which reading a text has returned, as a *fault.Error.
func syntaxError(err error) error {
	var known *fault.Error
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, io.EOF):
		return fault.Invalid("", "expected a JSON value, found nothing")
	case !errors.As(err, &syntax):
		return fault.Invalid("", fmt.Sprintf("not JSON: %v", err))
	}
	path := PointerPath("", syntax.JSONPointer)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return fault.Invalid(path, "the object has two members of this name; send it once")
	}
	return fault.Invalid(path, fmt.Sprintf("not JSON: byte %d: %v", syntax.ByteOffset, syntax.Err))
}

// IndexPath returns the path of an item of the array at path.
func IndexPath(path string, index int) string { return string(appendIndex([]byte(path), index)) }

// MemberPath returns the path of a member of the object at path. Names that would be misread are quoted.
func MemberPath(path, name string) string { return string(appendMember([]byte(path), name)) }

// PointerPath returns the path of what a JSON pointer leads to from the value at path:
// PointerPath("tools[0].function.parameters", "/properties/a") is "tools[0].function.parameters.properties.a".
// A pointer does not distinguish the name "0" from the index 0; this is read as an index.
func PointerPath(path string, pointer jsontext.Pointer) string {
	b := []byte(path)
	for token := range pointer.Tokens() {
		if index, err := strconv.Atoi(token); err == nil {
			b = appendIndex(b, index)
		} else {
			b = appendMember(b, token)
		}
	}
	return string(b)
}

func appendIndex(path []byte, index int) []byte {
	return append(strconv.AppendInt(append(path, '['), int64(index), 10), ']')
}

func appendMember(path []byte, name string) []byte {
	switch {
	case name == "" || strings.ContainsAny(name, ".[]\" \t\n"):
		return append(strconv.AppendQuote(append(path, '['), name), ']')
	case len(path) > 0:
		path = append(path, '.')
	}
	return append(path, name...)
}
