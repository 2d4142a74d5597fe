package jinja

import (
	"sort"
)

// builtins is the library of all templates.
var builtins = newLibrary()

func newLibrary() *library {
	l := &library{
		filters:   allFilters(),
		tests:     allTests(),
		globals:   allGlobals(),
		methods:   allMethods(),
		functions: map[string]Value{},
	}
	l.each(func(b *builtin) { b.fallbacks = b.allFallbacks() })
	for name, f := range l.globals {
		if f.refused == "" {
			l.functions[name] = &function{name: name, printed: "<function " + name + ">", call: func(r *render, a arguments) Value {
				return f.apply(r, name, nil, a)
			}}
		}
	}
	return l
}

// each calls f with everything in the library.
func (l *library) each(f func(*builtin)) {
	tables := []map[string]*builtin{l.filters, l.tests, l.globals}
	for _, methods := range l.methods {
		tables = append(tables, methods)
	}
	for _, table := range tables {
		for _, b := range table {
			f(b)
		}
	}
}

// allFallbacks returns what the parameters are when nothing is given, or nil where something must be.
func (b *builtin) allFallbacks() []Value {
	var values []Value
	for _, p := range b.params {
		if p.fallback == nil {
			return nil
		}
		values = append(values, p.fallback)
	}
	return values
}

// Refusal is a part of Jinja2 that this package does not support.
type Refusal struct {
	Kind string // tag, filter, function, method or escape
	Name string
	Why  string
}

// Refused lists what templates cannot use, by kind and name. Methods are refused when they are called, all else by Compile.
func Refused() []Refusal {
	all := []Refusal{{"escape", `\N{…}`, "write the character itself"}}
	for name, why := range refusedTags {
		all = append(all, Refusal{"tag", name, why})
	}
	add := func(kind, prefix string, from map[string]*builtin) {
		for name, b := range from {
			if b.refused != "" {
				all = append(all, Refusal{kind, prefix + name, b.refused})
			}
		}
	}
	add("filter", "", builtins.filters)
	add("function", "", builtins.globals)
	for _, class := range []string{"str", "dict"} {
		add("method", class+".", builtins.methods[class])
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].Kind != all[j].Kind {
			return all[i].Kind < all[j].Kind
		}
		return all[i].Name < all[j].Name
	})
	return all
}
