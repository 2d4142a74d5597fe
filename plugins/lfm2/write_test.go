package lfm2

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

// write writes a message as the template does.
func write(m chat.Message) string {
	text := m.Content.Join("")
	if m.ReasoningContent != "" {
		text = thinkStart + m.ReasoningContent + thinkEnd + text
	}
	var calls []string
	for _, c := range m.ToolCalls {
		var arguments []string
		for name, value := range conformance.Members(c.Arguments) {
			arguments = append(arguments, name+"="+python(value))
		}
		calls = append(calls, c.Name+"("+strings.Join(arguments, ", ")+")")
	}
	if calls == nil {
		return text
	}
	return text + callsStart + "[" + strings.Join(calls, ", ") + "]" + callsEnd
}

// python converts a JSON value to Python's notation.
func python(value string) string {
	switch value {
	case "true":
		return "True"
	case "false":
		return "False"
	case "null":
		return "None"
	}
	return value
}
