package assemble

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Where names are attributes, as in <parameter name="city">, models quote them differently or not
// at all, and write blanks around the equals sign.

// attribute matches the markup before a name.
func (a *assembly) attribute(prefix string) peg.ID {
	own := a.Spelled(prefix)
	before, ok := strings.CutSuffix(prefix, `="`)
	if !ok || !distinctive(prefix) && !strings.HasPrefix(prefix, "<") {
		return own
	}
	return a.Once("attribute "+prefix, func() peg.ID {
		return a.Choice(own, a.OnlyHere("other-attribute", a.Lit(before), a.Blanks(), a.Lit("="), a.Blanks(), a.Optional(a.quotes())))
	})
}

// attributeEnd matches own, the markup after a name that begins with suffix, or a variant of it.
func (a *assembly) attributeEnd(suffix string, own peg.ID) peg.ID {
	behind, ok := strings.CutPrefix(suffix, `"`)
	if !ok || !strings.HasPrefix(behind, ">") {
		return own
	}
	return a.Once("attribute-end "+suffix, func() peg.ID {
		return a.Choice(own, a.OnlyHere("other-attribute-end", a.Optional(a.quotes()), a.Blanks(), a.Lit(behind)))
	})
}

func (a *assembly) quotes() peg.ID { return a.OneOf(`"`, "'") }
