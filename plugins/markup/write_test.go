package markup

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

// writeNested writes a message as the template with nested elements does.
func writeNested(m chat.Message) string {
	text := "<mm:think>" + m.ReasoningContent + "</mm:think>" + m.Content.Join("")
	if len(m.ToolCalls) == 0 {
		return text
	}
	text += nestedStart + "\n"
	for _, c := range m.ToolCalls {
		text += invokeStart + c.Name + `">` + elementsOf(c.Arguments) + invokeEnd + "\n"
	}
	return text + nestedEnd
}

// elementsOf converts a JSON value to elements.
func elementsOf(value string) (text string) {
	if s, ok := conformance.Text(value); ok {
		return s
	}
	if !strings.ContainsAny(value[:1], "{[") {
		return value
	}
	for name, member := range conformance.Members(value) {
		text += tagMark + "<" + name + ">" + elementsOf(member) + tagMark + "</" + name + ">"
	}
	for _, item := range conformance.Items(value) {
		text += itemStart + elementsOf(item) + itemEnd
	}
	return text
}

// writeCDATA writes a message as the template with CDATA sections does.
func writeCDATA(m chat.Message) string {
	text := m.Content.Join("")
	if m.ReasoningContent != "" {
		text = "<think>\n" + m.ReasoningContent + "\n</think>\n\n" + text
	}
	for _, c := range m.ToolCalls {
		text += "\n" + functionStart + c.Name + nameEnd
		for name, value := range conformance.Members(c.Arguments) {
			if s, ok := conformance.Text(value); ok {
				value = s
			}
			if strings.ContainsAny(value, "<&\n") {
				value = cdataStart + value + cdataEnd
			}
			text += paramStart + name + nameEnd + value + paramEnd
		}
		text += functionEnd
	}
	return text
}
