// Package gemma4 is the plugin for models that write calls in a notation of their own: Gemma 4,
// which also writes thoughts in channels, and FunctionGemma. See README.md for the format,
// notation.go for the tokens of each, handler.go and functiongemma.go for the handlers, program.go
// for how outputs are parsed, and arguments.go for the notation of arguments.
//
// The command cmd/gemma4 serves the handlers to a host; a Go program passes those that Handlers
// returns to dragoman.Open.
package gemma4

import "github.com/dragoman-project/dragoman/sdk/handler"

// Handlers returns the handlers of this plugin, for use in process.
func Handlers() []handler.Handler { return []handler.Handler{gemma4{}, functionGemma{}} }
