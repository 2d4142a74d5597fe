package turn

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// NameRanges are the characters accepted in the name of an unknown tool.
var NameRanges = []peg.Range{{Lo: 'a', Hi: 'z'}, {Lo: 'A', Hi: 'Z'}, {Lo: '0', Hi: '9'}, {Lo: '_', Hi: '_'}, {Lo: '-', Hi: '.'}}

// ByName matches a call from its name on: one alternative for each tool, and one for unknown tools.
// header builds an atomic region from a node that matches the name: it tags the name as CallName
// and includes the text before and after it. arguments builds what follows from the schema of the
// tool's parameters.
func (t *Turn) ByName(header func(name peg.ID) peg.ID, arguments func(jsonschema.Schema) peg.ID) peg.ID {
	return t.ByTool(func(name peg.ID, tool Tool) peg.ID {
		return t.Seq(header(name), arguments(tool.Parameters))
	})
}

// ByTool matches a part of a call that depends on the tool: one alternative for each tool and, for
// the parser alone, one for unknown tools, whose Tool has no name. call receives a node that
// matches the tool's name.
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

// AnyName matches the name of any function.
func (t *Turn) AnyName() peg.ID { return t.Chars(1, MaxName, NameRanges...) }

// WholeName matches name, but not the beginning of a longer name.
func (t *Turn) WholeName(name string) peg.ID {
	return t.Seq(t.Lit(name), t.Not(t.Chars(1, 1, NameRanges...)))
}

// KnownName matches the header of a call of one of the request's tools; see ByName for header.
func (t *Turn) KnownName(header func(name peg.ID) peg.ID) peg.ID {
	kids := make([]peg.ID, len(t.Tools))
	for i, tool := range t.Tools {
		kids[i] = header(t.Lit(tool.Name))
	}
	return t.Choice(kids...)
}

// Several matches calls with separator between them: one call, or any number if the request allows
// parallel calls. The parser accepts further calls in either case.
func (t *Turn) Several(call peg.ID, separator string) peg.ID {
	again := []peg.ID{call, t.Space()}
	if separator != "" {
		again = append([]peg.ID{t.Tolerate(t.Seq(t.Lit(separator), t.Space()))}, again...)
	}
	return t.Seq(t.Series(call, again...), t.tooMany(separator))
}

// Series matches the call first and then the sequence next any number of times; grammars include
// next only if the request allows parallel calls. next consumes the white space after it.
func (t *Turn) Series(first peg.ID, next ...peg.ID) peg.ID {
	if !t.Request.ParallelToolCalls {
		next = []peg.ID{t.OnlyHere("next-call", next...)}
	}
	return t.Seq(first, t.Space(), t.Star(next...))
}

// tooMany matches a trailing separator and the white space after it.
func (t *Turn) tooMany(separator string) peg.ID {
	if separator == "" {
		return t.Empty()
	}
	return t.Optional(t.Only("too many "+separator, t.Lit(separator), t.Space()))
}
