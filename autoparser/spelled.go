package autoparser

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// spelled returns a note for each message of a user or a tool that spells a special token: one of the plan's preserved tokens,
// or a marker that begins or ends messages. Templates write text unchanged, and most engines turn such text in the prompt into
// the token itself, so that the author of the text speaks for the template. This may be an attack, or a question about
// templates; nothing is changed.
func (l *Learned) spelled(messages []chat.Message, preserved []string) []string {
	tokens := l.tokens(preserved)
	var notes []string
	for i, m := range messages {
		if m.Role != chat.RoleUser && m.Role != chat.RoleTool {
			continue
		}
		text := contentText(m.Content)
		if found := spelledIn(text, tokens); len(found) > 0 {
			notes = append(notes, fmt.Sprintf("messages[%d] (%s) spells %q: an engine that reads special tokens in text takes them for the template's",
				i, m.Role, found))
		}
	}
	return notes
}

// tokens returns the markers that a text may spell, each once. Markers within a longer text are separate, and what does not look
// like a marker, such as quotes and fences, is omitted.
func (l *Learned) tokens(preserved []string) []string {
	var all []string
	for _, text := range append(slices.Clone(preserved),
		l.Dialect.UserStart, l.Dialect.AssistantStart, l.Dialect.EndOfTurn, l.Dialect.EndOfCalls, l.Template.BOS, l.Template.EOS) {
		for start, end := diff.FirstMarker(text); start < end; start, end = diff.FirstMarker(text) {
			if token := text[start:end]; !slices.Contains(all, token) {
				all = append(all, token)
			}
			text = text[end:]
		}
	}
	return all
}

func spelledIn(text string, tokens []string) []string {
	if !strings.ContainsAny(text, diff.Openers) {
		return nil
	}
	var found []string
	for _, token := range tokens {
		if strings.Contains(text, token) {
			found = append(found, token)
		}
	}
	return found
}
