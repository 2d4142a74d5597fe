// Kimi is the plugin for models whose calls are known by ids such as functions.name:0, like Kimi K2. See README.md for the
// format, and handler.go for what is answered and how outputs are read.
package main

import "github.com/dragoman-project/dragoman/sdk"

func main() { sdk.Serve(kimi{}) }
