package gemma4

import (
	"context"
	_ "embed"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

//go:embed functiongemma.jsonl
var functionCases []byte

// functionGemma handles templates of models that write no thoughts, and whose tokens are words.
type functionGemma struct{}

var _ handler.Handler = functionGemma{}

// Describe returns the same description as gemma4.yaml.
func (functionGemma) Describe() handler.Description {
	return handler.Description{
		Name: "functiongemma", Version: "1.0.0", Priority: 100, Cases: functionCases,
		Match: `source contains "<start_function_call>call:" and source contains "<start_of_turn>"`,
	}
}

// Plan plans a request. A message to be continued is appended to the prompt.
func (functionGemma) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	last, part, err := in.Request.Continued()
	if err != nil {
		return nil, err
	}
	plan := functions.answer(in.Request)
	plan.Request = in.Request.StartingNew()
	plan.Request.Messages = addressed(plan.Request.Messages)
	if part != chat.ContinueNone {
		plan.Prefill = last.Content.Join("")
	}
	if part == chat.ContinueReasoning {
		plan.Notes = append(plan.Notes, "the format has no reasoning: the message continues with its content")
	}
	return plan, nil
}

// addressed returns messages in which tools' answers name their function, as templates require.
func addressed(messages []chat.Message) []chat.Message {
	out := slices.Clone(messages)
	var calling chat.Message
	for i, m := range out {
		switch {
		case len(m.ToolCalls) > 0:
			calling = m
		case m.Role == chat.RoleTool && m.Name == "":
			out[i].Name = calledBy(calling, m)
		}
	}
	return out
}
