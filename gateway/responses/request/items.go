package request

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// conversation writes the messages.
func (r *reader) conversation() error {
	c := &conversation{reader: r}
	r.member("messages", "input")
	r.out = append(r.out, '[')
	instructions := r.root.Get("instructions")
	said, err := text(instructions)
	if err != nil {
		return err
	}
	if said != "" {
		c.directions = append(c.directions, direction{chat.RoleSystem, said, "instructions"})
	}
	if err := c.earlier(); err != nil {
		return err
	}
	if err := c.input(r.root.Get("input")); err != nil {
		return err
	}
	c.flush()
	r.out = append(r.out, ']')
	return nil
}

// conversation writes messages as items come.
type conversation struct {
	*reader
	written int
	stored  string // the member that the items being read come from; empty: each has its own place in the request

	directions []direction // at the beginning
	turn       *turn       // of the assistant, which further items may join; nil: none
}

// direction is a message of the system or of a developer.
type direction struct{ role, text, place string }

// turn is a message of the assistant.
type turn struct {
	reasoning, text           []byte
	calls                     []byte
	count                     int // of calls
	last                      string
	reasoningPlace, textPlace string
	callPlaces                []string
}

// place returns where an item, or a part of one, stands in the request.
func (c *conversation) place(v *ordered.Value) string {
	if c.stored != "" {
		return c.stored
	}
	return v.Path()
}

// earlier reads the items of the response that the conversation goes on from.
func (c *conversation) earlier() error {
	if c.Previous == "" {
		return nil
	}
	const place = "previous_response_id"
	if c.options.Earlier == nil {
		return fault.Invalid(place, "no responses are stored here; send the whole conversation as input, or configure engines.store")
	}
	items, err := c.options.Earlier.Conversation(c.Previous)
	if err != nil {
		return placed(err, place)
	}
	return c.storedItems(items, place)
}

// storedItems reads items that were stored; place is the member that asks for them.
func (c *conversation) storedItems(items []jsontext.Value, place string) error {
	before := c.stored
	c.stored = place
	defer func() { c.stored = before }()
	for _, item := range items {
		v, err := ordered.Parse(item)
		if err == nil {
			err = c.item(v)
		}
		if err != nil {
			return placed(err, place)
		}
	}
	return nil
}

// placed returns an error about a member. What is not stored any more is the request's fault.
func placed(err error, place string) error {
	f := &fault.Error{Code: fault.CodeOf(err), Place: place, Message: err.Error(), Err: err}
	if known := new(fault.Error); errors.As(err, &known) {
		f.Message = known.Message
	}
	if f.Code == fault.NotFound {
		f.Code, f.Remedy = fault.InvalidArgument, "send the whole conversation as input"
	}
	return f
}

// input reads the input: a text, or items.
func (c *conversation) input(v *ordered.Value) error {
	switch v.Kind() {
	case ordered.String:
		c.message(chat.RoleUser, appendText(nil, v.Text()), "input")
		return nil
	case ordered.Array:
		for _, item := range v.Items() {
			if err := c.item(item); err != nil {
				return err
			}
		}
		return nil
	case ordered.Absent, ordered.Null:
		if c.Previous != "" {
			return nil
		}
		return fault.Invalid("input", "missing; expected a string or an array of items")
	}
	return v.Expected("a string or an array of items")
}

// hosted are the items of tools that OpenAI has, and of other services of its.
var hosted = []string{
	"web_search_call", "file_search_call", "computer_call", "computer_call_output", "code_interpreter_call", "image_generation_call",
	"mcp_list_tools", "mcp_call", "mcp_approval_request", "mcp_approval_response", "tool_search_call", "tool_search_output",
	"local_shell_call", "local_shell_call_output", "shell_call", "shell_call_output", "apply_patch_call", "apply_patch_call_output",
}

