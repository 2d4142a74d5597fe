// Package kimi is the plugin for models whose calls have ids such as functions.name:0, like Kimi
// K2. See README.md for the format, and handler.go for the handler and for how outputs are parsed.
//
// The command cmd/kimi serves the handlers to a host; a Go program passes those that Handlers
// returns to dragoman.Open.
package kimi

import "github.com/dragoman-project/dragoman/sdk/handler"

// Handlers returns the handler of this plugin, for use in process.
func Handlers() []handler.Handler { return []handler.Handler{kimi{}} }
