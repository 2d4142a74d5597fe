// Package functionary is the plugin for models that address each part of a turn to a recipient:
// everyone, or a function. See README.md for the format, handler.go for the handler, and program.go
// for how outputs are parsed.
//
// The command cmd/functionary serves the handlers to a host; a Go program passes those that
// Handlers returns to dragoman.Open.
package functionary

import "github.com/dragoman-project/dragoman/sdk/handler"

// Handlers returns the handler of this plugin, for use in process.
func Handlers() []handler.Handler { return []handler.Handler{new(functionary)} }
