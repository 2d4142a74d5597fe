// Package taggedthinking is the plugin for models that begin reasoning without a marker, and write
// calls and arguments in tags. See README.md for the format, handler.go for the handler, and
// program.go for how outputs are parsed.
//
// The command cmd/taggedthinking serves the handlers to a host; a Go program passes those that
// Handlers returns to dragoman.Open.
package taggedthinking

import "github.com/dragoman-project/dragoman/sdk/handler"

// Handlers returns the handler of this plugin, for use in process. It claims no template.
func Handlers() []handler.Handler { return []handler.Handler{new(taggedThinking)} }

// Claiming returns the handler of this plugin, for use in process. It claims the templates of its
// Family, at the price of waiting.
func Claiming() []handler.Handler { return []handler.Handler{&taggedThinking{match: Family}} }
