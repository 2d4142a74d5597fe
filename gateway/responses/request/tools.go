package request

import (
	"fmt"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Tool is a tool of the request that the model sees as a function.
type Tool struct {
	Namespace string // empty: none
	Name      string
	Custom    bool // its input is free text
}

// Tool returns the tool that a call of a function means.
func (r *Request) Tool(function string) Tool {
	if t, known := r.tools[function]; known {
		return t
	}
	return Tool{Name: function}
}

// Input is the name of the only argument of the functions that stand for custom tools.
const Input = "input"

// separator is between the namespace and the name of a tool in the name of its function.
const separator = "__"

// flat returns the name of the function of a tool.
func flat(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + separator + name
}

// functionOf returns the function of the tool that v names.
func functionOf(v *ordered.Value) (string, error) {
	name, err := needed(v, "name", "the name of a tool")
	if err != nil {
		return "", err
	}
	namespace, err := text(v.Get("namespace"))
	return flat(namespace, name), err
}

// readTools writes the tools as functions.
func (r *reader) readTools() error {
	all := r.root.Get("tools")
	if !isSet(all) {
		return nil
	}
	if all.Kind() != ordered.Array {
		return all.Expected("an array of tools")
	}
	if err := r.readAllowed(); err != nil {
		return err
	}
	r.tools = map[string]Tool{}
	begin := len(r.out)
	r.member("tools", "tools")
	r.out = append(r.out, '[')
	for _, v := range all.Items() {
		if err := r.tool("", v); err != nil {
			return err
		}
	}
	if r.out = append(r.out, ']'); len(r.tools) == 0 {
		r.out = r.out[:begin]
	}
	return nil
}

// readAllowed reads which tools may be called, if the choice says so. The model sees no others.
func (r *reader) readAllowed() error {
	v := r.root.Get("tool_choice")
	if v.Get("type").Text() != "allowed_tools" {
		return nil
	}
	allowed := v.Get("tools")
	if allowed.Kind() != ordered.Array {
		return v.Missing("tools", "an array of tools")
	}
	r.allowed = map[string]bool{}
	for _, t := range allowed.Items() {
		switch t.Get("type").Text() {
		case "function", "custom":
			name, err := functionOf(t)
			if err != nil {
				return err
			}
			r.allowed[name] = true
		}
	}
	return nil
}

// tool writes a tool of a namespace.
func (r *reader) tool(namespace string, v *ordered.Value) error {
	kind, err := needed(v, "type", `a type such as "function"`)
	if err != nil {
		return err
	}
	switch {
	case kind == "function" || kind == "custom":
		return r.function(Tool{Namespace: namespace, Custom: kind == "custom"}, v)
	case kind == "namespace" && namespace == "":
		return r.namespace(v)
	}
	r.note("ignored tools of type %s: the gateway has none", kind)
	return nil
}

// namespace writes the tools of a namespace.
func (r *reader) namespace(v *ordered.Value) error {
	name, err := needed(v, "name", "the name of the namespace")
	if err != nil {
		return err
	}
	all := v.Get("tools")
	if all.Kind() != ordered.Array {
		return v.Missing("tools", "an array of tools")
	}
	for _, t := range all.Items() {
		if err := r.tool(name, t); err != nil {
			return err
		}
	}
	return nil
}

// function writes the function of a tool.
func (r *reader) function(t Tool, v *ordered.Value) (err error) {
	if t.Name, err = needed(v, "name", "the name of the tool"); err != nil {
		return err
	}
	name := flat(t.Namespace, t.Name)
	if _, taken := r.tools[name]; taken {
		return &fault.Error{Code: fault.InvalidArgument, Place: v.Path() + ".name", Message: fmt.Sprintf("a tool before has the name %q, too", name), Remedy: "rename one of them"}
	}
	if r.allowed != nil && !r.allowed[name] {
		return nil
	}
	place := ordered.IndexPath("tools", len(r.tools))
	r.places.Add(place, v.Path())
	r.places.Add(place+".function", v.Path())
	r.tools[name] = t
	r.out = appendText(append(next(r.out), `{"type":"function","function":{"name":`...), name)
	if t.Custom {
		err = r.custom(place, v)
	} else {
		r.members(v)
	}
	r.out = append(r.out, "}}"...)
	return err
}

// members writes the other members of a function. An absent "strict" is no, as in chats.
func (r *reader) members(v *ordered.Value) {
	for _, name := range []string{"description", "parameters", "strict"} {
		if m := v.Get(name); isSet(m) {
			r.out = append(appendName(r.out, name), m.Raw()...)
		}
	}
}

// custom writes the other members of the function of a custom tool. The description has the grammar, and the constraint
// enforces it if it is a regular expression.
func (r *reader) custom(place string, v *ordered.Value) error {
	description, err := text(v.Get("description"))
	if err != nil {
		return err
	}
	schema := []byte(`{"type":"object","properties":{"` + Input + `":{"type":"string"`)
	if f := v.Get("format"); f.Get("type").Text() == "grammar" {
		definition, err := needed(f, "definition", "a grammar")
		if err != nil {
			return err
		}
		switch syntax := f.Get("syntax").Text(); syntax {
		case "regex":
			description += "\n\nThe input must match this regular expression:\n" + definition
			r.places.AddMade(place+".function.parameters", f.Path()+".definition")
			schema = appendText(append(schema, `,"pattern":`...), "^(?:"+definition+")$")
		case "lark":
			description += "\n\nThe input must follow this Lark grammar:\n" + definition
			r.note("not enforced: the grammar of the custom tool %s", v.Get("name").Text())
		default:
			return f.Get("syntax").Expected(`"lark" or "regex"`)
		}
	}
	r.out = appendText(appendName(r.out, "description"), description)
	r.out = append(append(appendName(r.out, "parameters"), schema...), `}},"required":["`+Input+`"],"additionalProperties":false}`...)
	return nil
}
