package gptoss

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// orCall returns alternatives that begin with a call, after the start of its message, if there are
// tools. The call is a trigger of that name; if the request allows it, further calls follow.
func (p program) orCall(name string, start peg.ID, others ...peg.ID) []peg.ID {
	if len(p.Tools) == 0 {
		return others
	}
	calls := p.Trigger(name, p.Seq(start, p.call()))
	if p.Request.ParallelToolCalls {
		next := p.Seq(p.start(), p.Choice(p.call(), p.lead()))
		calls = p.Seq(calls, p.Gap(), p.Star(next, p.Gap()))
	}
	return append([]peg.ID{calls}, others...)
}

// call matches a message to a function. The recipient stands before or after the channel.
func (p program) call() peg.ID {
	return p.Once("tool-call", func() peg.ID {
		return p.Seq(p.stray(), p.ByTool(func(name peg.ID, tool turn.Tool) peg.ID {
			return p.callOf(name, p.Choice(p.Lit(" to=functions."), p.looseTo(tool.Name != "")), tool.Parameters)
		}))
	})
}

// looseTo matches the recipient's prefix with other white space or, if the function is known,
// without its namespace.
func (p program) looseTo(known bool) peg.ID {
	name, namespace := "loose-to", p.Lit("functions.")
	if known {
		name, namespace = "loose-to-known", p.Optional(p.Lit("functions."))
	}
	return p.Only(name, p.Chars(1, maxBlanks, blank...), p.Lit("to="), namespace)
}

func (p program) callOf(name, to peg.ID, s jsonschema.Schema) peg.ID {
	channel := p.Once("call-channel", func() peg.ID {
		other := p.Only("other-channel", p.Chars(1, maxWord, wordRanges...))
		return p.Seq(p.Lit(channelToken), p.Choice(p.Lit("commentary"), p.Lit("analysis"), other))
	})
	addressed := p.Seq(to, p.Tag(peg.CallName, name))
	again := p.Optional(p.Only("channel-again", p.channel()))
	body := p.Seq(p.Optional(p.Choice(p.jsonConstraint(), p.constraint())), p.SmallGap(), p.messageStart())
	late := p.OnlyHere("recipient-behind-constraint", p.Seq(channel, p.constraint(), addressed))
	header := p.Atomic(p.Choice(p.Seq(addressed, p.Tolerate(channel)), p.Seq(channel, addressed), late), again, body)
	end := p.Optional(p.Choice(p.Lit(callToken), p.Only("other-call-end", p.Choice(p.Lit(endToken), p.Lit(returnToken)))))
	return p.Seq(p.Tag(peg.Call, header, p.Gap(), p.Tolerate(p.arguments(s))), p.Gap(), end)
}

// messageStart matches the beginning of the body of a call. It may be missing before text that is
// unmistakable.
func (p program) messageStart() peg.ID {
	return p.Once("message-start", func() peg.ID {
		ahead := p.Choice(p.Lit("{"), p.Lit(callToken), p.Lit(endToken), p.Lit(returnToken))
		return p.Choice(p.Lit(messageToken), p.Only("no-message-start", p.Missing(messageToken), p.Peek(ahead)))
	})
}

// arguments matches JSON. A function whose first parameter is a text may get it as it is, such as
// code.
func (p program) arguments(s jsonschema.Schema) peg.ID {
	object := p.Object(s)
	declared := s.Properties()
	if len(declared) == 0 || declared[0].Schema.Kinds()&jsonschema.String == 0 {
		return object
	}
	text := p.Tag(peg.String, p.Any(), p.Until(boundaries...), p.Beyond(p.boundary(), boundaries...))
	bare := p.Seq(p.Not(p.Lit("{")), p.Not(p.boundary()), p.Given(peg.Key, declared[0].Name), text)
	return p.Choice(object, p.OnlyHere("bare", bare))
}
