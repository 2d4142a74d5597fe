// Taggedthinking is the plugin for models that think without saying so, and write calls and arguments in tags. See README.md
// for the format, handler.go for what is answered, and program.go for how outputs are read.
package main

import "github.com/dragoman-project/dragoman/sdk"

func main() { sdk.Serve(new(taggedThinking)) }
