package algebra

import (
	"errors"
	"fmt"
)

// Error is what is wrong with a schema, and where.
type Error struct {
	Path    string // JSON pointer from the schema's root: "#/properties/a"
	Message string

	contradiction bool // the schema is well-formed, and no value follows it
}

func (e *Error) Error() string { return "schema: " + e.Path + ": " + e.Message }

func Errorf(path, format string, args ...any) error {
	return &Error{Path: path, Message: fmt.Sprintf(format, args...)}
}

// Contradiction is the error of a schema that no value follows.
func Contradiction(path, format string, args ...any) error {
	return &Error{Path: path, Message: fmt.Sprintf(format, args...), contradiction: true}
}

func IsContradiction(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.contradiction
}

// PathOf is where an error in a schema is.
func PathOf(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Path
}
