package chat

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// RequestError says that a request is at fault, and where: the client has to change it.
type RequestError struct {
	// Path is the place in the request, such as "messages[2].tool_calls[0].function.name"; empty means the whole.
	Path string
	// Message says what was expected, what was found, and what to do about it.
	Message string
}

func (e *RequestError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// malformed is the error for text that is not JSON.
func malformed(err error) *RequestError {
	if errors.Is(err, io.EOF) {
		return &RequestError{Message: "expected a JSON value, found nothing"}
	}
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return &RequestError{Message: fmt.Sprintf("not JSON: %v", err)}
	}
	path := PathTo("", syntax.JSONPointer)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return &RequestError{Path: path, Message: "the object has two members of this name; send it once"}
	}
	return &RequestError{Path: path, Message: fmt.Sprintf("not JSON: byte %d: %v", syntax.ByteOffset, syntax.Err)}
}
