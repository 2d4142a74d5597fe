package gemma4

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

// The tokens of Gemma 4.
const (
	modelTurn  = "<|turn>model\n"
	thinking   = "<|channel>thought"
	channelEnd = "<channel|>"
	callOpen   = "<|tool_call>call:"
	callEnd    = "<tool_call|>"
	quote      = `<|"|>`
)

// asFunctionGemma replaces the tokens of Gemma 4 with those of FunctionGemma.
var asFunctionGemma = strings.NewReplacer(
	"<|turn>", "<start_of_turn>", "<turn|>", "<end_of_turn>",
	"<|tool_call>", "<start_function_call>", "<tool_call|>", "<end_function_call>",
	"<|tool_response>", "<start_function_response>", "<tool_response|>", "<end_function_response>",
	quote, "<escape>", `<|\"|>`, "<escape>").Replace

// write writes a message as the template does.
func write(m chat.Message) string {
	text := m.Content.Join("")
	if m.ReasoningContent != "" {
		text = thinking + "\n" + m.ReasoningContent + "\n" + channelEnd + text
	}
	for _, c := range m.ToolCalls {
		text += callOpen + c.Name + spelled(c.Arguments) + callEnd
	}
	return text
}

// spelled converts a JSON value to the notation of arguments.
func spelled(value string) string {
	if text, ok := conformance.Text(value); ok {
		return s(text)
	}
	var parts []string
	switch value[0] {
	case '{':
		for name, member := range conformance.Members(value) {
			parts = append(parts, name+":"+spelled(member))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		for _, item := range conformance.Items(value) {
			parts = append(parts, spelled(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return value
}

// writeFunctions writes a message as FunctionGemma's template does.
func writeFunctions(m chat.Message) string {
	m.ReasoningContent = ""
	return asFunctionGemma(write(m))
}
