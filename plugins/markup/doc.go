// Package markup is the plugin for models whose arguments are markup that cannot be learned by
// comparing renderings: nested elements, as MiniMax-M3 writes them, and CDATA sections, as MiniCPM5
// does. See README.md for the formats, and nested.go and cdata.go for how they are parsed.
//
// The command cmd/markup serves the handlers to a host; a Go program passes those that Handlers
// returns to dragoman.Open.
package markup

import "github.com/dragoman-project/dragoman/sdk/handler"

// Handlers returns the handlers of this plugin, for use in process.
func Handlers() []handler.Handler { return []handler.Handler{nested{}, cdata{}} }
