package gemma4

import (
	"context"
	_ "embed"

	"github.com/dragoman-project/dragoman/sdk/handler"
)

//go:embed cases.jsonl
var golden []byte

// gemma4 handles templates of the format.
type gemma4 struct{}

var _ handler.Handler = gemma4{}

// Describe returns the same description as gemma4.yaml.
func (gemma4) Describe() handler.Description {
	return handler.Description{
		Name: "gemma4", Version: "1.0.0", Priority: 100, Cases: golden,
		Match: `source contains "<|tool_call>call:" and source contains "<|turn>"`,
	}
}

// Plan plans a request.
func (gemma4) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	request, prefill, notes, err := normalise(in)
	if err != nil {
		return nil, err
	}
	plan := channels.answer(in.Request)
	plan.Request, plan.Prefill, plan.Notes = request, prefill, notes
	return plan, nil
}
