package assemble

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Where names are attributes, <parameter name="city">, models quote them otherwise, and put blanks around the equals sign.

// attribute matches the markup before a name.
func (a *assembly) attribute(prefix string) peg.ID {
	own := a.Lit(prefix)
	before, ok := strings.CutSuffix(prefix, `="`)
	if !ok || !distinctive(prefix) && !strings.HasPrefix(prefix, "<") {
		return own
	}
	return a.once("attribute "+prefix, func() peg.ID {
		return a.Choice(own, a.only("other-attribute", a.Lit(before), a.blanks(), a.Lit("="), a.blanks(), a.oneOf([]string{`"`, "'"})))
	})
}

// attributeEnd matches the markup behind a name.
func (a *assembly) attributeEnd(suffix string) peg.ID {
	own := a.Lit(suffix)
	behind, ok := strings.CutPrefix(suffix, `"`)
	if !ok || !strings.HasPrefix(behind, ">") {
		return own
	}
	return a.once("attribute-end "+suffix, func() peg.ID {
		return a.Choice(own, a.only("other-attribute-end", a.oneOf([]string{`"`, "'"}), a.blanks(), a.Lit(behind)))
	})
}
