package host

import (
	"context"
	"errors"

	"github.com/dragoman-project/dragoman/host/plugins"
)

// pluginFault converts a plugin's error to an *Error; others are returned as they are.
func pluginFault(err error) error {
	if err == nil {
		return nil // without allocating, since every chunk comes here
	}
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

// ended reports whether an error is that of a context.
func ended(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// planFault returns the error of a plan that cannot be used: the client's fault where it is an *Error, otherwise the handler's.
func planFault(handler string, err error) error {
	var invalid *Error
	if errors.As(err, &invalid) || ended(err) {
		return err
	}
	return &Error{Code: Internal, Place: handler, Message: err.Error(), Err: err}
}
