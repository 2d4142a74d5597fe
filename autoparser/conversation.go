package autoparser

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// conversation is a request on its way into a template, and the form in which the template wants its parts. Messages and
// tools are its own; the rest of the request is read only.
type conversation struct {
	request  *chat.Request
	messages []chat.Message
	tools    []chat.Tool
	form     form
	now      time.Time     // that the template is told, the same in all renderings of the conversation
	explicit bool          // it says, too, that it wants no generation prompt: some templates take silence for a wish
	given    *value.Object // the variables that all renderings of the conversation share; nil before the first
	// tolerated is why it had to be rendered tolerantly; nil: it had not.
	tolerated error
}

// generationPrompt is the variable that asks for the beginning of an answer.
const generationPrompt = "add_generation_prompt"

// form is how a template wants what can be said in several ways. The zero value is OpenAI's own form.
type form struct {
	objectArguments bool   // the arguments of calls are objects, not texts
	flatCalls       bool   // calls have their name and arguments as members of their own, too
	nullBesideCalls bool   // empty content beside calls is null
	thoughts        string // the further place where a message holds its reasoning; see places
}

func newConversation(r *chat.Request) conversation {
	c := conversation{request: r, messages: slices.Clone(r.Messages), tools: slices.Clone(r.Tools), now: r.Now}
	if c.now.IsZero() {
		c.now = time.Now()
	}
	return c
}

// variables are what a template reads. Where the request names one that says the same, that one wins.
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

// given are the variables but for that of the generation prompt. Templates cannot change what is in them.
func (t *Template) given(c *conversation) *value.Object {
	vars := value.NewObject()
	vars.Set("messages", list(c.messages, c.message))
	vars.Set("bos_token", value.String(t.BOS))
	vars.Set("eos_token", value.String(t.EOS))
	vars.Set("enable_thinking", value.Bool(c.request.EnableThinking == nil || *c.request.EnableThinking))
	if no := c.request.EnableThinking; no != nil && !*no && !t.reads("enable_thinking") {
		// The other name for it. Who wants thinking leaves that to the template's default.
		vars.Set("thinking", value.Bool(false))
	}
	if len(c.tools) > 0 {
		vars.Set("tools", list(c.tools, toolValue))
	}
	vars.Set("datetime", value.String(c.now.Format("Jan 02 2006")))
	vars.Set("date_string", value.String(c.now.Format("02 Jan 2006")))
	if !c.request.JSONSchema.IsZero() {
		vars.Set("response_format", decoded(c.request.JSONSchema.Raw()))
	}
	for _, f := range withSynonyms(c.request.TemplateKwargs) {
		vars.Set(f.Name, decoded(f.Value))
	}
	return vars
}

// synonyms are names that templates have for the same wish. A negated one means the opposite.
var synonyms = []struct {
	name, also string
	negated    bool
}{
	{"reasoning_effort", "reasoning_strength", false},
	{"preserve_reasoning", "preserve_thinking", false},
	{"preserve_reasoning", "clear_thinking", true},
	{"preserve_reasoning", "truncate_history_thinking", true},
	{"preserve_reasoning", "drop_thinking", true},
}

// withSynonyms puts in front of the variables of a request the synonyms of those it has, so that those given win.
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

// negate turns true and false into each other, if it shall.
func negate(value json.RawMessage, shall bool) json.RawMessage {
	switch text := strings.TrimSpace(string(value)); {
	case shall && text == "true":
		return json.RawMessage("false")
	case shall && text == "false":
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

// decoded is a JSON text as a value; what is no JSON stays a text.
func decoded(text json.RawMessage) value.Value {
	if v, err := value.Decode(text); err == nil {
		return v
	}
	return value.String(string(text))
}

// message is a message in the order of fields in which templates that print it whole expect them.
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

// thinkingPart is the place of reasoning that is a typed part of the content.
const thinkingPart = "a part of the content"

// places are where the template may look for the reasoning of a message: in reasoning_content alone, or in another field,
// too. Last come fields that it reads itself, if their names tell of thinking.
func (t *Template) places() []string {
	all := []string{"", "reasoning", "thinking", thinkingPart}
	for _, f := range t.program.Fields() {
		if !slices.Contains(all, f) && f != "reasoning_content" && tellsOfThinking(f) && len(all) < mostPlaces {
			all = append(all, f)
		}
	}
	return all
}

// mostPlaces bounds the places, each of which costs two renderings.
const mostPlaces = 12

// tellsOfThinking says that a word for thinking is a part of a name.
func tellsOfThinking(name string) bool {
	return slices.ContainsFunc([]string{"reason", "think", "thought", "plan"}, func(word string) bool { return strings.Contains(name, word) })
}

// withThinkingPart is the content of a message with its reasoning as the first part.
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

// arguments are an object or its text. A text that holds no object stays one.
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

// toolValue is a tool with the wrapping that OpenAI gives it, whether the client did or not.
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
