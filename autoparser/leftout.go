package autoparser

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// leftOut notes what a request says and the model does not see: most templates leave out without a word what they have no place
// for, such as pictures, or a system message behind others, and the answer is as if it had never been said. Whether something is
// left out, comparison tells: the prompt is the same without it. prompt is that of the request.
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

// suspect is something that may be left out, and the request without it.
type suspect struct {
	what    string
	without *chat.Request
}

// partsThatAreNoText are the parts of messages that are no text, those of one type together.
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

// maxMissing is how many messages are looked for that do not stand in the prompt as they are: each costs a rendering.
const maxMissing = 8

// messagesMissingIn are the messages whose text does not stand in the prompt. Those of the assistant and of tools are not looked at:
// templates write them in many ways, and leave out what was thought.
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

// stands says whether a text of a content stands in the prompt, or there is none.
func stands(c chat.Content, prompt string) bool {
	if c.Text != nil {
		return strings.Contains(prompt, strings.TrimSpace(*c.Text))
	}
	text := func(p chat.Part) bool { return p.Text != "" }
	return !slices.ContainsFunc(c.Parts, text) ||
		slices.ContainsFunc(c.Parts, func(p chat.Part) bool { return text(p) && strings.Contains(prompt, strings.TrimSpace(p.Text)) })
}
