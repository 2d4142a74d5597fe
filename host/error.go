package host

import (
	"errors"
	"fmt"

	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Error is the error of this package.
type Error = fault.Error

// Code is the code of an Error.
type Code = fault.Code

// The codes of this package's errors.
const (
	InvalidArgument = fault.InvalidArgument
	NotFound        = fault.NotFound
	LimitExceeded   = fault.LimitExceeded
	Unavailable     = fault.Unavailable
	OutputRefused   = fault.OutputRefused
	Internal        = fault.Internal
)

// CodeOf returns the code of err.
func CodeOf(err error) Code { return fault.CodeOf(err) }

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
	var broken *plugins.Fault
	switch {
	case errors.As(err, &gone):
		return &Error{Code: Unavailable, Place: gone.Plugin, Message: err.Error(), Remedy: "try again; status and log say what became of it", Err: err}
	case errors.As(err, &broken):
		return &Error{Code: Internal, Place: broken.Plugin, Message: err.Error(), Remedy: "replace the plugin by a version that works", Err: err}
	}
	return err
}
