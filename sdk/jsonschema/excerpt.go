package jsonschema

import (
	"net/url"
	"slices"
	"strings"
)

// Only returns the schema that allows what s allows of some kinds, as a separate document; the zero value if s allows all
// values of them.
func (s Schema) Only(kinds Kinds) Schema {
	switch own := s.Kinds(); {
	case s.IsZero():
		return s
	case own&^kinds == 0:
		return s.standalone()
	default:
		return s.narrowed(own & kinds)
	}
}

// narrowed returns the schema of the values of some kinds that s allows besides others: without the types, constants and
// alternatives that are of none of these kinds.
func (s Schema) narrowed(kinds Kinds) Schema {
	own := resolved(s.value(), s.root())
	out := NewObject()
	out.Set("type", oneOrMore(slices.DeleteFunc(typeNames(own.Get("type")), func(t *Value) bool { return typeKinds(t)&kinds == 0 })))
	for name, value := range own.All() {
		switch name {
		case "type":
			continue
		case "enum":
			value = NewArray(slices.DeleteFunc(slices.Clone(value.List()), func(v *Value) bool { return v.Kind&kinds == 0 })...)
		case "anyOf", "oneOf":
			value = NewArray(slices.DeleteFunc(slices.Clone(value.List()), func(v *Value) bool {
				return kindsOf(v, s.root())&kinds == 0 || resolved(v, s.root()) == own // which adds nothing
			})...)
		}
		if !value.Is(Array) || len(value.Items) > 0 {
			out.Set(name, value)
		}
	}
	return s.at(out).standalone()
}

// oneOrMore returns the only one of names, or all of them.
func oneOrMore(names []*Value) *Value {
	if len(names) == 1 {
		return names[0]
	}
	return NewArray(names...)
}

// typeNames returns the names in the value of the keyword "type"; without one, those of all types.
func typeNames(v *Value) []*Value {
	switch {
	case v.Is(String):
		return []*Value{v}
	case len(v.List()) > 0:
		return slices.Clone(v.List())
	}
	var all []*Value
	for _, t := range types {
		if t.name != "integer" {
			all = append(all, NewString(t.name))
		}
	}
	return all
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
