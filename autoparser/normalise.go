package autoparser

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Normalisation is a way to adapt a conversation to what a template can render.
type Normalisation struct {
	ID      string // as explanations and workarounds name it
	Because string // what the template needs, and what is done about it
	// when reports whether a template needs it; nil means always.
	when func(manner) bool
	// apply adapts a conversation, and reports whether it changed anything.
	apply func(*conversation, manner) bool
}

// Normalisations returns all normalisations in the order in which they are applied.
func Normalisations() []Normalisation { return slices.Clone(normalisations) }

var normalisations = []Normalisation{
	{"developer-role", "hardly a template knows developers: their messages become system messages",
		nil, developerToSystem},
	{"thinking-words", "the template switches thinking at words of the system message: they are added to it",
		func(m manner) bool { p := m.dial.of(off); return p != nil && p.By == "" }, tellToThink},
	{"joined-content", "the template wants content as one text: typed parts are joined, a line each",
		func(m manner) bool { return m.StringContent || !m.TypedContent }, joinParts},
	{"typed-content", "the template wants content as typed parts: a text becomes a part",
		func(m manner) bool { return !m.StringContent && m.TypedContent }, splitParts},
	{"no-null-content", "most templates fail on null content, or spell it: it becomes an empty text",
		nil, nullToEmpty},
	{"trim-content", "the template wants content without white space at its edges: it is cut off",
		func(m manner) bool { return m.trim }, trimContent},
	{"no-system-role", "the template has no system messages: what they say begins the first message of the user",
		func(m manner) bool { return !m.SystemRole }, systemToUser},
	{"object-arguments", "the template wants the arguments of calls as objects: their texts are read",
		func(m manner) bool { return m.ObjectArguments }, objectArguments},
	{"flat-calls", "the template looks for the name and the arguments of a call in the call itself: they are given there, too",
		func(m manner) bool { return m.flatCalls }, flattenCalls},
	{"null-content", "the template renders calls only beside null content: empty content becomes null there",
		func(m manner) bool { return m.nullCalls }, nullBesideCalls},
	{"reasoning-place", "the template looks for reasoning elsewhere than in reasoning_content: it is given there, too",
		func(m manner) bool { return m.thoughts != "" }, placeThoughts},
	{"tool-parameters", "most templates want every tool to have parameters: one without any gets an empty schema",
		nil, emptyParameters},
}

// manner is what normalisations depend on.
type manner struct {
	dialect.Capabilities
	dial      Dial
	thoughts  string // an additional place where the template expects the reasoning of a message
	flatCalls bool   // it expects name and arguments of a call in the call itself
	nullCalls bool   // it renders calls only with null content
	trim      bool
}

// manner returns how conversations are adapted to the template; asked are the normalisations that workarounds request.
func (t *Template) manner(asked []workaround.Normalisation) manner {
	m := manner{Capabilities: t.Capabilities, dial: t.Dial, thoughts: t.thoughts, flatCalls: t.flatCalls}
	for _, n := range asked {
		switch n {
		case workaround.TrimContent:
			m.trim = true
		case workaround.NoSystemRole:
			m.SystemRole = false
		case workaround.ObjectArgs:
			m.ObjectArguments = true
		case workaround.NullContent:
			m.nullCalls = true
		case workaround.JoinedContent:
			m.StringContent, m.TypedContent = true, false
		}
	}
	return m
}

// wants returns the normalisations that the template needs.
func (m manner) wants() []Normalisation {
	return slices.DeleteFunc(Normalisations(), func(n Normalisation) bool { return !n.wantedBy(m) })
}

func (n *Normalisation) wantedBy(m manner) bool { return n.when == nil || n.when(m) }

// normalise adapts a conversation to the template, and returns the ids of the normalisations that changed it.
func (m manner) normalise(c *conversation) []string {
	var done []string
	for _, n := range normalisations {
		if n.wantedBy(m) && n.apply(c, m) {
			done = append(done, n.ID)
		}
	}
	return done
}

func developerToSystem(c *conversation, _ manner) bool {
	return c.each(func(msg *chat.Message) bool {
		is := msg.Role == chat.RoleDeveloper
		if is {
			msg.Role = chat.RoleSystem
		}
		return is
	})
}

