// Command markup is the executable of the plugin markup.
package main

import (
	"github.com/dragoman-project/dragoman/plugins/markup"
	"github.com/dragoman-project/dragoman/sdk"
)

func main() { sdk.Serve(markup.Handlers()...) }
