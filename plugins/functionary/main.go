// Functionary is the plugin for models that address each part of a turn to a recipient: everyone, or a function. See
// README.md for the format, handler.go for what is answered, and program.go for how outputs are read.
package main

import "github.com/dragoman-project/dragoman/sdk"

func main() { sdk.Serve(new(functionary)) }
