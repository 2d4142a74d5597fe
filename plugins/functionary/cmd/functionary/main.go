// Command functionary is the executable of the plugin functionary.
package main

import (
	"github.com/dragoman-project/dragoman/plugins/functionary"
	"github.com/dragoman-project/dragoman/sdk"
)

func main() { sdk.Serve(functionary.Handlers()...) }
