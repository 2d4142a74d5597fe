package anthropic

import (
	"strings"
	"unicode"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// message is a message of the chat request.
type message struct {
	Role      string `json:"role"`
	Content   any    `json:"content"` // a string, or parts
	Reasoning string `json:"reasoning_content,omitempty"`
	Calls     []call `json:"tool_calls,omitempty"`
	CallID    string `json:"tool_call_id,omitempty"`

	parts    []part
	thoughts []string
	own      string // the member that it comes from
}

type part struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitzero"`
	Image *image `json:"image_url,omitempty"`

	own string
}

type image struct {
	URL string `json:"url"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`

	own string
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// conversation is the messages as they are read.
type conversation struct {
	*reader
	messages []*message
}

// readMessages reads system and messages.
func (r *reader) readMessages() error {
	c := &conversation{reader: r}
	if system := r.root.Get("system"); isSet(system) {
		if err := c.turn(chat.RoleSystem, system, "system"); err != nil {
			return err
		}
	}
	all := r.root.Get("messages")
	if all.Kind() == ordered.Absent {
		return r.root.Missing("messages", "an array")
	}
	if all.Kind() != ordered.Array || all.Len() == 0 {
		return all.Expected("an array with at least one message")
	}
	for _, m := range all.Items() {
		role, err := text(m, "role")
		if err != nil {
			return err
		}
		if _, known := blockTypes[role]; !known || role == chat.RoleTool {
			return m.Get("role").Expected(`"user", "assistant" or "system"`)
		}
		if err := c.turn(role, m.Get("content"), m.Path()); err != nil {
			return err
		}
	}
	if err := c.prefill(); err != nil {
		return err
	}
	return c.write()
}

// turn reads the content of a message, which continues the turn of its role.
func (c *conversation) turn(role string, content *ordered.Value, own string) error {
	switch content.Kind() {
	case ordered.String:
		c.add(role, own, part{Type: "text", Text: content.Text(), own: content.Path()})
		return nil
	case ordered.Array:
		for _, b := range content.Items() {
			if err := c.block(role, b, own); err != nil {
				return err
			}
		}
		if content.Len() == 0 {
			c.of(role, own)
		}
		return nil
	case ordered.Absent:
		return fault.Invalid(ordered.MemberPath(own, "content"), "expected a string or an array of blocks, found nothing")
	}
	return content.Expected("a string or an array of blocks")
}

// of returns the message that is being said by a role, which what follows belongs to.
func (c *conversation) of(role, own string) *message {
	if n := len(c.messages); n > 0 && c.messages[n-1].Role == role {
		return c.messages[n-1]
	}
	m := &message{Role: role, own: own}
	c.messages = append(c.messages, m)
	return m
}

// add adds a part to the turn of a role.
func (c *conversation) add(role, own string, p part) {
	m := c.of(role, own)
	m.parts = append(m.parts, p)
}

// prefill lets the model continue the last message if it is the assistant's.
func (c *conversation) prefill() error {
	last := c.messages[len(c.messages)-1]
	if last.Role != chat.RoleAssistant {
		return nil
	}
	if n := len(last.Calls); n > 0 {
		return fault.Invalid(last.Calls[n-1].own, "the last message calls a tool; send its result as a tool_result of the user")
	}
	if len(c.messages) == 1 {
		return fault.Invalid(last.own, "expected a message of the user before the assistant's")
	}
	var text strings.Builder
	for _, p := range last.parts {
		text.WriteString(p.Text)
	}
	said := text.String()
	if said != "" {
		last.parts = []part{{Type: "text", Text: said, own: last.parts[0].own}}
	}
	if strings.TrimRightFunc(said, unicode.IsSpace) != said {
		return fault.Invalid(last.parts[0].own, "expected a text to be continued that does not end with white space")
	}
	c.continued = map[chat.EventKind]string{
		chat.ContentText: strings.TrimSpace(said), chat.ReasoningText: strings.TrimSpace(last.reasoning()),
	}
	return c.set("continue_final_message", last.own, true)
}

// reasoning returns the thinking of the turn.
func (m *message) reasoning() string { return strings.Join(m.thoughts, "\n\n") }

// write writes the messages into the chat request.
func (c *conversation) write() error {
	for i, m := range c.messages {
		place := ordered.IndexPath("messages", i)
		c.places.Add(place, m.own)
		m.Reasoning = m.reasoning()
		content := ordered.MemberPath(place, "content")
		if m.Content = m.parts; len(m.parts) == 1 && m.parts[0].Type == "text" {
			m.Content = m.parts[0].Text
			c.places.Add(content, m.parts[0].own)
		} else if len(m.parts) == 0 {
			m.Content = ""
		}
		for j, p := range m.parts {
			c.places.Add(ordered.IndexPath(content, j), p.own)
		}
		for j, k := range m.Calls {
			c.places.Add(ordered.IndexPath(ordered.MemberPath(place, "tool_calls"), j), k.own)
		}
	}
	return c.set("messages", "messages", c.messages)
}
