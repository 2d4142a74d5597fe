package autoparser

import (
	"context"
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Rewrite is a place where a template changes what the model has read before. Engines cache their computation for the prompt
// of one turn and reuse it in the next for the common prefix of both prompts; from a rewrite on, everything is computed again.
type Rewrite struct {
	// Turn is the number of the message that changes, from 1, and Role its role. The answer after the last message counts, too,
	// because the prompt contains its beginning.
	Turn int    `json:"turn"`
	Role string `json:"role"`
	// Following is the number of the message whose addition causes the change.
	Following int    `json:"following"`
	Because   string `json:"because"`
	Before    string `json:"before"` // the end of the common prefix
	Was       string `json:"was"`    // what the engine has read before
	Is        string `json:"is"`     // what is there now
}

// String describes the rewrite.
func (r Rewrite) String() string {
	return fmt.Sprintf("message %d (%s) is rewritten once message %d is there, so that engines must read the prompt again from it: %s; behind %q stood %q, then stands %q",
		r.Turn, r.Role, r.Following, r.Because, r.Before, r.Was, r.Is)
}

// Rewrites renders a growing conversation, question by question, and returns where the prompt of a turn does not begin with
// the prompt of the previous turn, once for each message. If the template fails, there are none.
func (l *Learned) Rewrites(ctx context.Context) []Rewrite {
	ctx = learning(ctx)
	var all []Rewrite
	told := map[int]bool{}
	messages, last := l.growing(), 0
	for n, m := range messages {
		if m.Role == chat.RoleAssistant {
			continue
		}
		if last > 0 {
			r, rewritten := l.rewrite(ctx, messages[:last], messages[:n+1])
			if rewritten && !told[r.Turn] {
				all, told[r.Turn] = append(all, r), true
			}
		}
		last = n + 1
	}
	return all
}

// The reasons for a rewrite.
const (
	reasoningDropped = "the reasoning of earlier answers is left out"
	endChanges       = "a prompt ends otherwise than earlier answers begin"
	messagesChange   = "earlier messages change"
)

// because returns the reason for a rewrite of a message, which was the end of a prompt after a number of messages.
func because(turn, messages int, was string) string {
	switch {
	case strings.Contains(was, plainThought):
		return reasoningDropped
	case turn > messages:
		return endChanges
	}
	return messagesChange
}

// growing returns a conversation with everything that the template can render. Answers think unless the prompts begin them without.
func (l *Learned) growing() []chat.Message {
	can := l.Template.Capabilities
	text := func(role, content string) chat.Message {
		return chat.Message{Role: role, Content: chat.TextContent(content)}
	}
	answer := text(chat.RoleAssistant, plainAnswer)
	if can.Reasoning && !l.Template.Dial.isOff() {
		answer.ReasoningContent = plainThought
	}
	all := []chat.Message{text(chat.RoleUser, "Where is the book?"), answer, text(chat.RoleUser, "Which book is beside it?")}
	if can.ToolCalls && can.ToolResponses {
		call := calling(text(chat.RoleAssistant, ""), firstCall(`{"title": "Dune"}`))
		call.ReasoningContent = answer.ReasoningContent
		result := text(chat.RoleTool, "Emma")
		result.Name, result.ToolCallID = "find_book", probe.ID
		all = append(all, call, result)
	}
	answer.Content = chat.TextContent("It is Emma.")
	return append(all, answer, text(chat.RoleUser, "Thank you."))
}

// rewrite compares the prompts of two conversations, of which the second continues the first.
func (l *Learned) rewrite(ctx context.Context, earlier, later []chat.Message) (Rewrite, bool) {
	was, wasOK := l.promptOf(ctx, earlier, true)
	is, isOK := l.promptOf(ctx, later, true)
	if !wasOK || !isOK || strings.HasPrefix(is, was) {
		return Rewrite{}, false
	}
	same := diff.CommonPrefix(was, is)
	same = same[:diff.OpenMarker(same)]
	r := Rewrite{Turn: turnAt(earlier, was, len(same)), Following: len(later), Role: chat.RoleAssistant,
		Before: strings.ToValidUTF8(same[max(0, len(same)-nearby):], ""), Was: head(was[len(same):]), Is: head(is[len(same):])}
	r.Because = because(r.Turn, len(earlier), was[len(same):])
	if r.Turn <= len(earlier) {
		r.Role = earlier[r.Turn-1].Role
	}
	return r, true
}

// head returns the beginning of a text.
func head(text string) string { return strings.ToValidUTF8(text[:min(len(text), nearby)], "") }

// turnAt returns the number of the message that a place in a prompt belongs to: the first whose text ends after it.
func turnAt(messages []chat.Message, prompt string, at int) int {
	end := 0
	for i, m := range messages {
		text := contentText(m.Content)
		if len(m.ToolCalls) > 0 {
			text = m.ToolCalls[0].Name
		}
		if found := strings.Index(prompt[end:], text); found >= 0 {
			end += found + len(text)
		}
		if end > at {
			return i + 1
		}
	}
	return len(messages) + 1
}

// promptOf returns the prompt of a conversation; false if the template fails.
func (l *Learned) promptOf(ctx context.Context, messages []chat.Message, begin bool) (string, bool) {
	req := chat.Request{Messages: messages, Now: probed, AddGenerationPrompt: begin}
	if l.Template.Capabilities.ToolCalls {
		req.Tools = selfCheckTools(allProperties)
	}
	out, err := l.Render(ctx, &req)
	return out.Prompt, err == nil
}