// tellToThink adds what the request says of thinking to the first message, if that is of the system; else it begins with it.
func tellToThink(c *conversation, m manner) bool {
	words := m.dial.sentence(c.request)
	if words == "" {
		return false
	}
	if len(c.messages) == 0 || c.messages[0].Role != chat.RoleSystem {
		c.messages = append([]chat.Message{{Role: chat.RoleSystem, Content: chat.TextContent(words)}}, c.messages...)
		return true
	}
	said := &c.messages[0].Content
	if said.Text != nil {
		*said = chat.TextContent(*said.Text + "\n" + words)
	} else {
		*said = chat.Content{Parts: append(slices.Clip(said.Parts), chat.Part{Type: "text", Text: words})}
	}
	return true
}

// joinParts joins typed parts. If the template renders parts, it leaves messages with other parts than texts as they are.
func joinParts(c *conversation, m manner) bool {
	return c.each(func(msg *chat.Message) bool {
		parts := msg.Content.Parts
		if parts == nil || m.TypedContent && slices.ContainsFunc(parts, isNoText) {
			return false
		}
		var texts []string
		for _, p := range parts {
			if !isNoText(p) {
				texts = append(texts, p.Text)
			}
		}
		msg.Content = chat.TextContent(strings.Join(texts, "\n"))
		return true
	})
}

func isNoText(p chat.Part) bool { return p.Type != "text" }

func splitParts(c *conversation, _ manner) bool {
	return c.each(func(msg *chat.Message) bool {
		is := msg.Content.Text != nil
		if is {
			msg.Content = chat.Content{Parts: []chat.Part{{Type: "text", Text: *msg.Content.Text}}}
		}
		return is
	})
}

func nullToEmpty(c *conversation, _ manner) bool {
	return c.each(func(msg *chat.Message) bool {
		null := msg.Content.Text == nil && msg.Content.Parts == nil
		if null {
			msg.Content = chat.TextContent("")
		}
		return null
	})
}

func trimContent(c *conversation, _ manner) bool {
	return c.each(func(msg *chat.Message) bool {
		if msg.Content.Text == nil {
			return false
		}
		text := strings.TrimSpace(*msg.Content.Text)
		changed := text != *msg.Content.Text
		msg.Content = chat.TextContent(text)
		return changed
	})
}

func systemToUser(c *conversation, _ manner) bool {
	var said []string
	var rest []chat.Message
	for _, msg := range c.messages {
		if msg.Role == chat.RoleSystem {
			said = append(said, contentText(msg.Content))
		} else {
			rest = append(rest, msg)
		}
	}
	if len(said) == 0 {
		return false
	}
	c.messages = tellUser(rest, strings.Join(said, "\n"))
	return true
}

// tellUser prepends a text to the first user message; without one, the text becomes a user message.
func tellUser(messages []chat.Message, text string) []chat.Message {
	for i, msg := range messages {
		if msg.Role == chat.RoleUser && msg.Content.Text != nil {
			messages[i].Content = chat.TextContent(text + "\n" + *msg.Content.Text)
			return messages
		}
	}
	first := chat.Message{Role: chat.RoleUser, Content: chat.TextContent(text)}
	return append([]chat.Message{first}, messages...)
}

func objectArguments(c *conversation, _ manner) bool {
	c.form.objectArguments = true
	return c.hasCalls()
}

func flattenCalls(c *conversation, _ manner) bool {
	c.form.flatCalls = true
	return c.hasCalls()
}

func nullBesideCalls(c *conversation, _ manner) bool {
	c.form.nullBesideCalls = true
	return c.hasCalls()
}

func (c *conversation) hasCalls() bool {
	return slices.ContainsFunc(c.messages, func(msg chat.Message) bool { return len(msg.ToolCalls) > 0 })
}

func placeThoughts(c *conversation, m manner) bool {
	c.form.thoughts = m.thoughts
	return slices.ContainsFunc(c.messages, func(msg chat.Message) bool { return msg.ReasoningContent != "" })
}

// noParameters is the schema of a function without parameters.
var noParameters = jsonschema.MustParse(`{"type": "object", "properties": {}}`)

func emptyParameters(c *conversation, _ manner) bool {
	changed := false
	for i, t := range c.tools {
		if t.Parameters.IsZero() {
			c.tools[i].Parameters = noParameters
			c.tools[i].Raw = nil
			changed = true
		}
	}
	return changed
}

// each applies change to every message, and reports whether it changed any.
func (c *conversation) each(change func(*chat.Message) bool) bool {
	changed := false
	for i := range c.messages {
		changed = change(&c.messages[i]) || changed
	}
	return changed
}
