package lfm2

import (
	"context"
	_ "embed"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// The special tokens of the format.
const (
	callsStart = "<|tool_call_start|>"
	callsEnd   = "<|tool_call_end|>"
	listStart  = "<|tool_list_start|>" // around the tools in the prompt, in older templates
	listEnd    = "<|tool_list_end|>"
	turnEnd    = "<|im_end|>"
	thinkStart = "<think>"
	thinkEnd   = "</think>"
)

//go:embed cases.jsonl
var golden []byte

// lfm2 handles templates of models that write calls in Python.
type lfm2 struct{}

var _ handler.Handler = lfm2{}

// Describe returns the same description as lfm2.yaml.
func (lfm2) Describe() handler.Description {
	return handler.Description{
		Name: "lfm2", Version: "1.0.0", Priority: 100, Cases: golden,
		Match: `source contains "<|im_start|>" and (source contains "List of tools: [" or source contains "List of tools: <|tool_list_start|>[")`,
	}
}

// Plan plans a request.
func (lfm2) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	preserved := []string{callsStart, callsEnd, thinkStart, thinkEnd}
	if strings.Contains(in.Template.Source, listStart) {
		preserved = append(preserved, listStart, listEnd)
	}
	p := program{turn.New(in.Request, turn.Format{
		ThinkStart: thinkStart, ThinkEnd: thinkEnd,
		Openers: []string{callsStart}, Promoters: []string{"\n" + callsStart}, CallEnds: []string{callsEnd}, Ends: []string{turnEnd}, Preserved: preserved,
	})}
	return p.Turn.Plan(p.calls())
}