// item reads an item.
func (c *conversation) item(v *ordered.Value) error {
	if v.Kind() != ordered.Object {
		return v.Expected("an item")
	}
	if IsReference(v) {
		return c.reference(v)
	}
	kind, err := text(v.Get("type"))
	if err != nil {
		return err
	}
	switch kind {
	case "message", "":
		return c.said(v)
	case "reasoning":
		return c.thought(v)
	case "function_call":
		return c.called(v, "arguments")
	case "custom_tool_call":
		return c.called(v, "input")
	case "function_call_output", "custom_tool_call_output":
		return c.answered(v)
	}
	if slices.Contains(hosted, kind) {
		c.note("ignored items of type %s", kind)
		return nil
	}
	return v.Get("type").Expected("message, reasoning, function_call, function_call_output, custom_tool_call, custom_tool_call_output or item_reference")
}

// IsReference reports whether an item stands for one that was stored.
func IsReference(item *ordered.Value) bool {
	kind := item.Get("type").Text()
	return kind == "item_reference" || kind == "" && !isSet(item.Get("role"))
}

// reference reads an item that was stored.
func (c *conversation) reference(v *ordered.Value) error {
	id, err := needed(v, "id", "the id of an item")
	if err != nil {
		return err
	}
	if c.options.Earlier == nil {
		return fault.Invalid(c.place(v), "no items are stored here; send the item itself, or configure engines.store")
	}
	item, err := c.options.Earlier.Item(id)
	if err != nil {
		return placed(err, c.place(v)+".id")
	}
	return c.storedItems([]jsontext.Value{item}, c.place(v))
}

// said reads a message.
func (c *conversation) said(v *ordered.Value) error {
	role, err := needed(v, "role", `"user", "assistant", "system" or "developer"`)
	if err != nil {
		return err
	}
	content := v.Get("content")
	if !isSet(content) {
		return v.Missing("content", "a string or an array of parts")
	}
	place := c.place(v)
	switch role {
	case chat.RoleAssistant:
		said, err := c.words(content)
		if err == nil {
			c.speak(said, place)
		}
		return err
	case chat.RoleUser, chat.RoleSystem, chat.RoleDeveloper:
	default:
		return v.Get("role").Expected(`"user", "assistant", "system" or "developer"`)
	}
	if role != chat.RoleUser && c.written == 0 && c.turn == nil {
		said, err := c.words(content)
		c.directions = append(c.directions, direction{role, string(said), place + ".content"})
		return err
	}
	text, err := c.content(content)
	if err == nil {
		c.message(role, text, place)
	}
	return err
}

// thought reads reasoning: its text, or else its sealed form, or its summary.
func (c *conversation) thought(v *ordered.Value) error {
	said, err := c.words(v.Get("content"))
	if err != nil {
		return err
	}
	if sealed := v.Get("encrypted_content"); len(said) == 0 && isSet(sealed) {
		if sealed.Kind() != ordered.String {
			return sealed.Expected("a string")
		}
		said = c.opened(sealed)
	}
	if len(said) == 0 {
		if said, err = c.words(v.Get("summary")); err != nil {
			return err
		}
	}
	if len(said) == 0 {
		return nil
	}
	t := c.assistant()
	t.reasoning, t.reasoningPlace, t.last = append(t.reasoning, said...), c.place(v), "reasoning"
	return nil
}

// opened returns sealed reasoning; nil if it cannot be opened.
func (c *conversation) opened(sealed *ordered.Value) []byte {
	if c.options.Open != nil {
		if said, err := c.options.Open(sealed.Text()); err == nil {
			return []byte(said)
		}
	}
	c.note("ignored %s: this gateway has not sealed it", c.place(sealed))
	return nil
}

// called reads a call, whose arguments are in a member of this name.
func (c *conversation) called(v *ordered.Value, member string) error {
	id, err := needed(v, "call_id", "the id of the call")
	if err != nil {
		return err
	}
	name, err := functionOf(v)
	if err != nil {
		return err
	}
	arguments := v.Get(member)
	if arguments.Kind() != ordered.String {
		return v.Missing(member, "a string")
	}
	said := arguments.Text()
	if member == "input" {
		said = string(append(appendText([]byte(`{"`+Input+`":`), said), '}'))
	}
	t := c.assistant()
	if t.count > 0 {
		t.calls = append(t.calls, ',')
	}
	t.calls = appendText(append(t.calls, `{"type":"function","id":`...), id)
	t.calls = appendText(append(t.calls, `,"function":{"name":`...), name)
	t.calls = append(appendText(append(t.calls, `,"arguments":`...), said), "}}"...)
	t.count++
	t.callPlaces, t.last = append(t.callPlaces, c.place(v)), "call"
	return nil
}

