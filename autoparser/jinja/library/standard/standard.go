// Package standard assembles the library of all templates. It also holds the tests and the global
// functions.
package standard

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library/filters"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library/methods"
)

// Library is the library of all templates.
var Library = (&library.Library{
	Filters: filters.All(),
	Tests:   allTests(),
	Globals: allGlobals(),
	Methods: methods.All(),
}).Complete()
