// Package gptoss is the plugin for models that write the harmony format, such as gpt-oss: messages
// with an author, a recipient and a channel. See README.md for the format, handler.go for the
// handler, and program.go for how outputs are parsed.
//
// The command cmd/gptoss serves the handlers to a host; a Go program passes those that Handlers
// returns to dragoman.Open.
package gptoss

import "github.com/dragoman-project/dragoman/sdk/handler"

// Handlers returns the handler of this plugin, for use in process.
func Handlers() []handler.Handler { return []handler.Handler{new(gptoss)} }
