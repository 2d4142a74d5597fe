package main

import (
	"context"
	_ "embed"

	"github.com/dragoman-project/dragoman/sdk"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// The special tokens of the format.
const (
	turnStart     = "<|turn>" // and a role
	turnEnd       = "<turn|>"
	channelStart  = "<|channel>" // and a name
	channelEnd    = "<channel|>"
	callStart     = "<|tool_call>"
	callEnd       = "<tool_call|>"
	responseStart = "<|tool_response>" // the model hands over to the tools
	responseEnd   = "<tool_response|>"
	quote         = `<|"|>` // around strings within calls

	modelTurn = turnStart + "model\n"
	thinking  = channelStart + "thought"
	callOpen  = callStart + "call:"
)

//go:embed cases.jsonl
var golden []byte

// gemma4 answers for templates of the format.
type gemma4 struct{}

var _ sdk.Handler = gemma4{}

// Describe says the same as gemma4.yaml.
func (gemma4) Describe() sdk.Description {
	return sdk.Description{
		Name: "gemma4", Version: "1.0.0", Priority: 100, Cases: golden,
		Match: `source contains "<|tool_call>call:" and source contains "<|turn>"`,
	}
}

// Plan answers a request.
func (gemma4) Plan(_ context.Context, in sdk.Input) (*sdk.Plan, error) {
	request, prefill, notes, err := normalise(in)
	if err != nil {
		return nil, err
	}
	p := newProgram(in.Request)
	plan := p.Answer(p.build(), grammar.Trigger{Type: grammar.TriggerWord, Value: callStart})
	plan.Request, plan.Prefill, plan.Notes = request, prefill, notes
	plan.Delimiters = []sdk.Delimiter{
		{Role: chat.RoleUser, Delimiter: turnStart + "user"},
		{Role: chat.RoleAssistant, Delimiter: turnStart + "model"},
	}
	return plan, nil
}
