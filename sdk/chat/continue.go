package chat

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Continued returns the message that the model has to continue, and the part of it to continue: ContinueContent or
// ContinueReasoning; ContinueNone if it starts a new message. It returns an error if the request has no such message, or no
// other message before it.
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

// StartingNew returns a copy of the request that asks for a generation prompt in place of the message to be continued. What
// follows that prompt is up to the caller.
func (r *Request) StartingNew() *Request {
	out := *r
	if r.ContinueFinalMessage != ContinueNone && len(r.Messages) > 0 {
		out.Messages = r.Messages[:len(r.Messages)-1]
		out.ContinueFinalMessage, out.AddGenerationPrompt = ContinueNone, true
	}
	return &out
}

// Join returns the content as one text: its text, or the texts among its parts, joined with a separator.
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
