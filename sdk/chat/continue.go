package chat

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Continued is the message that the model shall go on with, and with which of its parts: ContinueContent or
// ContinueReasoning. ContinueNone: it shall start a new message. The error says that there is no such message, or nothing
// before it.
func (r *Request) Continued() (Message, Continuation, error) {
	if r.ContinueFinalMessage == ContinueNone {
		return Message{}, ContinueNone, nil
	}
	last := len(r.Messages) - 1
	if last < 1 || r.Messages[last].Role != RoleAssistant {
		return Message{}, ContinueNone, fault.Invalid("continue_final_message", "expected the last of several messages to be the assistant's; leave the field out to start a new message")
	}
	m, part := r.Messages[last], r.ContinueFinalMessage
	if part == ContinueAuto {
		part = ContinueContent
		if m.Content.Join("") == "" && m.ReasoningContent != "" {
			part = ContinueReasoning
		}
	}
	return m, part, nil
}

// StartingNew is the request without the message to go on with, asking for a generation prompt in its place; what follows
// the prompt is then up to who renders it.
func (r *Request) StartingNew() *Request {
	out := *r
	if r.ContinueFinalMessage != ContinueNone && len(r.Messages) > 0 {
		out.Messages = r.Messages[:len(r.Messages)-1]
		out.ContinueFinalMessage, out.AddGenerationPrompt = ContinueNone, true
	}
	return &out
}

// Join is the content as one text: its text, or the texts among its parts with a separator between them.
func (c Content) Join(separator string) string {
	if c.Text != nil {
		return *c.Text
	}
	var parts []string
	for _, p := range c.Parts {
		if p.Type == "text" {
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, separator)
}
