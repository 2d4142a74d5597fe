package library

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// Arguments are the arguments of one call. Before binding they are as written; after binding there
// is one value for each parameter, in order, followed by the extra arguments of a variadic builtin.
type Arguments struct {
	Values []value.Value
	Named  []Binding
}

// Binding is a named argument.
type Binding struct {
	Name  string
	Key   value.Value // Name as a value
	Value value.Value
}

// Parameter is a parameter of a builtin. It is required if it has no fallback.
type Parameter struct {
	name     string
	Fallback value.Value
}

// Parameters are the parameters of one builtin.
type Parameters []Parameter

// Func is the function of a builtin. in is the value to which a filter, a test or a method is
// applied, and nil for functions.
type Func func(e *Env, in value.Value, a Arguments) value.Value

// Builtin is a filter, a test, a method or a global function.
type Builtin struct {
	Params   Parameters
	Variadic bool // accepts more positional arguments
	Keywords bool // accepts any named arguments
	Changes  bool // is a method that changes its object
	Unnamed  bool // accepts no named arguments
	Run      Func

	fallbacks []value.Value // of all parameters if each has one; never changed

	Refused string // why it is not supported; Run is nil then
}

// Takes returns required parameters.
func Takes(names ...string) Parameters {
	params := make(Parameters, len(names))
	for i, n := range names {
		params[i].name = n
	}
	return params
}

// Or adds an optional parameter.
func (p Parameters) Or(name string, fallback value.Value) Parameters {
	return append(p, Parameter{name, fallback})
}

// Apply binds the arguments and runs the builtin. name is for messages.
func (b *Builtin) Apply(e *Env, name string, in value.Value, a Arguments) value.Value {
	switch {
	case len(a.Values) == len(b.Params) && len(a.Named) == 0, b.Variadic && b.Keywords && len(b.Params) == 0:
		return b.Run(e, in, a)
	case len(a.Values) == 0 && len(a.Named) == 0 && b.fallbacks != nil:
		return b.Run(e, in, Arguments{Values: b.fallbacks})
	}
	return b.Run(e, in, b.bind(name, a))
}

// bind assigns arguments to parameters.
func (b *Builtin) bind(name string, a Arguments) Arguments {
	given := len(a.Values)
	if b.Unnamed && len(a.Named) > 0 {
		failure.Throw("TypeError", "%s() takes no keyword arguments", name)
	}
	if given > len(b.Params) && !b.Variadic {
		failure.Throw("TypeError", "%s() takes at most %d arguments (%d given)", name, len(b.Params), given)
	}
	bound := Arguments{Values: make([]value.Value, max(given, len(b.Params)))}
	copy(bound.Values, a.Values)
	for _, n := range a.Named {
		i := b.Place(n.Name)
		switch {
		case i < 0 && b.Keywords:
			bound.Named = append(bound.Named, n)
		case i < 0:
			failure.Throw("TypeError", "%s() got an unexpected keyword argument '%s'", name, n.Name)
		case bound.Values[i] != nil:
			failure.Throw("TypeError", "%s() got multiple values for argument '%s'", name, n.Name)
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

// fill sets the parameters that have no argument to their fallbacks.
func (b *Builtin) fill(name string, values []value.Value) {
	for i, p := range b.Params {
		if values[i] != nil {
			continue
		}
		if p.Fallback == nil {
			failure.Throw("TypeError", "%s() missing 1 required positional argument: '%s'", name, p.name)
		}
		values[i] = p.Fallback
	}
}

// bound returns the method of self as a value: a function, or undefined if it is forbidden or not
// supported.
func (b *Builtin) bound(self value.Value, name string) value.Value {
	switch {
	case b.Refused != "":
		return &value.Undefined{Hint: self.Class() + "." + name + " is not supported: " + b.Refused}
	case b.Changes && !value.IsMutable(self):
		return &value.Undefined{Of: self, Name: value.String(name), Unsafe: true}
	}
	return &Function{Name: name, self: self, method: b}
}

// prepare sets fallbacks.
func (b *Builtin) prepare() {
	var values []value.Value
	for _, p := range b.Params {
		if p.Fallback == nil {
			return
		}
		values = append(values, p.Fallback)
	}
	b.fallbacks = values
}
