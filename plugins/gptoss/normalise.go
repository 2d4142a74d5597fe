package gptoss

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// normalise returns the request in the form that the template expects, and the text of a message to
// be continued:
//
//   - The template reads one system or developer message, at the beginning; several become one.
//   - It reads contents as text: parts are joined by newlines, and null is the empty text.
//   - It reads reasoning from the field "thinking", and fails on a message with calls and content.
//   - It cannot continue a message: that one is removed and appended to the prompt.
func normalise(r *chat.Request) (_ *chat.Request, prefill string, notes []string, err error) {
	last, part, err := r.Continued()
	if err != nil {
		return nil, "", nil, err
	}
	if part != chat.ContinueNone {
		prefill = continuation(last, part)
	}
	out := r.StartingNew()
	out.Messages = slices.Clone(out.Messages)
	for i := range out.Messages {
		out.Messages[i] = message(out.Messages[i])
	}
	notes = unseen(out.Messages)
	out.Messages = mergeInstructions(out.Messages)
	return out, prefill, notes, nil
}

// continuation returns the message to be continued in the format: its reasoning and, if that
// continues, its content.
func continuation(m chat.Message, part chat.Continuation) string {
	prefill := analysisStart + m.ReasoningContent
	if part == chat.ContinueContent {
		prefill += endToken + assistantStart + finalStart + m.Content.Join("\n")
	}
	return prefill
}

// message returns a message in the form that the template expects.
func message(m chat.Message) chat.Message {
	content := m.Content.Join("\n")
	if m.Role == chat.RoleAssistant && m.ReasoningContent != "" {
		if len(m.ToolCalls) > 0 {
			content = ""
		}
		if thinking, err := json.Marshal(m.ReasoningContent); err == nil {
			m.Extra = append(slices.Clone(m.Extra), chat.Field{Name: "thinking", Value: thinking})
		}
	}
	m.Content = chat.TextContent(content)
	return m
}

func instructs(m chat.Message) bool {
	return m.Role == chat.RoleSystem || m.Role == chat.RoleDeveloper
}

// instructions returns the number of system and developer messages at the beginning.
func instructions(messages []chat.Message) int {
	n := 0
	for n < len(messages) && instructs(messages[n]) {
		n++
	}
	return n
}

// mergeInstructions joins the instructions at the beginning of a conversation.
func mergeInstructions(messages []chat.Message) []chat.Message {
	n := instructions(messages)
	if n < 2 {
		return messages
	}
	var texts []string
	for _, m := range messages[:n] {
		texts = append(texts, m.Content.Join("\n"))
	}
	first := messages[0]
	first.Content = chat.TextContent(strings.Join(texts, "\n\n"))
	return append([]chat.Message{first}, messages[n:]...)
}

// unseen returns notes on what the template does not show.
func unseen(messages []chat.Message) (notes []string) {
	for i, m := range messages {
		if i >= instructions(messages) && instructs(m) {
			notes = append(notes, fmt.Sprintf("messages[%d]: the template shows instructions only at the beginning: this one is left out", i))
		}
		if len(m.ToolCalls) > 1 {
			notes = append(notes, fmt.Sprintf("messages[%d]: the template shows only one call of a message: the others are left out", i))
		}
	}
	return notes
}
