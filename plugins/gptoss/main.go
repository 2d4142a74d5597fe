// Gptoss is the plugin for models that write the harmony format, such as gpt-oss: messages with an author, a recipient and a
// channel. See README.md for the format, handler.go for what is answered, and program.go for how outputs are read.
package main

import "github.com/dragoman-project/dragoman/sdk"

func main() { sdk.Serve(new(gptoss)) }
