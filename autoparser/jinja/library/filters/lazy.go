package filters

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// mapFilter applies a filter to each element, or looks up an attribute of each.
func mapFilter(e *library.Env, in value.Value, a library.Arguments) value.Value {
	if !value.Truth(in) {
		return empty()
	}
	var convert func(value.Value) value.Value
	return lazily(e, in, func() { convert = mapping(e, a) }, func(v value.Value) (value.Value, bool) { return convert(v), true })
}

// mapping returns what map does to each element.
func mapping(e *library.Env, a library.Arguments) func(value.Value) value.Value {
	if attribute, fallback, ok := mapAttribute(a); ok {
		return getter(e, attribute, fallback)
	}
	if len(a.Values) == 0 {
		failure.Throw("FilterArgumentError", "map requires a filter argument")
	}
	name := value.NeedText(a.Values[0], "the name of a filter")
	f := named("filter", name, e.Lib.Filters)
	rest := library.Arguments{Values: a.Values[1:], Named: a.Named}
	return func(v value.Value) value.Value { return f.Apply(e, name, v, rest) }
}

// mapAttribute returns the arguments of map(attribute=…, default=…).
func mapAttribute(a library.Arguments) (attribute, fallback value.Value, ok bool) {
	fallback = value.None{}
	if len(a.Values) > 0 {
		return nil, nil, false
	}
	for _, n := range a.Named {
		switch n.Name {
		case "attribute":
			attribute, ok = n.Value, true
		case "default":
			fallback = n.Value
		}
	}
	for _, n := range a.Named {
		if ok && n.Name != "attribute" && n.Name != "default" {
			failure.Throw("FilterArgumentError", "Unexpected keyword argument '%s'", n.Name)
		}
	}
	return attribute, fallback, ok
}

// selects is select, reject, selectattr and rejectattr, which keep the elements for which the test
// returns want.
func selects(want, byAttribute bool) library.Func {
	return func(e *library.Env, in value.Value, a library.Arguments) value.Value {
		if !value.Truth(in) {
			return empty()
		}
		var passes func(value.Value) bool
		prepare := func() { passes = condition(e, a, byAttribute) }
		return lazily(e, in, prepare, func(v value.Value) (value.Value, bool) { return v, passes(v) == want })
	}
}

// condition returns the test that select and its variants apply to each element.
func condition(e *library.Env, a library.Arguments, byAttribute bool) func(value.Value) bool {
	get := func(v value.Value) value.Value { return v }
	if byAttribute {
		if len(a.Values) == 0 {
			failure.Throw("FilterArgumentError", "Missing parameter for attribute name")
		}
		get = getter(e, a.Values[0], value.None{})
		a.Values = a.Values[1:]
	}
	if len(a.Values) == 0 {
		return func(v value.Value) bool { return value.Truth(get(v)) }
	}
	name := value.NeedText(a.Values[0], "the name of a test")
	t := named("test", name, e.Lib.Tests)
	rest := library.Arguments{Values: a.Values[1:], Named: a.Named}
	return func(v value.Value) bool { return value.Truth(t.Apply(e, name, get(v), rest)) }
}

// empty returns an empty generator.
func empty() value.Value {
	return value.NewGenerator(func() (value.Value, bool) { return nil, false })
}

// lazy is a sequence whose elements are computed on demand.
type lazy struct {
	env     *library.Env
	in      value.Value
	prepare func()
	convert func(value.Value) (v value.Value, wanted bool)
	over    value.Iterator
	started bool
}

// lazily returns a generator of the converted elements of in that are wanted. prepare is called
// before the first.
func lazily(e *library.Env, in value.Value, prepare func(), convert func(value.Value) (value.Value, bool)) value.Value {
	e.Grow(128)
	l := &lazy{env: e, in: in, prepare: prepare, convert: convert}
	return value.NewGenerator(l.next)
}

func (l *lazy) next() (value.Value, bool) {
	l.env.Deeper()
	defer l.env.Shallower()
	if !l.started {
		l.started = true
		l.prepare()
		l.over = l.env.Iterate(l.in)
	}
	for {
		l.env.Charge(1)
		v, ok := l.over.Step()
		if !ok {
			return nil, false
		}
		if v, wanted := l.convert(v); wanted {
			return v, true
		}
	}
}

// items yields the items of an object, and nothing for undefined values.
func items(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	switch in := in.(type) {
	case *value.Undefined:
		return empty()
	case *value.Object:
		return value.GeneratorOf(e.Iterate(value.NewView(in, "items")))
	}
	return value.NewGenerator(func() (value.Value, bool) {
		failure.Throw("TypeError", "Can only get item pairs from a mapping.")
		return nil, false
	})
}
