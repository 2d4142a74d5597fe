// Command gemma4 is the executable of the plugin gemma4.
package main

import (
	"github.com/dragoman-project/dragoman/plugins/gemma4"
	"github.com/dragoman-project/dragoman/sdk"
)

func main() { sdk.Serve(gemma4.Handlers()...) }
