package autoparser

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// leftOut notes the parts of a request that the template silently drops, as most templates do with what they have no place
// for, such as images, or a system message after others. A part is dropped if the prompt is the same without it. prompt is the
// prompt of the request.
func (l *Learned) leftOut(ctx context.Context, r *chat.Request, prompt string) []string {
	suspects := append(partsThatAreNoText(r), messagesMissingIn(r, prompt)...)
	if len(suspects) == 0 {
		return nil
	}
	whole, err := l.Render(ctx, r)
	if err != nil {
		return nil
	}
	var notes []string
	for _, s := range suspects {
		if less, err := l.Render(ctx, s.without); err == nil && less.Prompt == whole.Prompt {
			notes = append(notes, "the model does not see "+s.what+": the template leaves it out")
		}
	}
	return notes
}

// suspect is a part of a request that may be dropped, and the request without it.
type suspect struct {
	what    string
	without *chat.Request
}

// partsThatAreNoText returns the parts of messages other than texts, grouped by type.
func partsThatAreNoText(r *chat.Request) (suspects []suspect) {
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
	for _, name := range types {
		suspects = append(suspects, suspect{fmt.Sprintf("%s of type %q", strings.Join(places[name], ", "), name), withoutParts(r, name)})
	}
	return suspects
}

func withoutParts(r *chat.Request, name string) *chat.Request {
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

// maxMissing limits the messages checked because the prompt does not contain their text: each costs a rendering.
const maxMissing = 8

// messagesMissingIn returns the messages whose text is not in the prompt, except those of the assistant and of tools, which
// templates write in many ways, and without earlier reasoning.
func messagesMissingIn(r *chat.Request, prompt string) (suspects []suspect) {
	for i, m := range r.Messages {
		if m.Role == chat.RoleAssistant || m.Role == chat.RoleTool || stands(m.Content, prompt) || len(suspects) == maxMissing {
			continue
		}
		less := *r
		less.Messages = slices.Delete(slices.Clone(r.Messages), i, i+1)
		suspects = append(suspects, suspect{fmt.Sprintf("messages[%d] (%s)", i, m.Role), &less})
	}
	return suspects
}

// stands reports whether the prompt contains a text of the content, or the content has no text.
func stands(c chat.Content, prompt string) bool {
	if c.Text != nil {
		return strings.Contains(prompt, strings.TrimSpace(*c.Text))
	}
	text := func(p chat.Part) bool { return p.Text != "" }
	return !slices.ContainsFunc(c.Parts, text) ||
		slices.ContainsFunc(c.Parts, func(p chat.Part) bool { return text(p) && strings.Contains(prompt, strings.TrimSpace(p.Text)) })
}
