package algebra

import (
	"errors"
	"fmt"
)

// Error is an error in a schema, with its place.
type Error struct {
	Path    string // a JSON pointer from the root of the schema: "#/properties/a"
	Message string

	contradiction bool // the schema is well-formed, but no value follows it
}

func (e *Error) Error() string { return "schema: " + e.Path + ": " + e.Message }

// Errorf returns an error at a place of a schema.
func Errorf(path, format string, args ...any) error {
	return &Error{Path: path, Message: fmt.Sprintf(format, args...)}
}

// Contradiction returns the error of a schema that no value follows.
func Contradiction(path, format string, args ...any) error {
	return &Error{Path: path, Message: fmt.Sprintf(format, args...), contradiction: true}
}

// IsContradiction reports whether err is a contradiction.
func IsContradiction(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.contradiction
}
