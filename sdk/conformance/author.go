package conformance

import (
	"encoding/json"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// author generates messages that answer a request.
type author struct {
	random  *rand.Rand
	request *chat.Request
	thinks  bool // the format has reasoning
}

// The texts of authors. None of them looks like markup, like a number, or like what is trimmed.
var (
	thoughts = []string{"", "Hm.", "Let us see:\n- first\n- then \"that\""}
	words    = []string{"", "Here it is.", "Two lines,\n  the second indented.", "日本 🎉 <b>é</b> {1: [2]}"}
	texts    = []string{"", "Rome", "it's \"quoted\" \\ here", "two\nlines", "a, b: (c) = [d] {e}", "日本 🎉 <b>é</b>"}
	numbers  = []string{"0", "-7", "1928"}
)

func (a *author) one(of []string) string { return of[a.random.IntN(len(of))] }

// message returns a message that the request allows.
func (a *author) message() chat.Message {
	m := chat.Message{Role: chat.RoleAssistant}
	if a.thinks && a.request.ReasoningFormat.Extract() {
		m.ReasoningContent = a.one(thoughts)
	}
	m.ToolCalls = a.calls()
	content := a.one(words)
	if !a.request.JSONSchema.IsZero() && len(m.ToolCalls) == 0 {
		content = a.value(a.request.JSONSchema, 2)
	}
	m.Content = chat.TextContent(content)
	return m
}

// calls returns as many calls as the request allows.
func (a *author) calls() (calls []chat.Call) {
	r := a.request
	var tools []chat.Tool
	for _, t := range r.Tools {
		if r.ToolChoice.Mode != chat.ToolNone && (r.ToolChoice.Mode != chat.ToolNamed || r.ToolChoice.Name == t.Name) {
			tools = append(tools, t)
		}
	}
	n := a.random.IntN(2)
	if r.ParallelToolCalls {
		n = a.random.IntN(4)
	}
	if mustCall(r) {
		n = max(n, 1)
	}
	for range min(n, n*len(tools)) {
		t := tools[a.random.IntN(len(tools))]
		calls = append(calls, chat.Call{Name: t.Name, Arguments: a.arguments(t.Parameters)})
	}
	return calls
}

func (a *author) parameters(name string) jsonschema.Schema {
	i := slices.IndexFunc(a.request.Tools, func(t chat.Tool) bool { return t.Name == name })
	if i < 0 {
		return jsonschema.Schema{}
	}
	return a.request.Tools[i].Parameters
}

// arguments returns an object with everything that s requires, and some of the rest.
func (a *author) arguments(s jsonschema.Schema) string {
	names := s.Required()
	for _, p := range s.Properties() {
		if !slices.Contains(names, p.Name) && a.random.IntN(2) == 0 {
			names = append(names, p.Name)
		}
	}
	return a.object(s, names)
}

// object returns an object with the named members, in the order in which s declares them.
func (a *author) object(s jsonschema.Schema, names []string) string {
	var members []string
	for _, p := range s.Properties() {
		if slices.Contains(names, p.Name) {
			members = append(members, strconv.Quote(p.Name)+":"+a.value(p.Schema, 2))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// value returns a value that s allows, with objects and arrays nested at most depth deep.
func (a *author) value(s jsonschema.Schema, depth int) string {
	if choices := s.Enum(); len(choices) > 0 {
		return a.one(choices)
	}
	var kinds []jsonschema.Kinds
	for kind := jsonschema.Object; kind <= jsonschema.Null; kind <<= 1 {
		if s.Kinds()&kind != 0 {
			kinds = append(kinds, kind)
		}
	}
	switch kinds[a.random.IntN(len(kinds))] {
	case jsonschema.Object:
		return a.arguments(s)
	case jsonschema.Array:
		var items []string
		for range a.random.IntN(3) * min(depth, 1) {
			items = append(items, a.value(s.Items(), depth-1))
		}
		return "[" + strings.Join(items, ",") + "]"
	case jsonschema.String:
		return quoted(a.one(texts))
	case jsonschema.Number:
		return a.one(numbers)
	case jsonschema.Bool:
		return a.one([]string{"true", "false"})
	}
	return "null"
}

// quoted returns text as JSON, without escapes that it does not need.
func quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// A string always encodes.
	_ = enc.Encode(text)
	return strings.TrimSuffix(b.String(), "\n")
}

// Members iterates over the members of a JSON object in order, names and values, for tests that write arguments in a notation
// of their own. Anything but an object has none.
func Members(object string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for name, value := range parsed(object).Members() {
			if !yield(name, string(value.Raw())) {
				return
			}
		}
	}
}

// Items returns the items of a JSON array. Anything but an array has none.
func Items(array string) (items []string) {
	for _, item := range parsed(array).Items() {
		items = append(items, string(item.Raw()))
	}
	return items
}

// Text returns the text of a JSON string, and whether value is one.
func Text(value string) (text string, ok bool) {
	v := parsed(value)
	return v.Text(), v.Kind() == ordered.String
}

// parsed returns the value of a JSON text, an absent one if it is not valid.
func parsed(text string) *ordered.Value {
	v, _ := ordered.Parse([]byte(text))
	return v
}
