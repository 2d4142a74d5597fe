package library

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Standard is the library of all templates.
var Standard = newLibrary()

func newLibrary() *Library {
	l := &Library{
		Filters:   allFilters(),
		Tests:     allTests(),
		Globals:   allGlobals(),
		Methods:   allMethods(),
		Functions: map[string]value.Value{},
	}
	l.each(func(b *Builtin) { b.fallbacks = b.allFallbacks() })
	for name, f := range l.Globals {
		if f.Refused == "" {
			l.Functions[name] = &Function{Name: name, Printed: "<function " + name + ">", Call: func(e *Env, a Arguments) value.Value {
				return f.Apply(e, name, nil, a)
			}}
		}
	}
	return l
}

// each calls f with everything in the library.
func (l *Library) each(f func(*Builtin)) {
	tables := []map[string]*Builtin{l.Filters, l.Tests, l.Globals}
	for _, methods := range l.Methods {
		tables = append(tables, methods)
	}
	for _, table := range tables {
		for _, b := range table {
			f(b)
		}
	}
}

// allFallbacks returns what the parameters are when nothing is given, or nil where something must be.
func (b *Builtin) allFallbacks() []value.Value {
	var values []value.Value
	for _, p := range b.Params {
		if p.Fallback == nil {
			return nil
		}
		values = append(values, p.Fallback)
	}
	return values
}
