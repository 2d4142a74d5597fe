// Gemma4 is the plugin for models that write calls in a notation of their own: Gemma 4, which writes thoughts in channels,
// too, and FunctionGemma. See README.md for the format, notation.go for how each spells it, handler.go and functiongemma.go for
// what is answered, program.go for how outputs are read, and arguments.go for the notation of arguments.
package main

import "github.com/dragoman-project/dragoman/sdk"

func main() { sdk.Serve(gemma4{}, functionGemma{}) }
