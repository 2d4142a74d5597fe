// Command gptoss is the executable of the plugin gptoss.
package main

import (
	"github.com/dragoman-project/dragoman/plugins/gptoss"
	"github.com/dragoman-project/dragoman/sdk"
)

func main() { sdk.Serve(gptoss.Handlers()...) }
