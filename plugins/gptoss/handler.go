package gptoss

import (
	"context"
	_ "embed"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// The special tokens of the format.
const (
	startToken     = "<|start|>"
	channelToken   = "<|channel|>"
	constrainToken = "<|constrain|>"
	messageToken   = "<|message|>"
	endToken       = "<|end|>"    // ends a message
	returnToken    = "<|return|>" // ends the turn
	callToken      = "<|call|>"   // ends a call, and the turn

	assistantStart = startToken + "assistant"
	analysisStart  = channelToken + "analysis" + messageToken
	finalStart     = channelToken + "final" + messageToken
)

//go:embed cases.jsonl
var golden []byte

// gptoss handles templates of the harmony format.
type gptoss struct{ programs handler.Programs }

var _ handler.Handler = (*gptoss)(nil)

// Describe returns the same description as gptoss.yaml.
func (*gptoss) Describe() handler.Description {
	return handler.Description{
		Name: "gptoss", Version: "1.0.0", Priority: 100, Cases: golden,
		Match: `source contains "<|channel|>analysis<|message|>" and source contains "<|start|>assistant"`,
	}
}

// Plan plans a request.
func (h *gptoss) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	request, prefill, notes, err := normalise(in.Request)
	if err != nil {
		return nil, err
	}
	p := newProgram(in.Request)
	plan := p.Answer(h.programs.Build(in.Request, func(r *chat.Request) *peg.Program { return newProgram(r).build() }), triggers...)
	plan.Request, plan.Prefill, plan.Notes = request, prefill, notes
	plan.Ending = handler.Ending{Old: returnToken, New: endToken}
	plan.Delimiters = []handler.Delimiter{
		{Role: chat.RoleAssistant, Delimiter: assistantStart},
		{Role: chat.RoleUser, Delimiter: startToken + "user"},
		{Role: chat.RoleSystem, Delimiter: startToken + "developer"},
		{Role: chat.RoleSystem, Delimiter: startToken + "system"},
		{Role: chat.RoleTool, Delimiter: startToken + "functions"},
	}
	return plan, nil
}

// triggers fire when a header names a recipient. The first message has no start token in the
// output.
var triggers = []grammar.Trigger{
	{Type: grammar.TriggerPattern, Value: `^\s+to$`},
	{Type: grammar.TriggerPattern, Value: `^<\|channel\|>(?:commentary|analysis)\s+to=functions$`},
	{Type: grammar.TriggerPattern, Value: `<\|start\|>assistant(\s+to)`},
	{Type: grammar.TriggerPattern, Value: `<\|start\|>assistant(<\|channel\|>(?:commentary|analysis)\s+to)`},
}
