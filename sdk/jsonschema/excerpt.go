package jsonschema

import (
	"net/url"
	"slices"
	"strings"
)

// Only returns the schema that allows what s allows of some kinds, as a separate document; the zero value if s allows all
// values of them.
func (s Schema) Only(kinds Kinds) Schema {
	switch {
	case s.IsZero():
		return s
	case s.Kinds()&^kinds == 0:
		return s.standalone()
	case kinds == String:
		return s.strings()
	}
	names := NewArray()
	for _, t := range types {
		if t.name != "integer" && s.Kinds()&kinds&t.kind != 0 {
			names.Items = append(names.Items, NewString(t.name))
		}
	}
	out := NewObject()
	out.Set("type", names)
	return document(out)
}

// strings returns the schema of the strings that s allows besides other kinds.
func (s Schema) strings() Schema {
	own := resolved(s.value(), s.root())
	for _, keyword := range unions {
		if b := s.branch(own, keyword, String); b != nil && kindsOf(b, s.root()) == String { // any other may refer back to s
			return s.at(b).standalone()
		}
	}
	out := NewObject()
	out.Set("type", NewString("string"))
	for name, value := range own.All() {
		switch name {
		case "type", "anyOf", "oneOf":
			continue
		case "enum":
			value = NewArray(slices.DeleteFunc(slices.Clone(value.List()), func(v *Value) bool { return v.Kind != String })...)
		}
		out.Set(name, value)
	}
	return s.at(out).standalone()
}

// Bare returns the schema without annotations of its own, so that schemas that differ in nothing else are equal.
func (s Schema) Bare() Schema {
	v := s.value()
	var names []string
	for _, name := range v.Names() {
		if keywords[name].note {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return s
	}
	return s.at(v.But(names...))
}

// standalone returns the schema as a separate document, which includes the targets of its references.
func (s Schema) standalone() Schema {
	v := s.value()
	switch {
	case v == nil, v == s.root():
		return s
	case !v.refers:
		return document(v)
	}
	if target := resolved(v, s.root()); target != v {
		return s.at(target).standalone()
	}
	e := excerpt{root: s.root(), names: map[string]string{}}
	out := e.rewritten(v.But("$defs", "definitions")) // references lead to those of the root
	if len(e.definitions.Keys) > 0 {
		out.Set("$defs", &e.definitions)
	}
	return document(out)
}

// excerpt is a part of a document that becomes a document. All targets of its references become definitions.
type excerpt struct {
	root        *Value
	names       map[string]string // of definitions, by reference
	definitions Value
}

// rewritten returns v with references that lead to the definitions.
func (e *excerpt) rewritten(v *Value) *Value {
	if !v.refers {
		return v
	}
	out := &Value{Kind: v.Kind, refers: true}
	for _, item := range v.Items {
		out.Items = append(out.Items, e.rewritten(item))
	}
	for name, value := range v.All() {
		if name == "$ref" && value.Is(String) && strings.HasPrefix(value.Text, "#") {
			out.Set(name, NewString("#/$defs/"+e.definition(value.Text)))
		} else {
			out.Set(name, e.rewritten(value))
		}
	}
	return out
}

// definition returns the name of the definition that a reference leads to, as it stands in references.
func (e *excerpt) definition(ref string) string {
	if name, known := e.names[ref]; known {
		return name
	}
	name := ref[strings.LastIndexByte(ref, '/')+1:]
	for e.definitions.Has(unescaped(name)) {
		name += "-"
	}
	e.names[ref] = name
	e.definitions.Kind = Object
	e.definitions.Set(unescaped(name), NewBool(true)) // keeps the place, and remains if the reference leads to nothing
	if target := e.root.Lookup(ref); target != nil {
		e.definitions.Set(unescaped(name), e.rewritten(target))
	}
	return name
}

// unescaped returns the member that a step of a reference names.
func unescaped(step string) string {
	if plain, err := url.PathUnescape(step); err == nil {
		step = plain
	}
	return pointerUnescape.Replace(step)
}
