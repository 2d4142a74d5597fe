// Command lfm2 is the executable of the plugin lfm2.
package main

import (
	"github.com/dragoman-project/dragoman/plugins/lfm2"
	"github.com/dragoman-project/dragoman/sdk"
)

func main() { sdk.Serve(lfm2.Handlers()...) }
