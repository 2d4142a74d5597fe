package anthropic

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// blockTypes are the types of blocks that each role may have; a tool is what says a result.
var blockTypes = map[string][]string{
	chat.RoleSystem:    {"text"},
	chat.RoleAssistant: {"text", "thinking", "redacted_thinking", "tool_use"},
	chat.RoleUser:      {"text", "image", "document", "search_result", "tool_result"},
	chat.RoleTool:      {"text", "image", "document", "search_result"},
}

// block adds what a block says to the turn of a role. own is the message that the block is in.
func (c *conversation) block(role string, b *ordered.Value, own string) error {
	if b.Kind() != ordered.Object {
		return b.Expected("a block")
	}
	kind, err := text(b, "type")
	if err != nil {
		return err
	}
	if !slices.Contains(blockTypes[role], kind) {
		return b.Get("type").Expected("one of "+strings.Join(blockTypes[role], ", "), "other blocks are not served")
	}
	switch kind {
	case "thinking", "redacted_thinking":
		return c.thought(b, own)
	case "tool_use":
		return c.called(b, own)
	case "tool_result":
		return c.answered(b)
	}
	p := part{Type: "text", own: b.Path()}
	switch kind {
	case "text":
		p.Text, err = text(b, "text")
	case "image":
		p.Type = "image_url"
		p.Image, err = readImage(b.Get("source"), b)
	case "document":
		p.Text, err = readDocument(b)
	case "search_result":
		p.Text, err = readSearchResult(b)
	}
	if err == nil {
		c.add(role, own, p)
	}
	return err
}

// readImage reads the source of an image.
func readImage(source, b *ordered.Value) (*image, error) {
	if source.Kind() != ordered.Object {
		return nil, b.Missing("source", "an object")
	}
	switch kind := source.Get("type"); kind.Text() {
	case "url":
		url, err := text(source, "url")
		return &image{url}, err
	case "base64":
		media, err := text(source, "media_type")
		if err != nil {
			return nil, err
		}
		data, err := text(source, "data")
		return &image{"data:" + media + ";base64," + data}, err
	default:
		return nil, fault.Invalid(source.Path()+".type", `expected "base64" or "url"; files are not kept`)
	}
}

// readDocument returns a document of text, after its title and its context.
func readDocument(b *ordered.Value) (said string, err error) {
	source := b.Get("source")
	switch source.Get("type").Text() {
	case "text":
		said, err = text(source, "data")
	case "content":
		said, err = joined(source.Get("content"), source)
	default:
		err = fault.Invalid(b.Path()+".source.type", `expected "text" or "content"; other documents are not read, send their text`)
	}
	return titled(said, b.Get("title"), b.Get("context")), err
}

// readSearchResult returns a search result as text.
func readSearchResult(b *ordered.Value) (string, error) {
	said, err := joined(b.Get("content"), b)
	return titled(said, b.Get("title"), b.Get("source")), err
}

// titled returns a text after its titles, each in a line of its own.
func titled(said string, titles ...*ordered.Value) string {
	var lines []string
	for _, t := range titles {
		if t.Text() != "" {
			lines = append(lines, t.Text())
		}
	}
	return strings.Join(append(lines, said), "\n")
}

// joined returns the content of v, a string or blocks of text.
func joined(content, v *ordered.Value) (string, error) {
	switch content.Kind() {
	case ordered.String:
		return content.Text(), nil
	case ordered.Array:
		var all []string
		for _, b := range content.Items() {
			if b.Get("type").Text() != "text" {
				return "", fault.Invalid(b.Path(), `expected a block of type "text"`)
			}
			said, err := text(b, "text")
			if err != nil {
				return "", err
			}
			all = append(all, said)
		}
		return strings.Join(all, "\n"), nil
	case ordered.Absent:
		return "", v.Missing("content", "a string or an array of blocks of text")
	}
	return "", content.Expected("a string or an array of blocks of text")
}

// thought adds thinking: what is sealed in its signature, or else its text. Without either it is lost.
func (c *conversation) thought(b *ordered.Value, own string) error {
	sealed, said := b.Get("data"), ""
	if b.Get("type").Text() == "thinking" {
		var err error
		if said, err = text(b, "thinking"); err != nil {
			return err
		}
		sealed = b.Get("signature")
	}
	if isSet(sealed) && sealed.Kind() != ordered.String {
		return sealed.Expected("a string")
	}
	opened, err := c.sealer.Open(seal.Reasoning, sealed.Text())
	if err != nil && said == "" {
		c.note("ignored %s: its thinking is not of this gateway", b.Path())
	}
	m := c.of(chat.RoleAssistant, own)
	if said = cmp.Or(opened, said); said != "" {
		m.thoughts = append(m.thoughts, said)
	}
	return nil
}

// called adds a call. Its input is an object, or the string that stands for arguments that were broken off.
func (c *conversation) called(b *ordered.Value, own string) (err error) {
	k := call{Type: "function", own: b.Path()}
	if k.ID, err = text(b, "id"); err != nil {
		return err
	}
	if k.Function.Name, err = text(b, "name"); err != nil {
		return err
	}
	switch input := b.Get("input"); input.Kind() {
	case ordered.Object:
		k.Function.Arguments = string(input.Raw())
	case ordered.String:
		k.Function.Arguments = input.Text()
	case ordered.Absent:
		return b.Missing("input", "an object")
	default:
		return input.Expected("an object")
	}
	m := c.of(chat.RoleAssistant, own)
	m.Calls = append(m.Calls, k)
	return nil
}

// answered adds the result of a call, as a message of its own.
func (c *conversation) answered(b *ordered.Value) (err error) {
	m := &message{Role: chat.RoleTool, own: b.Path()}
	if m.CallID, err = text(b, "tool_use_id"); err != nil {
		return err
	}
	c.messages = append(c.messages, m)
	if content := b.Get("content"); isSet(content) {
		if err := c.turn(chat.RoleTool, content, b.Path()); err != nil {
			return err
		}
	}
	failed := b.Get("is_error")
	if isSet(failed) && failed.Kind() != ordered.Bool {
		return failed.Expected("true or false")
	}
	if failed.IsTrue() {
		m.fail()
	}
	return nil
}

// fail lets a result say that it is an error, unless it does.
func (m *message) fail() {
	const mark = "Error: "
	at := slices.IndexFunc(m.parts, func(p part) bool { return p.Type == "text" })
	if at < 0 {
		m.parts = slices.Insert(m.parts, 0, part{Type: "text", own: m.own})
		at = 0
	}
	if said := m.parts[at].Text; !strings.Contains(strings.ToLower(said), "error") {
		m.parts[at].Text = mark + said
	}
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }
