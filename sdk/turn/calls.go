package turn

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// NameRanges are the characters of names that no tool has.
var NameRanges = []peg.Range{{Lo: 'a', Hi: 'z'}, {Lo: 'A', Hi: 'Z'}, {Lo: '0', Hi: '9'}, {Lo: '_', Hi: '_'}, {Lo: '-', Hi: '.'}}

// ByName is a call from its name on: one alternative per tool, and one for tools that the request does not have. header
// makes of the name, as text, what introduces it and what closes it: an atomic region with the tag CallName; arguments is
// what follows, for the schema of the tool's parameters.
func (t *Turn) ByName(header func(name peg.ID) peg.ID, arguments func(jsonschema.Schema) peg.ID) peg.ID {
	return t.ByTool(func(name peg.ID, tool Tool) peg.ID {
		return t.Seq(header(name), arguments(tool.Parameters))
	})
}

// ByTool is a call, or a part of one, that depends on the tool: one alternative per tool, and one, for the parser alone, for
// tools that the request does not have, whose Tool has no name. name matches the tool's name.
func (t *Turn) ByTool(call func(name peg.ID, tool Tool) peg.ID) peg.ID {
	kids := make([]peg.ID, 0, len(t.Tools)+1)
	for _, tool := range t.Tools {
		kid := call(t.Lit(tool.Name), tool)
		if !tool.Allowed {
			kid = t.OnlyHere("other-tool", kid)
		}
		kids = append(kids, kid)
	}
	unknown := call(t.AnyName(), Tool{})
	return t.Choice(append(kids, t.OnlyHere("unknown-tool", unknown))...)
}

// AnyName is the name of a function, whichever it is.
func (t *Turn) AnyName() peg.ID { return t.Chars(1, MaxName, NameRanges...) }

// WholeName is that name and not the beginning of a longer one.
func (t *Turn) WholeName(name string) peg.ID {
	return t.Seq(t.Lit(name), t.Not(t.Chars(1, 1, NameRanges...)))
}

// KnownName is the name of a tool that the request has; header is that of ByName.
func (t *Turn) KnownName(header func(name peg.ID) peg.ID) peg.ID {
	kids := make([]peg.ID, len(t.Tools))
	for i, tool := range t.Tools {
		kids[i] = header(t.Lit(tool.Name))
	}
	return t.Choice(kids...)
}

// Several matches one call, or several where the request allows that, with separator between them; a second one is read in any
// case.
func (t *Turn) Several(call peg.ID, separator string) peg.ID {
	again := []peg.ID{call, t.Space()}
	if separator != "" {
		again = append([]peg.ID{t.Tolerate(t.Seq(t.Lit(separator), t.Space()))}, again...)
	}
	return t.Seq(t.Series(call, again...), t.tooMany(separator))
}

// Series matches first, a call, and any number of times next, in sequence: for grammars only where the request allows several
// calls. next takes the white space behind it.
func (t *Turn) Series(first peg.ID, next ...peg.ID) peg.ID {
	if !t.Request.ParallelToolCalls {
		next = []peg.ID{t.OnlyHere("next-call", next...)}
	}
	return t.Seq(first, t.Space(), t.Star(next...))
}

// tooMany is a separator that nothing follows, and the white space behind it.
func (t *Turn) tooMany(separator string) peg.ID {
	if separator == "" {
		return t.Empty()
	}
	return t.Optional(t.Only("too many "+separator, t.Lit(separator), t.Space()))
}
