package main

import (
	"encoding/json"
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/schema"
)

// calls are the calls of a turn: several, where the request allows it.
func (p *program) calls() peg.ID {
	first := p.Trigger("call", p.call())
	if !p.request.ParallelToolCalls {
		return first
	}
	return p.Seq(first, p.gap(), p.Star(p.call(), p.gap()))
}

// call is a call of one of the tools, or of one that the model makes up.
func (p *program) call() peg.ID {
	return p.Once("tool-call", func() peg.ID {
		var ways []peg.ID
		for i, t := range p.tools {
			way := p.callOf(p.Lit(t.Name), t.Parameters)
			if !p.allows(t) {
				way = p.Only("other-tool-"+strconv.Itoa(i), way)
			}
			ways = append(ways, way)
		}
		unknown := p.callOf(p.Chars(1, maxName, nameRanges...), nil)
		return p.Choice(append(ways, p.Only("unknown-tool", unknown))...)
	})
}

// allows says whether the tool choice of the request allows a tool.
func (p *program) allows(t chat.Tool) bool {
	c := p.request.ToolChoice
	return c.Mode != chat.ToolNamed || c.Name == t.Name
}

func (p *program) callOf(name peg.ID, parameters json.RawMessage) peg.ID {
	header := p.Atomic(p.opening(), p.Tag(peg.CallName, name), p.blanks(), p.Choice(p.Lit("{"), p.Only("no-arguments", p.Peek(p.Lit(callEnd)))))
	arguments := p.Seq(p.gap(), p.Tag(peg.Object, p.members(schema.New(parameters))), p.gap(), p.Choice(p.Lit("}"), p.Only("call-end-ahead", p.Peek(p.Lit(callEnd)))))
	return p.Seq(p.Tag(peg.Call, header, arguments), p.gap(), p.Tolerate(p.Lit(callEnd)))
}

// opening is what stands before the name of a function.
func (p *program) opening() peg.ID {
	return p.Once("opening", func() peg.ID {
		loose := p.Seq(p.Lit(callStart), p.blanks(), p.Optional(p.Lit("call"), p.blanks(), p.Lit(":")), p.blanks())
		return p.Choice(p.Lit(callOpen), p.Only("loose-opening", loose))
	})
}

// callAhead matches the header of a call, as far as the output goes.
func (p *program) callAhead(name peg.ID) peg.ID {
	named := p.Seq(name, p.blanks(), p.Choice(p.Lit("{"), p.Lit(callEnd), p.End()))
	return p.Seq(p.opening(), p.Choice(p.End(), named))
}

// toolName is the name of one of the tools.
func (p *program) toolName() peg.ID {
	var names []peg.ID
	for _, t := range p.tools {
		names = append(names, p.Seq(p.Lit(t.Name), p.Not(p.Chars(1, 1, nameRanges...))))
	}
	return p.Choice(names...)
}
