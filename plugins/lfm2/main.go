// Lfm2 is the plugin for models that write their calls as Python does, such as LFM2 and LFM2.5. See README.md for the format,
// handler.go for what is answered, and program.go for how outputs are read.
package main

import "github.com/dragoman-project/dragoman/sdk"

func main() { sdk.Serve(lfm2{}) }
