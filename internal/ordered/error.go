package ordered

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Error is a fault of a JSON text, and the place of it.
type Error struct {
	Path    string // of the value at fault, such as messages[2].content; empty for the whole text
	Message string // what was expected, what was found, what to do
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// syntaxError returns err, which reading a text has returned, as an *Error.
func syntaxError(err error) error {
	var fault *Error
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &fault):
		return fault
	case errors.Is(err, io.EOF):
		return &Error{Message: "expected a JSON value, found nothing"}
	case !errors.As(err, &syntax):
		return &Error{Message: fmt.Sprintf("not JSON: %v", err)}
	}
	path := PointerPath("", syntax.JSONPointer)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return &Error{Path: path, Message: "the object has two members of this name; send it once"}
	}
	return &Error{Path: path, Message: fmt.Sprintf("not JSON: byte %d: %v", syntax.ByteOffset, syntax.Err)}
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
