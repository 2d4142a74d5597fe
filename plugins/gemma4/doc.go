// Package gemma4 is the plugin for models that write calls in a notation of their own: Gemma 4, which writes thoughts in channels,
// too, and FunctionGemma. See README.md for the format, notation.go for how each spells it, handler.go and functiongemma.go for
// what is answered, program.go for how outputs are read, and arguments.go for the notation of arguments.
//
// The command cmd/gemma4 serves the handlers to a host; a Go program passes those that Handlers returns to dragoman.Open.
package gemma4

import "github.com/dragoman-project/dragoman/sdk/handler"

// Handlers returns the handlers of this plugin, ready for use in process.
func Handlers() []handler.Handler { return []handler.Handler{gemma4{}, functionGemma{}} }
