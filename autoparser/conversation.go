package autoparser

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// conversation is a request about to be rendered, and the form in which the template expects its parts. It owns messages and
// tools; the rest of the request is read-only.
type conversation struct {
	request  *chat.Request
	messages []chat.Message
	tools    []chat.Tool
	form     form
	now      time.Time     // that the template sees, the same in all renderings of the conversation
	explicit bool          // set add_generation_prompt to false, too: some templates treat an undefined variable as true
	given    *value.Object // the variables that all renderings of the conversation share; nil before the first
	cache    *Cache        // of the values of tools; nil: none
	// tolerated is why it was rendered tolerantly; nil if it was not.
	tolerated error
}

// generationPrompt is the variable that requests the beginning of an answer.
const generationPrompt = "add_generation_prompt"

// form is how a template expects what can be passed in several ways. The zero value is OpenAI's form.
type form struct {
	objectArguments bool   // the arguments of calls are objects, not strings
	flatCalls       bool   // calls have name and arguments as direct members, too
	nullBesideCalls bool   // empty content of messages with calls is null
	thoughts        string // an additional place for the reasoning of a message; see places
}

func newConversation(r *chat.Request, cache *Cache) conversation {
	c := conversation{request: r, messages: slices.Clone(r.Messages), tools: slices.Clone(r.Tools), now: r.Now, cache: cache}
	if c.now.IsZero() {
		c.now = time.Now()
	}
	return c
}

// variables returns the variables of a rendering. Those in the request override others.
func (t *Template) variables(c *conversation, prompt bool) *value.Object {
	if c.given == nil {
		c.given = t.given(c)
	}
	vars := value.NewObject()
	if prompt || c.explicit {
		vars.Set(generationPrompt, value.Bool(prompt))
	}
	for _, name := range c.given.Keys() {
		v, _ := c.given.Get(name)
		vars.Set(name, v)
	}
	return vars
}

// given returns the variables without that of the generation prompt. Templates cannot change their values.
func (t *Template) given(c *conversation) *value.Object {
	vars := value.NewObject()
	vars.Set("messages", list(c.messages, c.message))
	vars.Set("bos_token", value.String(t.BOS))
	vars.Set("eos_token", value.String(t.EOS))
	if on := c.request.EnableThinking; on != nil {
		vars.Set(enableThinking, value.Bool(*on))
	}
	if len(c.tools) > 0 {
		vars.Set("tools", c.cache.toolValues(c.tools))
	}
	vars.Set("datetime", value.String(c.now.Format("Jan 02 2006")))
	vars.Set("date_string", value.String(c.now.Format("02 Jan 2006")))
	if !c.request.JSONSchema.IsZero() {
		vars.Set("response_format", decoded(c.request.JSONSchema.Raw()))
	}
	for _, f := range withSynonyms(t.dialled(c.request)) {
		vars.Set(f.Name, decoded(f.Value))
	}
	return vars
}

// synonyms are other names that templates have for a variable. A negated one has the opposite meaning.
var synonyms = []struct {
	name, also string
	negated    bool
}{
	{"preserve_reasoning", "preserve_thinking", false},
	{"preserve_reasoning", "clear_thinking", true},
	{"preserve_reasoning", "truncate_history_thinking", true},
	{"preserve_reasoning", "drop_thinking", true},
}

// withSynonyms prepends the synonyms of the variables of a request, so that explicit values override them.
func withSynonyms(given []chat.Field) []chat.Field {
	var all []chat.Field
	for _, f := range given {
		for _, s := range synonyms {
			if s.name == f.Name {
				all = append(all, chat.Field{Name: s.also, Value: negate(f.Value, s.negated)})
			}
		}
	}
	return append(all, given...)
}

// negate returns the negation of a boolean if negated is set.
func negate(value json.RawMessage, negated bool) json.RawMessage {
	switch text := strings.TrimSpace(string(value)); {
	case negated && text == "true":
		return json.RawMessage("false")
	case negated && text == "false":
		return json.RawMessage("true")
	}
	return value
}

// list converts every item of a list.
func list[T any](items []T, convert func(T) value.Value) value.Value {
	values := make([]value.Value, len(items))
	for i, item := range items {
		values[i] = convert(item)
	}
	return value.ListOf(values...)
}

// decoded returns the value of a JSON text, or the text itself if it is not JSON.
func decoded(text json.RawMessage) value.Value {
	if v, err := value.Decode(text); err == nil {
		return v
	}
	return value.String(string(text))
}

