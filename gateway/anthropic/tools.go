package anthropic

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// tool is a tool of the chat request.
type tool struct {
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  jsontext.Value `json:"parameters"`
	Strict      bool           `json:"strict,omitzero"`
}

// hosted begin the types of tools that Anthropic itself runs.
var hosted = []string{"web_search_", "web_fetch_", "code_execution_", "tool_search_tool_", "mcp_toolset", "advisor_"}

// typedTools are the tools that clients run and Anthropic's models know without a schema: descriptions and schemas by the beginnings of
// their types.
//
//go:embed tools.json
var typedTools []byte

// dated is the date at the end of a type.
var dated = regexp.MustCompile(`_\d{8}$`)

// readTools reads tools and tool_choice.
func (r *reader) readTools() error {
	all := r.root.Get("tools")
	if isSet(all) && all.Kind() != ordered.Array {
		return all.Expected("an array of tools")
	}
	tools := []tool{}
	for _, v := range all.Items() {
		t, err := r.readTool(v)
		if err != nil {
			return err
		}
		if t == nil {
			continue
		}
		place := ordered.MemberPath(ordered.IndexPath("tools", len(tools)), "function")
		for name, own := range map[string]string{"": "", ".name": ".name", ".description": ".description", ".parameters": ".input_schema"} {
			r.places.Add(place+name, v.Path()+own)
		}
		tools = append(tools, *t)
	}
	if len(tools) > 0 {
		if err := r.set("tools", "tools", tools); err != nil {
			return err
		}
	}
	return r.readChoice(tools)
}

// readTool reads a tool; nil if the gateway does without it.
func (r *reader) readTool(v *ordered.Value) (*tool, error) {
	if v.Kind() != ordered.Object {
		return nil, v.Expected("a tool")
	}
	kind := v.Get("type").Text()
	if slices.ContainsFunc(hosted, func(prefix string) bool { return strings.HasPrefix(kind, prefix) }) {
		r.note("ignored %s: the gateway has no tool %s", v.Path(), kind)
		return nil, nil
	}
	name, err := text(v, "name")
	if err != nil {
		return nil, err
	}
	t := &tool{"function", toolFunction{Name: name, Description: v.Get("description").Text(), Strict: v.Get("strict").IsTrue()}}
	schema := v.Get("input_schema")
	if !isSet(schema) && kind != "" && kind != "custom" {
		return t, known(v, kind, t)
	}
	if schema.Kind() != ordered.Object {
		return nil, fault.Invalid(ordered.MemberPath(v.Path(), "input_schema"), "expected a JSON Schema")
	}
	t.Function.Parameters = jsontext.Value(schema.Raw())
	return t, nil
}

// known gives a tool that is known by its type its description and its schema.
func known(v *ordered.Value, kind string, t *tool) error {
	all, err := ordered.Parse(typedTools)
	if err != nil {
		return err
	}
	found := all.Get(dated.ReplaceAllString(kind, ""))
	if !isSet(found) {
		return v.Get("type").Expected(`"custom", or a tool that the gateway knows: `+strings.Join(all.Names(), ", "),
			"send it as a custom tool with an input_schema")
	}
	t.Function.Description, t.Function.Parameters = found.Get("description").Text(), jsontext.Value(found.Get("input_schema").Raw())
	return nil
}

// choices are the types of tool_choice in the words of chats.
var choices = map[string]string{"auto": "auto", "any": "required", "none": "none"}

// readChoice reads tool_choice.
func (r *reader) readChoice(tools []tool) error {
	v := r.root.Get("tool_choice")
	if !isSet(v) {
		return nil
	}
	kind, err := text(v, "type")
	if err != nil {
		return err
	}
	if single := v.Get("disable_parallel_tool_use"); isSet(single) {
		if single.Kind() != ordered.Bool {
			return single.Expected("true or false")
		}
		if err := r.set("parallel_tool_calls", single.Path(), !single.IsTrue()); err != nil {
			return err
		}
	}
	if kind == "tool" {
		return r.readNamed(v, tools)
	}
	word, known := choices[kind]
	if !known {
		return v.Get("type").Expected(`"auto", "any", "tool" or "none"`)
	}
	if kind == "any" && len(tools) == 0 {
		return fault.Invalid(v.Path(), `"any" needs a tool that the client runs; send tools, or "auto"`)
	}
	return r.set("tool_choice", v.Path(), word)
}

// readNamed reads a tool_choice of one tool.
func (r *reader) readNamed(v *ordered.Value, tools []tool) error {
	name, err := text(v, "name")
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(tools, func(t tool) bool { return t.Function.Name == name }) {
		return v.Get("name").Fault("no tool of the request that the client runs is named " + name)
	}
	return r.set("tool_choice", v.Path(), map[string]any{"type": "function", "function": map[string]string{"name": name}})
}
