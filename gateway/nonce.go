package gateway

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// billing begins a line that some agents put into the system message. It is for the servers of one vendor and changes with each
// request, so that no engine would find the beginning of the prompt in its cache.
const billing = "x-anthropic-billing-header"

// noteBilling is the note of an answer whose request had such a line.
const noteBilling = "ignored " + billing + " in the system message: it would make each prompt differ from its beginning on"

// withoutNonces returns messages without the lines that change with each request and say nothing to a model, and whether there were
// any. A message of nothing else is left out. The given messages are not changed.
func withoutNonces(messages []chat.Message) (kept []chat.Message, found bool) {
	for i, m := range messages {
		if m.Role != chat.RoleSystem && m.Role != chat.RoleDeveloper {
			continue
		}
		content, changed := stable(m.Content)
		if !changed {
			continue
		}
		if !found {
			messages, found = slices.Clone(messages), true
		}
		if messages[i].Content = content; content.Text == nil && content.Parts == nil {
			messages[i].Role = ""
		}
	}
	if found {
		messages = slices.DeleteFunc(messages, func(m chat.Message) bool { return m.Role == "" })
	}
	return messages, found
}

// stable returns a content without such lines, and whether there were any.
func stable(c chat.Content) (_ chat.Content, changed bool) {
	if c.Text != nil {
		switch text := withoutLines(*c.Text); text {
		case *c.Text:
			return c, false
		case "":
			return chat.Content{}, true
		default:
			return chat.TextContent(text), true
		}
	}
	var left []chat.Part
	for _, p := range c.Parts {
		text := withoutLines(p.Text)
		if text != p.Text {
			p, changed = chat.Part{Type: p.Type, Text: text}, true
			if text == "" {
				continue
			}
		}
		left = append(left, p)
	}
	return chat.Content{Parts: left}, changed
}

// withoutLines returns a text without the lines that begin so.
func withoutLines(text string) string {
	if !strings.Contains(text, billing) {
		return text
	}
	var left strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, billing) {
			left.WriteString(line)
		}
	}
	return left.String()
}
