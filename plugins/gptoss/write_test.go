package gptoss

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// write writes a message as the template does, without the start of its first part.
func write(m chat.Message) string {
	var parts []string
	if m.ReasoningContent != "" {
		parts = append(parts, analysisStart+m.ReasoningContent+endToken)
	}
	content := m.Content.Join("")
	switch {
	case len(m.ToolCalls) == 0:
		parts = append(parts, finalStart+content)
	case content != "":
		parts = append(parts, channelToken+"commentary"+messageToken+content+endToken)
	}
	for _, c := range m.ToolCalls {
		header := channelToken + "commentary to=functions." + c.Name + " " + constrainToken + "json" + messageToken
		parts = append(parts, header+c.Arguments+callToken)
	}
	return strings.Join(parts, assistantStart)
}
