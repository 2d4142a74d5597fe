// Command kimi is the executable of the plugin kimi.
package main

import (
	"github.com/dragoman-project/dragoman/plugins/kimi"
	"github.com/dragoman-project/dragoman/sdk"
)

func main() { sdk.Serve(kimi.Handlers()...) }
