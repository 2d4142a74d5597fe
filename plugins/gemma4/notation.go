package gemma4

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// notation holds the special tokens of a format.
type notation struct {
	turnStart, turnEnd         string // a role follows the first
	channelStart, channelEnd   string // around thoughts; empty: the models write none
	callStart, callEnd         string
	responseStart, responseEnd string // the model hands over to the tools
	quote                      string // around strings within calls
}

func (n notation) modelTurn() string { return n.turnStart + "model\n" }
func (n notation) thinking() string  { return n.channelStart + "thought" }
func (n notation) callOpen() string  { return n.callStart + "call:" }

// thinks reports whether the format has thoughts.
func (n notation) thinks() bool { return n.channelStart != "" }

// tokens returns the texts at which text can end.
func (n notation) tokens() []string {
	all := []string{n.callStart, n.callEnd, n.turnStart, n.turnEnd, n.responseStart, n.responseEnd}
	if n.thinks() {
		all = append(all, n.channelStart, n.channelEnd)
	}
	return all
}

// answer returns the plan for the format with these tokens.
func (n notation) answer(r *chat.Request) *handler.Plan {
	p := newProgram(r, n)
	plan := p.Answer(p.build(), grammar.Trigger{Type: grammar.TriggerWord, Value: n.callStart})
	plan.Delimiters = []handler.Delimiter{
		{Role: chat.RoleUser, Delimiter: n.turnStart + "user"},
		{Role: chat.RoleAssistant, Delimiter: n.turnStart + "model"},
	}
	return plan
}

// channels is the notation of Gemma 4.
var channels = notation{
	turnStart: "<|turn>", turnEnd: "<turn|>",
	channelStart: "<|channel>", channelEnd: "<channel|>",
	callStart: "<|tool_call>", callEnd: "<tool_call|>",
	responseStart: "<|tool_response>", responseEnd: "<tool_response|>",
	quote: `<|"|>`,
}

// functions is the notation of FunctionGemma.
var functions = notation{
	turnStart: "<start_of_turn>", turnEnd: "<end_of_turn>",
	callStart: "<start_function_call>", callEnd: "<end_function_call>",
	responseStart: "<start_function_response>", responseEnd: "<end_function_response>",
	quote: "<escape>",
}
