package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// normalise returns the request as the template wants it, and what a message to be continued says so far:
//
//   - The template reads one message of the system or the developer, at the beginning; several there become one.
//   - It reads contents as texts: parts are joined by newlines, and null is the empty text.
//   - It reads reasoning from the member "thinking", and fails on a message with calls that has content besides.
//   - It cannot continue a message: that one is left out and written behind the prompt.
func normalise(r *chat.Request) (_ *chat.Request, prefill string, notes []string, err error) {
	out := *r
	out.Messages = slices.Clone(r.Messages)
	if r.ContinueFinalMessage != chat.ContinueNone {
		if prefill, err = continuation(r); err != nil {
			return nil, "", nil, err
		}
		out.Messages = out.Messages[:len(out.Messages)-1]
		out.ContinueFinalMessage, out.AddGenerationPrompt = chat.ContinueNone, true
	}
	for i := range out.Messages {
		out.Messages[i] = message(out.Messages[i])
	}
	notes = unseen(out.Messages)
	out.Messages = mergeInstructions(out.Messages)
	return &out, prefill, notes, nil
}

// continuation is the message to be continued in the format: its reasoning, and its content when that goes on.
func continuation(r *chat.Request) (string, error) {
	last := len(r.Messages) - 1
	if last < 1 || r.Messages[last].Role != chat.RoleAssistant {
		return "", &chat.RequestError{Path: "continue_final_message",
			Message: "expected the last of several messages to be the assistant's; leave the field out to start a new message"}
	}
	m := r.Messages[last]
	content := text(m.Content)
	goesOn := r.ContinueFinalMessage == chat.ContinueContent || r.ContinueFinalMessage == chat.ContinueAuto && content != ""
	prefill := analysisStart + m.ReasoningContent
	if goesOn {
		prefill += endToken + assistantStart + finalStart + content
	}
	return prefill, nil
}

// message is one message as the template wants it.
func message(m chat.Message) chat.Message {
	content := text(m.Content)
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

// text is a content as one text.
func text(c chat.Content) string {
	if c.Text != nil {
		return *c.Text
	}
	var parts []string
	for _, p := range c.Parts {
		if p.Type == "text" {
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func instructs(m chat.Message) bool {
	return m.Role == chat.RoleSystem || m.Role == chat.RoleDeveloper
}

// instructions is how many messages at the beginning instruct.
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
		texts = append(texts, text(m.Content))
	}
	first := messages[0]
	first.Content = chat.TextContent(strings.Join(texts, "\n\n"))
	return append([]chat.Message{first}, messages[n:]...)
}

// unseen says what the template does not show.
func unseen(messages []chat.Message) (notes []string) {
	for i, m := range messages {
		if i >= instructions(messages) && instructs(m) {
			notes = append(notes, fmt.Sprintf("messages[%d]: the template shows instructions at the beginning only, this one is left out", i))
		}
		if len(m.ToolCalls) > 1 {
			notes = append(notes, fmt.Sprintf("messages[%d]: the template shows one call of a message, the others are left out", i))
		}
	}
	return notes
}
