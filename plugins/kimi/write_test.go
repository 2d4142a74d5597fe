package kimi

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// write writes a message as the template does.
func write(m chat.Message) string {
	text := thinkStart + m.ReasoningContent + thinkEnd + m.Content.Join("")
	if len(m.ToolCalls) == 0 {
		return text
	}
	text += sectionStart
	for i, c := range m.ToolCalls {
		text += callStart + fmt.Sprintf("functions.%s:%d", c.Name, i) + argumentsAt + c.Arguments + callEnd
	}
	return text + sectionEnd
}
