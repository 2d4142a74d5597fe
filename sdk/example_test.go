package sdk_test

import (
	"context"

	"github.com/dragoman-project/dragoman/sdk"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// bracket handles models that think in double parentheses and call tools in double brackets:
//
//	((The user wants the weather.))I'll look. [[get_weather {"city": "Paris"}]]
type bracket struct{}

var _ sdk.Handler = bracket{}

func (bracket) Describe() sdk.Description {
	return sdk.Description{
		Name:     "bracket",
		Version:  "1.0.0",
		Match:    `source contains "[["`,
		Priority: 100,
	}
}

func (bracket) Plan(_ context.Context, in sdk.Input) (*sdk.Plan, error) {
	plan := &sdk.Plan{
		Program:          program(in),
		SupportsThinking: true,
		ThinkingStart:    "((",
		ThinkingEnds:     []string{"))"},
	}
	if len(in.Request.Tools) > 0 {
		plan.Grammar = grammar.Lazy // the trigger of the program starts it
	}
	return plan, nil
}

func program(in sdk.Input) *peg.Program {
	var b peg.Builder
	reasoning := b.Optional(b.Lit("(("), b.Tag(peg.Reasoning, b.Until("))")), b.Lit("))"))
	if len(in.Request.Tools) == 0 {
		return b.Build(b.Seq(b.Prompt(), reasoning, b.Tag(peg.Content, b.Rest()), b.End()))
	}
	content := b.Tag(peg.Content, b.Until("[["))
	var calls []peg.ID
	for _, tool := range in.Request.Tools {
		calls = append(calls, b.Seq(
			b.Atomic(b.Lit("[["), b.Tag(peg.CallName, b.Lit(tool.Name)), b.Lit(" ")),
			b.Tag(peg.Arguments, b.Schema(tool.Parameters, b.Value(peg.ObjectValue))),
			b.Lit("]]"),
		))
	}
	call := b.Trigger("call", b.Tag(peg.Call, b.Choice(calls...)))
	return b.Build(b.Seq(b.Prompt(), reasoning, content, b.Star(call, content), b.End()))
}

// A complete plugin. Its manifest, bracket.yaml, is in the same folder as the executable:
//
//	name: bracket
//	version: 1.0.0
//	protocol: 1
//	match: source contains "[["
func Example() {
	sdk.Serve(bracket{})
}
