// Package fault defines the error that the library, the daemon and its Go client return when they cannot do what was asked.
//
// An Error states the place and the kind of the problem and what to do about it; its Code tells programs whether to correct the
// request, to try again, or to give up. The daemon sends these fields as they are, in each of its protocols, and the client
// returns them as they were sent:
//
//	handler, chat, host ──*Error──→ daemon ──JSON, Connect, gRPC──→ client ──*Error──→ program
//
// Lists of mistakes in files that people write, such as workarounds, are types of their own, and so are positions in templates
// and grammars; they become the message, place and cause of an Error where they reach a client.
package fault

import "errors"

// Error is a failure with a code, and usually with a place and a remedy.
type Error struct {
	Code    Code
	Place   string // a path into the request, "template.jinja:3:14", a template's name; may be empty
	Message string // what is wrong: what was expected, what was found
	Remedy  string // what to do about it; may be empty
	Err     error  // the cause; may be nil
}

func (e *Error) Error() string {
	text := e.Message
	if e.Place != "" {
		text = e.Place + ": " + text
	}
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Invalid returns an error of code InvalidArgument: the part of a request at place must be corrected.
func Invalid(place, message string) *Error {
	return &Error{Code: InvalidArgument, Place: place, Message: message}
}

// CodeOf returns the code of the outermost *Error in err's chain, and Internal if there is none. It is for errors only: nil has
// no code.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}