// message returns the value of a message, with its fields in the order that templates expect which print it as a whole.
func (c conversation) message(m chat.Message) value.Value {
	o := value.NewObject()
	o.Set("role", value.String(m.Role))
	o.Set("content", contentValue(m.Content))
	if c.form.nullBesideCalls && len(m.ToolCalls) > 0 && contentText(m.Content) == "" {
		o.Set("content", value.None{})
	}
	setText(o, "reasoning_content", m.ReasoningContent)
	if len(m.ToolCalls) > 0 {
		o.Set("tool_calls", list(m.ToolCalls, c.call))
	}
	if place := c.form.thoughts; place == thinkingPart && m.ReasoningContent != "" {
		o.Set("content", withThinkingPart(m))
	} else if place != "" {
		setText(o, place, m.ReasoningContent)
	}
	setText(o, "name", m.Name)
	setText(o, "tool_call_id", m.ToolCallID)
	setFields(o, m.Extra)
	return o
}

// thinkingPart is the place of reasoning passed as a typed part of the content.
const thinkingPart = "a part of the content"

// places returns the additional places where the template may expect the reasoning of a message; "" is reasoning_content
// alone. The last are fields that the template reads and whose names contain a word for thinking.
func (t *Template) places() []string {
	all := []string{"", "reasoning", "thinking", thinkingPart}
	for _, f := range t.program.Fields() {
		if !slices.Contains(all, f) && f != "reasoning_content" && tellsOfThinking(f) && len(all) < mostPlaces {
			all = append(all, f)
		}
	}
	return all
}

// mostPlaces limits the places, each of which costs two renderings.
const mostPlaces = 12

// tellsOfThinking reports whether a name contains a word for thinking.
func tellsOfThinking(name string) bool {
	return slices.ContainsFunc([]string{"reason", "think", "thought", "plan"}, func(word string) bool { return strings.Contains(name, word) })
}

// withThinkingPart returns the content of a message with its reasoning as the first part.
func withThinkingPart(m chat.Message) value.Value {
	thinking := value.NewObject()
	thinking.Set("type", value.String("thinking"))
	thinking.Set("thinking", value.String(m.ReasoningContent))
	parts := m.Content.Parts
	if m.Content.Text != nil {
		parts = []chat.Part{{Type: "text", Text: *m.Content.Text}}
	}
	values := []value.Value{thinking}
	for _, p := range parts {
		values = append(values, partValue(p))
	}
	return value.ListOf(values...)
}

func contentValue(c chat.Content) value.Value {
	switch {
	case c.Text != nil:
		return value.String(*c.Text)
	case c.Parts != nil:
		return list(c.Parts, partValue)
	}
	return value.None{}
}

func partValue(p chat.Part) value.Value {
	if p.Raw != nil {
		return decoded(p.Raw)
	}
	o := value.NewObject()
	o.Set("type", value.String(p.Type))
	o.Set("text", value.String(p.Text))
	return o
}

func (c conversation) call(call chat.Call) value.Value {
	f := value.NewObject()
	f.Set("name", value.String(call.Name))
	f.Set("arguments", c.arguments(call.Arguments))
	o := value.NewObject()
	o.Set("type", value.String("function"))
	o.Set("function", f)
	if c.form.flatCalls {
		o.Set("name", value.String(call.Name))
		o.Set("arguments", c.arguments(call.Arguments))
	}
	setText(o, "id", call.ID)
	setFields(o, call.Extra)
	return o
}

// arguments returns arguments as an object or as a string, depending on the form. A string that is not an object is unchanged.
func (c conversation) arguments(text string) value.Value {
	if c.form.objectArguments {
		if v, err := value.Decode([]byte(text)); err == nil {
			if _, isObject := v.(*value.Object); isObject {
				return v
			}
		}
	}
	return value.String(text)
}

// toolValue returns a tool in the wrapping of OpenAI, even if the client sent it bare.
func toolValue(t chat.Tool) value.Value {
	if o, ok := decoded(t.Raw).(*value.Object); ok {
		if _, wrapped := o.Get("function"); wrapped {
			return o
		}
	}
	f := value.NewObject()
	f.Set("name", value.String(t.Name))
	setText(f, "description", t.Description)
	if !t.Parameters.IsZero() {
		f.Set("parameters", decoded(t.Parameters.Raw()))
	}
	if t.Strict {
		f.Set("strict", value.Bool(true))
	}
	o := value.NewObject()
	o.Set("type", value.String("function"))
	o.Set("function", f)
	return o
}

func setText(o *value.Object, name, text string) {
	if text != "" {
		o.Set(name, value.String(text))
	}
}

func setFields(o *value.Object, fields []chat.Field) {
	for _, f := range fields {
		o.Set(f.Name, decoded(f.Value))
	}
}