// answered reads what a tool has answered.
func (c *conversation) answered(v *ordered.Value) error {
	id, err := text(v.Get("call_id"))
	if err != nil {
		return err
	}
	output := v.Get("output")
	if !isSet(output) {
		return v.Missing("output", "a string or an array of parts")
	}
	content, err := c.content(output)
	if err != nil {
		return err
	}
	at := c.begin(chat.RoleTool, c.place(v))
	c.places.Add(at+".content", c.place(output))
	if id != "" {
		c.out = appendText(appendName(c.out, "tool_call_id"), id)
	}
	c.out = append(append(appendName(c.out, "content"), content...), '}')
	return nil
}

// assistant returns the turn that an item of the assistant belongs to.
func (c *conversation) assistant() *turn {
	if c.turn == nil {
		c.turn = new(turn)
	}
	return c.turn
}

// speak adds a text of the assistant. One right after another is a turn of its own; otherwise the model wrote both at once, with
// reasoning or calls in between.
func (c *conversation) speak(said []byte, place string) {
	if c.turn != nil && c.turn.last == "text" {
		c.flush()
	}
	t := c.assistant()
	t.text, t.textPlace, t.last = append(t.text, said...), place, "text"
}

// message writes a message.
func (c *conversation) message(role string, content []byte, place string) {
	at := c.begin(role, place)
	if place == "input" {
		c.places.Add(at+".content", place)
	}
	c.out = append(append(appendName(c.out, "content"), content...), '}')
}

// begin begins a message, after what comes before it, and returns its place in the chat request.
func (c *conversation) begin(role, place string) string {
	c.flush()
	return c.open(role, place)
}

func (c *conversation) open(role, place string) string {
	at := ordered.IndexPath("messages", c.written)
	c.places.Add(at, place)
	c.written++
	c.out = appendText(appendName(append(next(c.out), '{'), "role"), role)
	return at
}

// flush writes what is collected: the directions, or the assistant's turn.
func (c *conversation) flush() {
	c.flushDirections()
	t := c.turn
	if t == nil {
		return
	}
	c.turn = nil
	at := c.open(chat.RoleAssistant, "input")
	c.places.Add(at+".content", t.textPlace+".content")
	c.out = append(appendName(c.out, "content"), "null"...)
	if t.textPlace != "" {
		c.out = appendText(c.out[:len(c.out)-len("null")], t.text)
	}
	if len(t.reasoning) > 0 {
		c.places.Add(at+".reasoning_content", t.reasoningPlace)
		c.out = appendText(appendName(c.out, "reasoning_content"), t.reasoning)
	}
	if t.count > 0 {
		c.out = append(append(append(appendName(c.out, "tool_calls"), '['), t.calls...), ']')
		for i, place := range t.callPlaces {
			call := ordered.IndexPath(at+".tool_calls", i)
			c.places.Add(call, place)
			c.places.Add(call+".function", place)
		}
	}
	c.out = append(c.out, '}')
}

// flushDirections writes the directions as one message: of developers if all are theirs, as some templates have such messages.
func (c *conversation) flushDirections() {
	if len(c.directions) == 0 {
		return
	}
	role, texts := chat.RoleDeveloper, []string(nil)
	for _, d := range c.directions {
		texts = append(texts, d.text)
		if d.role != role {
			role = chat.RoleSystem
		}
	}
	first := c.directions[0].place
	c.directions = nil
	c.places.Add(c.open(role, first)+".content", first)
	c.out = append(appendText(appendName(c.out, "content"), strings.Join(texts, "\n\n")), '}')
}
