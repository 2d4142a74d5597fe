// Markup is the plugin for models whose arguments are markup that comparing renderings does not understand: elements within
// elements, as MiniMax-M3 writes them, and CDATA sections, as MiniCPM5 does. See README.md for the formats, nested.go and
// cdata.go for how they are read.
package main

import "github.com/dragoman-project/dragoman/sdk"

func main() { sdk.Serve(nested{}, cdata{}) }
