package library

import "github.com/dragoman-project/dragoman/autoparser/jinja/value"

// Library holds all builtins. It is built once and never changes.
type Library struct {
	Filters   map[string]*Builtin
	Tests     map[string]*Builtin
	Globals   map[string]*Builtin
	Methods   map[string]map[string]*Builtin // by class
	Functions map[string]value.Value         // Globals as values; set by Complete
}

// Complete prepares the library for use and returns it.
func (l *Library) Complete() *Library {
	for _, table := range l.tables() {
		for _, b := range table {
			b.prepare()
		}
	}
	l.Functions = map[string]value.Value{}
	for name, f := range l.Globals {
		if f.Refused == "" {
			l.Functions[name] = &Function{Name: name, Printed: "<function " + name + ">", Call: func(e *Env, a Arguments) value.Value {
				return f.Apply(e, name, nil, a)
			}}
		}
	}
	return l
}

func (l *Library) tables() []map[string]*Builtin {
	tables := []map[string]*Builtin{l.Filters, l.Tests, l.Globals}
	for _, methods := range l.Methods {
		tables = append(tables, methods)
	}
	return tables
}
