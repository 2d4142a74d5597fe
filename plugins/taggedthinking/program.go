package taggedthinking

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// program builds the program:
//
//	prompt that closes thinking                    text and calls
//	prompt  <think> thought { </think> | call }    text and calls
//	prompt  thought { </think> | call }            text and calls
//	prompt  answer
//
// The last two cannot be told apart before the thought or the answer ends; until then nothing is
// delivered.
type program struct{ *turn.Turn }

func (p program) build() *peg.Program {
	if p.Request.PureContent {
		return p.Build(p.Seq(p.Prompt(), p.Tag(peg.Content, p.Rest()), p.End()))
	}
	calls := p.Empty()
	if len(p.Tools) > 0 {
		calls = p.calls()
		p.EndThinkingAt(func() peg.ID { return p.Seq(p.Optional(p.Start(callStart)), p.KnownName(p.header)) }, func() peg.ID { return calls })
	}
	if !p.Request.ReasoningFormat.Extract() {
		return p.Build(p.Seq(p.Prompt(), p.Body(calls), p.TurnEnd(), p.End()))
	}
	body := p.Rule("body", p.Body(calls, thinkEnd))
	closed := p.Seq(p.Prompt(thinkEnd), p.Lit(thinkEnd), p.Space(), body)
	end := p.Choice(p.Seq(p.Lit(thinkEnd), p.Space()), p.Unclosed())
	thought := p.Rule("thought", p.Seq(p.Thoughts(), end, body))
	open := p.Seq(p.Space(), p.Lit(thinkStart), thought)
	ways := []peg.ID{open, thought}
	if p.Request.ContinueFinalMessage == chat.ContinueNone && p.Request.JSONSchema.IsZero() {
		ways = []peg.ID{open, p.answer(), thought}
	}
	return p.Build(p.Seq(p.Choice(closed, p.Seq(p.Prompt(), p.Choice(ways...))), p.TurnEnd(), p.End()))
}

// answer matches text in which nothing ends a thought.
func (p program) answer() peg.ID {
	delims := []string{thinkEnd}
	rest := p.Until(delims...)
	if len(p.Tools) > 0 {
		delims = append(delims, p.Openers...)
		rest = p.Seq(p.Until(delims...), p.Star(p.Not(p.Ahead()), p.Not(p.Lit(thinkEnd)), p.Any(), p.Until(delims...)))
	}
	text := p.Seq(p.Peek(p.Seq(rest, p.End())), p.Space(), p.Tag(peg.Content, p.Until(turnEnd)))
	if p.MustCall() {
		return p.Only("unwanted-answer", text)
	}
	return text
}

// calls matches calls in a row. The marker around a call tends to get lost.
func (p program) calls() peg.ID {
	inner := p.Seq(p.ByName(p.header, p.arguments), p.Closer(functionEnd))
	whole := p.Rule("call", p.Tag(peg.Call, p.Start(callStart), inner, p.Closer(callEnd)))
	bare := p.Rule("bare-call", p.Tag(peg.Call, inner, p.Optional(p.Lit(callEnd), p.Space())))
	return p.Choice(p.Trigger("calls", p.Several(whole, "")), p.Only("bare-calls", p.Trigger("bare", p.Several(bare, ""))))
}

func (p program) header(name peg.ID) peg.ID {
	return p.Atomic(p.Lit(functionStart), p.Tag(peg.CallName, name), p.Lit(">"))
}

func (p program) arguments(s jsonschema.Schema) peg.ID {
	return p.Seq(p.Space(), p.Tag(peg.Object, p.Arguments(s, "", p.argument)))
}

func (p program) argument(name string, s jsonschema.Schema) peg.ID {
	header := p.Atomic(p.Lit(parameterStart), p.Tag(peg.Key, p.ArgumentName(name)), p.Lit(">"))
	return p.Seq(header, p.Typed(s, parameterEnd, p.text), p.Lit(parameterEnd), p.Space())
}

// text matches a string between its own lines. It continues past a marker that is not followed by
// what may follow a value.
func (p program) text(s jsonschema.Schema) peg.ID {
	ends := []string{"\n" + parameterEnd, parameterEnd}
	spelled := p.Once("~spelled", func() peg.ID {
		follows := p.Choice(p.Lit(parameterStart), p.Lit(functionEnd), p.Lit(callEnd), p.End())
		ends := p.Seq(p.Blanks(), p.Lit(parameterEnd), p.Blanks(), follows)
		return p.Seq(p.Not(ends), p.Any(), p.Until("\n"+parameterEnd, parameterEnd))
	})
	value := p.Tag(peg.String, p.RawSchema(s.Only(jsonschema.String), p.Until(ends...)), p.Star(spelled))
	return p.Seq(p.Optional(p.Lit("\n")), value, p.Space())
}
