package taggedthinking

import (
	"cmp"
	"context"
	_ "embed"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// The markers of the format.
const (
	thinkStart     = "<think>"
	thinkEnd       = "</think>"
	callStart      = "<tool_call>"
	callEnd        = "</tool_call>"
	functionStart  = "<function="
	functionEnd    = "</function>"
	parameterStart = "<parameter="
	parameterEnd   = "</parameter>"
	turnEnd        = "<|im_end|>"
)

//go:embed cases.jsonl
var golden []byte

// Family is the predicate of the templates in the family: those that write all of its tags. By
// default the handler claims none of them; see README.md.
const Family = `source contains "<think>" and source contains "<tool_call>" and source contains "<function=" and source contains "<parameter="`

// taggedThinking handles the templates that match, and those that are configured for it.
type taggedThinking struct {
	match    string // empty: it claims none
	programs handler.Programs
}

var _ handler.Handler = (*taggedThinking)(nil)

// Describe returns the same description as taggedthinking.yaml. The autoparser reads the templates'
// own renderings as well, and delivers them sooner, so by default this handler serves only where it
// is named.
func (h *taggedThinking) Describe() handler.Description {
	return handler.Description{Name: "taggedthinking", Version: "1.0.0", Priority: 100, Cases: golden, Match: cmp.Or(h.match, "false")}
}

// Plan plans a request. A message to be continued is left to the template, which writes thoughts in
// its own way.
func (h *taggedThinking) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	t := newTurn(in.Request)
	return &handler.Plan{
		Program:         h.programs.Build(in.Request, func(r *chat.Request) *peg.Program { return program{newTurn(r)}.build() }),
		Grammar:         t.Mode(),
		PreservedTokens: t.Preserved,

		SupportsThinking: true, ThinkingStart: thinkStart, ThinkingEnds: []string{thinkEnd, callStart},
	}, nil
}

func newTurn(r *chat.Request) *turn.Turn {
	openers := []string{callStart, functionStart}
	return turn.New(r, turn.Format{
		ThinkStart: thinkStart, ThinkEnd: thinkEnd, Openers: openers, Promoters: openers, Ends: []string{turnEnd},
		Preserved: []string{thinkStart, thinkEnd, callStart, callEnd},
	})
}
