// Package lfm2 is the plugin for models that write calls in Python, such as LFM2 and LFM2.5. See
// README.md for the format, handler.go for the handler, and program.go for how outputs are parsed.
//
// The command cmd/lfm2 serves the handlers to a host; a Go program passes those that Handlers
// returns to dragoman.Open.
package lfm2

import "github.com/dragoman-project/dragoman/sdk/handler"

// Handlers returns the handler of this plugin, for use in process.
func Handlers() []handler.Handler { return []handler.Handler{lfm2{}} }
