package host

import (
	"errors"
	"fmt"

	"github.com/dragoman-project/dragoman/host/plugins"
)

// Code says what kind of fault an Error is, and so what a caller can do about it.
type Code string

// The codes.
const (
	// InvalidArgument: the caller sent something that can never work; Place says where.
	InvalidArgument Code = "invalid_argument"
	// NotFound: no template of that name.
	NotFound Code = "not_found"
	// LimitExceeded: a configured limit was reached: of a body, an output, the sessions, a rendering.
	LimitExceeded Code = "limit_exceeded"
	// Unavailable: a plugin that is needed does not answer; trying again later can help.
	Unavailable Code = "unavailable"
	// OutputRefused: a policy of the request makes an error of what the model wrote; sampling again can help.
	OutputRefused Code = "output_refused"
	// Internal: a fault of the host itself.
	Internal Code = "internal"
)

// Error is what the host answers when it cannot do what was asked. Model output is a reason for one only where a policy of
// the request says so.
type Error struct {
	Code    Code
	Place   string // where: "template.jinja:3:14", a JSON path, a template's name; may be empty
	Message string // what
	Remedy  string // what to do about it; may be empty
	Err     error  // the cause, for errors.As
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

// CodeOf returns the code of err: Internal unless an *Error says otherwise.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// toldNames is how many templates an error lists, for there may be thousands.
const toldNames = 50

func notFound(name string, known []string) *Error {
	remedy := "no template is known yet: put one, or set templates.dir"
	if len(known) > 0 {
		remedy = fmt.Sprintf("the templates are %q", known[:min(len(known), toldNames)])
	}
	if more := len(known) - toldNames; more > 0 {
		remedy += fmt.Sprintf(" and %d more", more)
	}
	return &Error{Code: NotFound, Place: name, Message: "no such template", Remedy: remedy}
}

// pluginFault says of a plugin's error whether trying again can help.
func pluginFault(err error) error {
	var gone *plugins.Unavailable
	var fault *plugins.Fault
	switch {
	case errors.As(err, &gone):
		return &Error{Code: Unavailable, Place: gone.Plugin, Message: err.Error(), Remedy: "try again; status and log say what became of it", Err: err}
	case errors.As(err, &fault):
		return &Error{Code: Internal, Place: fault.Plugin, Message: err.Error(), Remedy: "replace the plugin by a version that works", Err: err}
	}
	return err
}
