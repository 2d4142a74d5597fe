package main

import (
	"encoding/json"
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// orCall is a choice that begins with a call behind the start of its message, if there are tools: a trigger of that name.
// Where the request allows it, further calls follow.
func (p *program) orCall(name string, start peg.ID, others ...peg.ID) []peg.ID {
	if len(p.tools) == 0 {
		return others
	}
	calls := p.Trigger(name, p.Seq(start, p.call()))
	if p.request.ParallelToolCalls {
		next := p.Seq(p.start(), p.Choice(p.call(), p.lead()))
		calls = p.Seq(calls, p.gap(), p.Star(next, p.gap()))
	}
	return append([]peg.ID{calls}, others...)
}

// call is a message to a function. The recipient stands before the channel or behind it.
func (p *program) call() peg.ID {
	return p.Once("tool-call", func() peg.ID {
		var kids []peg.ID
		for i, t := range p.tools {
			kid := p.callOf(p.Lit(t.Name), p.Choice(p.Lit(" to=functions."), p.looseTo(true)), t.Parameters)
			if !p.allows(t) {
				kid = p.Only("other-tool-"+strconv.Itoa(i), kid)
			}
			kids = append(kids, kid)
		}
		unknown := p.callOf(p.Chars(1, maxName, nameRanges...), p.Choice(p.Lit(" to=functions."), p.looseTo(false)), nil)
		return p.Choice(append(kids, p.Only("unknown-tool", unknown))...)
	})
}

// allows says whether the tool choice of the request allows a tool.
func (p *program) allows(t chat.Tool) bool {
	c := p.request.ToolChoice
	return c.Mode != chat.ToolNamed || c.Name == t.Name
}

// looseTo addresses a function with other white space, or, if the function is known, without its namespace.
func (p *program) looseTo(known bool) peg.ID {
	name, namespace := "loose-to", p.Lit("functions.")
	if known {
		name, namespace = "loose-to-known", p.Optional(p.Lit("functions."))
	}
	return p.Only(name, p.Chars(1, maxBlanks, blank...), p.Lit("to="), namespace)
}

func (p *program) callOf(name, to peg.ID, parameters json.RawMessage) peg.ID {
	channel := p.Once("call-channel", func() peg.ID {
		other := p.Only("other-channel", p.Chars(1, maxWord, wordRanges...))
		return p.Seq(p.Lit(channelToken), p.Choice(p.Lit("commentary"), p.Lit("analysis"), other))
	})
	addressed := p.Seq(to, p.Tag(peg.CallName, name))
	body := p.Seq(p.Optional(p.Choice(p.jsonConstraint(), p.constraint())), p.blanks(), p.Lit(messageToken))
	header := p.Atomic(p.Choice(p.Seq(addressed, p.Tolerate(channel)), p.Seq(channel, addressed)), body)
	arguments := p.Tag(peg.Arguments, p.Schema(parameters, p.Value(peg.ObjectValue)))
	end := p.Optional(p.Choice(p.Lit(callToken), p.Only("other-call-end", p.Choice(p.Lit(endToken), p.Lit(returnToken)))))
	return p.Seq(p.Tag(peg.Call, header, p.gap(), p.Tolerate(arguments)), p.gap(), end)
}
