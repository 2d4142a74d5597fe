// Markup is the plugin for models whose arguments are markup that comparing renderings does not understand: elements within
// elements, as MiniMax-M3 writes them. See README.md for the format, and nested.go for how it is read.
package main

import "github.com/dragoman-project/dragoman/sdk"

func main() { sdk.Serve(nested{}) }
