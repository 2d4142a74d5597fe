// Gemma4 is the plugin for models that write thoughts in channels and calls in a notation of their own, such as Gemma 4. See
// README.md for the format, handler.go for what is answered, program.go for how outputs are read, and arguments.go for the
// notation.
package main

import "github.com/dragoman-project/dragoman/sdk"

func main() { sdk.Serve(gemma4{}) }
