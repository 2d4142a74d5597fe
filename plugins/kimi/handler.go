package kimi

import (
	"context"
	_ "embed"

	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// The special tokens of the format.
const (
	sectionStart = "<|tool_calls_section_begin|>"
	sectionEnd   = "<|tool_calls_section_end|>"
	// Models use another name for the section, too.
	otherStart = "<|tool_call_section_begin|>"
	otherEnd   = "<|tool_call_section_end|>"

	callStart   = "<|tool_call_begin|>"
	argumentsAt = "<|tool_call_argument_begin|>"
	callEnd     = "<|tool_call_end|>"
	turnEnd     = "<|im_end|>"
	thinkStart  = "<think>"
	thinkEnd    = "</think>"
)

//go:embed cases.jsonl
var golden []byte

// kimi handles templates of models that number their calls.
type kimi struct{}

var _ handler.Handler = kimi{}

// Describe returns the same description as kimi.yaml.
func (kimi) Describe() handler.Description {
	return handler.Description{
		Name: "kimi", Version: "1.0.0", Priority: 100, Cases: golden,
		Match: `source contains "<|tool_calls_section_begin|>" and source contains "<|tool_call_argument_begin|>"`,
	}
}

// Plan plans a request.
func (kimi) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	openers := []string{sectionStart, callStart, otherStart}
	p := program{turn.New(in.Request, turn.Format{
		ThinkStart: thinkStart, ThinkEnd: thinkEnd,
		Openers: openers, Promoters: openers, CallEnds: []string{callEnd, sectionEnd, otherEnd}, Ends: []string{turnEnd},
		Preserved: []string{sectionStart, sectionEnd, callStart, argumentsAt, callEnd, thinkStart, thinkEnd},
	})}
	return p.Turn.Plan(p.calls())
}

// program builds the part of the program that parses calls.
type program struct{ *turn.Turn }

// calls matches a section of calls. A model may leave out every token except the first of each
// call; grammars allow that, too.
func (p program) calls() peg.ID {
	start := p.Choice(p.Start(sectionStart), p.Only("other-start", p.Start(otherStart)))
	end := p.Choice(p.Lit(sectionEnd), p.Only("other-end", p.Lit(otherEnd)))
	call := p.Rule("call", p.Tag(peg.Call, p.Start(callStart), p.ByName(p.header, p.arguments), p.Optional(p.Lit(callEnd))))
	section := p.Trigger("calls", p.Seq(p.Several(call, ""), p.Optional(end, p.Space())))
	opened := p.Seq(start, p.Choice(section, p.Only("no-calls", end, p.Space())))
	calls := p.Choice(opened, section)
	p.EndThinkingAt(func() peg.ID {
		return p.Seq(p.Optional(start), p.Start(callStart), p.KnownName(p.header))
	}, func() peg.ID { return calls })
	return calls
}

// header matches the id of a call, which contains its name: functions.NAME:0.
func (p program) header(name peg.ID) peg.ID {
	digits := p.Chars(1, 9, peg.Range{Lo: '0', Hi: '9'})
	tag := p.Tag(peg.CallName, name)
	id := p.Tag(peg.CallID, p.Lit("functions."), tag, p.Lit(":"), digits)
	namespace := p.Optional(p.Lit("functions."))
	other := p.Choice(p.Tag(peg.CallID, namespace, tag, p.Lit(":"), p.AnyName()), p.Seq(namespace, tag))
	return p.Atomic(p.Choice(id, p.OnlyHere("other-id", other)), p.Blanks(), p.argumentsStart())
}

// argumentsStart matches the token before the arguments. It may be missing before text that is
// unmistakable.
func (p program) argumentsStart() peg.ID {
	return p.Once("arguments-start", func() peg.ID {
		ahead := p.Choice(p.Lit("{"), p.Lit(callEnd), p.Lit(sectionEnd), p.Lit(otherEnd))
		return p.Choice(p.Lit(argumentsAt), p.Only("no-arguments-start", p.Missing(argumentsAt), p.Peek(ahead)))
	})
}

func (p program) arguments(s jsonschema.Schema) peg.ID {
	return p.Seq(p.Space(), p.Tolerate(p.Object(s)), p.Space())
}
