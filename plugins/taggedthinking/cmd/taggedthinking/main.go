// Command taggedthinking is the executable of the plugin taggedthinking.
package main

import (
	"github.com/dragoman-project/dragoman/plugins/taggedthinking"
	"github.com/dragoman-project/dragoman/sdk"
)

func main() { sdk.Serve(taggedthinking.Handlers()...) }
