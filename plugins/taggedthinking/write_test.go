package taggedthinking

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

// thoughtBegun is the end of a prompt that opens reasoning.
const thoughtBegun = "<|im_start|>assistant\n<think>\n"

// write writes a message as the templates of the family do, after thoughtBegun.
func write(m chat.Message) string {
	text := m.ReasoningContent + "\n" + thinkEnd + "\n\n" + m.Content.Join("")
	for _, c := range m.ToolCalls {
		text += "\n" + callStart + "\n" + functionStart + c.Name + ">\n"
		for name, value := range conformance.Members(c.Arguments) {
			if s, ok := conformance.Text(value); ok {
				value = s
			}
			text += parameterStart + name + ">\n" + value + "\n" + parameterEnd + "\n"
		}
		text += functionEnd + "\n" + callEnd
	}
	return text
}
