package gemma4

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// calls matches the calls of a turn: several, if the request allows it.
func (p program) calls() peg.ID {
	first := p.Trigger("call", p.call())
	if !p.Request.ParallelToolCalls {
		return first
	}
	return p.Seq(first, p.Gap(), p.Star(p.call(), p.Gap()))
}

// call matches a call of one of the tools, or of one that the model makes up.
func (p program) call() peg.ID {
	return p.Once("tool-call", func() peg.ID {
		none := p.Only("no-arguments", p.Peek(p.Lit(p.callEnd)))
		return p.ByTool(func(name peg.ID, tool turn.Tool) peg.ID {
			if tool.Name == "" {
				return p.callOf(name, p.Lit("{"), tool.Parameters) // a word alone is prose
			}
			return p.callOf(name, p.Choice(p.Lit("{"), none), tool.Parameters)
		})
	})
}

func (p program) callOf(name, open peg.ID, s jsonschema.Schema) peg.ID {
	header := p.Atomic(p.opening(), p.Tag(peg.CallName, name), p.SmallGap(), open)
	arguments := p.Seq(p.Gap(), p.Tag(peg.Object, p.members(s)), p.Gap(), p.Choice(p.Lit("}"), p.Only("call-end-ahead", p.Peek(p.Lit(p.callEnd)))))
	return p.Seq(p.Tag(peg.Call, header, arguments), p.Gap(), p.Tolerate(p.Lit(p.callEnd)))
}

// opening matches the text before the name of a function.
func (p program) opening() peg.ID {
	return p.Once("opening", func() peg.ID {
		again := p.Optional(p.Lit(p.callStart), p.SmallGap())
		loose := p.Seq(p.Lit(p.callStart), p.SmallGap(), again, p.Optional(p.Lit("call"), p.SmallGap(), p.Lit(":")), p.SmallGap())
		return p.Choice(p.Seq(p.Lit(p.callOpen()), p.SmallGap()), p.Only("loose-opening", loose))
	})
}

// callAhead matches the header of a call, or its beginning at the end of the output. known tells
// that name matches only tools of the request.
func (p program) callAhead(name peg.ID, known bool) peg.ID {
	behind := []peg.ID{p.Lit("{"), p.End()}
	if known {
		behind = append(behind, p.Lit(p.callEnd))
	}
	named := p.Seq(name, p.SmallGap(), p.Choice(behind...))
	return p.Seq(p.opening(), p.Choice(p.End(), named))
}

// toolName matches the name of one of the tools.
func (p program) toolName() peg.ID {
	names := make([]peg.ID, len(p.Tools))
	for i, t := range p.Tools {
		names[i] = p.WholeName(t.Name)
	}
	return p.Choice(names...)
}
