package main

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

// write writes a message as the template does.
func write(m chat.Message) string {
	text := m.Content.Join("")
	if m.ReasoningContent != "" {
		text = thinking + "\n" + m.ReasoningContent + "\n" + channelEnd + text
	}
	for _, c := range m.ToolCalls {
		text += callOpen + c.Name + notation(c.Arguments) + callEnd
	}
	return text
}

// notation is a JSON value in the notation of arguments.
func notation(value string) string {
	if text, ok := conformance.Text(value); ok {
		return s(text)
	}
	var parts []string
	switch value[0] {
	case '{':
		for name, member := range conformance.Members(value) {
			parts = append(parts, name+":"+notation(member))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		for _, item := range conformance.Items(value) {
			parts = append(parts, notation(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return value
}
