package autoparser

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// LeftOut notes the parts of messages that are no text and without which the prompt is the same: most templates leave out
// without a word what they have no place for, such as pictures, and the model answers as if it had seen everything. There is a
// note for each type of parts.
func (l *Learned) LeftOut(ctx context.Context, r *chat.Request) []string {
	var types []string
	places := map[string][]string{}
	for i, m := range r.Messages {
		for j, p := range m.Content.Parts {
			if p.Type == "text" {
				continue
			}
			if !slices.Contains(types, p.Type) {
				types = append(types, p.Type)
			}
			places[p.Type] = append(places[p.Type], fmt.Sprintf("messages[%d].content[%d]", i, j))
		}
	}
	if len(types) == 0 {
		return nil
	}
	whole, err := l.Render(ctx, r)
	if err != nil {
		return nil
	}
	var notes []string
	for _, name := range types {
		if less, err := l.Render(ctx, without(r, name)); err == nil && less.Prompt == whole.Prompt {
			notes = append(notes, fmt.Sprintf("the model does not see the parts of type %q (%s): the template leaves them out", name, strings.Join(places[name], ", ")))
		}
	}
	return notes
}

// without is a request without the parts of one type.
func without(r *chat.Request, name string) *chat.Request {
	less := *r
	less.Messages = slices.Clone(r.Messages)
	for i := range less.Messages {
		c := &less.Messages[i].Content
		if c.Parts == nil {
			continue
		}
		c.Parts = slices.DeleteFunc(slices.Clone(c.Parts), func(p chat.Part) bool { return p.Type == name })
		if len(c.Parts) == 0 {
			*c = chat.TextContent("")
		}
	}
	return &less
}
