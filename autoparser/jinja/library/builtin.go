package library

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/fault"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Arguments are those of one call: before binding as they are written, after binding one value for each parameter, in
// their order, followed by what a variadic takes.
type Arguments struct {
	Values []value.Value
	Named  []Binding
}

type Binding struct {
	Name  string
	Key   value.Value // the name
	Value value.Value
}

// parameter of a builtin. One without a fallback must be given.
type parameter struct {
	name     string
	Fallback value.Value
}

// Builtin is a filter, a test, a method or a global function. Filters, tests and methods get the value that they are
// applied to as in; functions get nil.
type Builtin struct {
	Params   []parameter
	Variadic bool // takes more positional arguments
	Keywords bool // takes any named arguments
	Changes  bool // a method that changes its object
	unnamed  bool // a method whose arguments have no names
	run      func(e *Env, in value.Value, a Arguments) value.Value

	fallbacks []value.Value // of all parameters, where all have one; never changed

	Refused string // why it is not supported; run is nil then
}

// Library holds all that a template can name. It is built once and never changes.
type Library struct {
	Filters map[string]*Builtin
	Tests   map[string]*Builtin
	Globals map[string]*Builtin
	Methods map[string]map[string]*Builtin // by class

	Functions map[string]value.Value // the globals as values
}

// takes makes a parameter list of names that must be given.
func takes(names ...string) []parameter {
	params := make([]parameter, len(names))
	for i, n := range names {
		params[i].name = n
	}
	return params
}

// Apply binds the arguments and runs the builtin on in.
func (b *Builtin) Apply(e *Env, name string, in value.Value, a Arguments) value.Value {
	switch {
	case len(a.Values) == len(b.Params) && len(a.Named) == 0, b.Variadic && b.Keywords && len(b.Params) == 0:
		return b.run(e, in, a)
	case len(a.Values) == 0 && len(a.Named) == 0 && b.fallbacks != nil:
		return b.run(e, in, Arguments{Values: b.fallbacks})
	}
	return b.run(e, in, b.bind(name, a))
}

// bind gives each parameter its value.
func (b *Builtin) bind(name string, a Arguments) Arguments {
	given := len(a.Values)
	if b.unnamed && len(a.Named) > 0 {
		fault.Throw("TypeError", "%s() takes no keyword arguments", name)
	}
	if given > len(b.Params) && !b.Variadic {
		fault.Throw("TypeError", "%s() takes at most %d arguments (%d given)", name, len(b.Params), given)
	}
	bound := Arguments{Values: make([]value.Value, max(given, len(b.Params)))}
	copy(bound.Values, a.Values)
	for _, n := range a.Named {
		i := b.Place(n.Name)
		switch {
		case i < 0 && b.Keywords:
			bound.Named = append(bound.Named, n)
		case i < 0:
			fault.Throw("TypeError", "%s() got an unexpected keyword argument '%s'", name, n.Name)
		case bound.Values[i] != nil:
			fault.Throw("TypeError", "%s() got multiple values for argument '%s'", name, n.Name)
		default:
			bound.Values[i] = n.Value
		}
	}
	b.fill(name, bound.Values)
	return bound
}

// Place returns the position of a parameter, or -1.
func (b *Builtin) Place(name string) int {
	for i := range b.Params {
		if b.Params[i].name == name {
			return i
		}
	}
	return -1
}

// fill gives what was not passed its fallback.
func (b *Builtin) fill(name string, values []value.Value) {
	for i, p := range b.Params {
		if values[i] != nil {
			continue
		}
		if p.Fallback == nil {
			fault.Throw("TypeError", "%s() missing 1 required positional argument: '%s'", name, p.name)
		}
		values[i] = p.Fallback
	}
}

// bound is the attribute that a method is: callable, or undefined where it is forbidden or not supported.
func (b *Builtin) bound(self value.Value, name string) value.Value {
	switch {
	case b.Refused != "":
		return &value.Undefined{Hint: self.Class() + "." + name + " is not supported: " + b.Refused}
	case b.Changes && !value.IsMutable(self):
		return &value.Undefined{Of: self, Name: value.String(name), Unsafe: true}
	}
	return &Function{Name: name, self: self, method: b}
}
