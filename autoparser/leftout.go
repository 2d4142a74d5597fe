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
func (l *Learned) leftOut(ctx context.Context, r *chat.Request, prompt string, cache *Cache) []string {
	suspects := append(partsThatAreNoText(r), messagesMissingIn(r, prompt)...)
	if len(suspects) == 0 {
		return nil
	}
	whole, err := l.RenderWith(ctx, r, cache)
	if err != nil {
		return nil
	}
	var notes []string
	for _, s := range suspects {
		if less, err := l.RenderWith(ctx, s.without, cache); err == nil && less.Prompt == whole.Prompt {
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

// maxSuspects limits the groups of parts, and the messages, that are checked: each costs a rendering.
const maxSuspects = 8

// partsThatAreNoText returns the parts of messages other than texts, grouped by type. If there are many types, the last group
// is of several.
func partsThatAreNoText(r *chat.Request) (suspects []suspect) {
	groups := map[string]*group{}
	var all []*group
	for i, m := range r.Messages {
		for j, p := range m.Content.Parts {
			if p.Type == "text" {
				continue
			}
			g := groups[p.Type]
			switch {
			case g == nil && len(all) == maxSuspects:
				g = all[maxSuspects-1]
				g.others, groups[p.Type] = true, g
			case g == nil:
				g = &group{name: fmt.Sprintf("type %q", p.Type)}
				groups[p.Type], all = g, append(all, g)
			}
			g.add(fmt.Sprintf("messages[%d].content[%d]", i, j))
		}
	}
	for _, g := range all {
		suspects = append(suspects, suspect{g.String(), withoutParts(r, func(p chat.Part) bool { return groups[p.Type] == g })})
	}
	return suspects
}

// group is the parts of one type, or of several.
type group struct {
	name   string
	others bool     // other types belong to it
	places []string // the first of them
	more   int      // others
}

// maxPlaces limits the places of parts that a note lists.
const maxPlaces = 16

func (g *group) add(place string) {
	if len(g.places) == maxPlaces {
		g.more++
		return
	}
	g.places = append(g.places, place)
}

func (g *group) String() string {
	places := strings.Join(g.places, ", ")
	if g.more > 0 {
		places += fmt.Sprintf(" and %d more", g.more)
	}
	if g.others {
		return places + " of " + g.name + " and others"
	}
	return places + " of " + g.name
}

func withoutParts(r *chat.Request, drop func(chat.Part) bool) *chat.Request {
	less := *r
	less.Messages = slices.Clone(r.Messages)
	for i := range less.Messages {
		c := &less.Messages[i].Content
		if c.Parts == nil {
			continue
		}
		c.Parts = slices.DeleteFunc(slices.Clone(c.Parts), drop)
		if len(c.Parts) == 0 {
			*c = chat.TextContent("")
		}
	}
	return &less
}

// messagesMissingIn returns the first messages whose text is not in the prompt, except those of the assistant and of tools,
// which templates write in many ways, and without earlier reasoning.
func messagesMissingIn(r *chat.Request, prompt string) (suspects []suspect) {
	in := search{text: prompt, left: maxSearches * len(prompt)}
	for i, m := range r.Messages {
		if m.Role == chat.RoleAssistant || m.Role == chat.RoleTool || in.stands(m.Content) {
			continue
		}
		less := *r
		less.Messages = slices.Delete(slices.Clone(r.Messages), i, i+1)
		if suspects = append(suspects, suspect{fmt.Sprintf("messages[%d] (%s)", i, m.Role), &less}); len(suspects) == maxSuspects {
			break
		}
	}
	return suspects
}

// search looks for the texts of messages in a prompt, which usually come one after the other.
type search struct {
	text string
	at   int // behind the text that was found last
	left int // how many bytes may be looked at that were looked at before
}

// maxSearches is how often the whole prompt may be searched.
const maxSearches = 64

// has reports whether a text is in the prompt, or that was not looked for because too much was.
func (s *search) has(text string) bool {
	text = strings.TrimSpace(text)
	if i := strings.Index(s.text[s.at:], text); i >= 0 {
		s.at += i + len(text)
		return true
	}
	s.left -= len(s.text)
	return s.left < 0 || strings.Contains(s.text, text)
}

// stands reports whether the prompt contains a text of the content, or the content has no text.
func (s *search) stands(c chat.Content) bool {
	if c.Text != nil {
		return s.has(*c.Text)
	}
	text := func(p chat.Part) bool { return p.Text != "" }
	return !slices.ContainsFunc(c.Parts, text) ||
		slices.ContainsFunc(c.Parts, func(p chat.Part) bool { return text(p) && s.has(p.Text) })
}
