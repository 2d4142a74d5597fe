package jinja

import "strings"

// arguments are those of one call: before binding as they are written, after binding one value for each parameter, in
// their order, followed by what a variadic takes.
type arguments struct {
	values []Value
	named  []binding
}

type binding struct {
	name  string
	key   Value // the name
	value Value
}

// parameter of a builtin. One without a fallback must be given.
type parameter struct {
	name     string
	fallback Value
}

// builtin is a filter, a test, a method or a global function. Filters, tests and methods get the value that they are
// applied to as in; functions get nil.
type builtin struct {
	params   []parameter
	variadic bool // takes more positional arguments
	keywords bool // takes any named arguments
	changes  bool // a method that changes its object
	unnamed  bool // a method whose arguments have no names
	run      func(r *render, in Value, a arguments) Value

	fallbacks []Value // of all parameters, where all have one; never changed

	refused string // why it is not supported; run is nil then
}

// library holds all that a template can name. It is built once and never changes.
type library struct {
	filters map[string]*builtin
	tests   map[string]*builtin
	globals map[string]*builtin
	methods map[string]map[string]*builtin // by class

	functions map[string]Value // the globals as values
}

const (
	yes = boolean(true)
	no  = boolean(false)
)

// takes makes a parameter list of names that must be given.
func takes(names ...string) []parameter {
	params := make([]parameter, len(names))
	for i, n := range names {
		params[i].name = n
	}
	return params
}

// apply binds the arguments and runs the builtin on in.
func (b *builtin) apply(r *render, name string, in Value, a arguments) Value {
	switch {
	case len(a.values) == len(b.params) && len(a.named) == 0, b.variadic && b.keywords && len(b.params) == 0:
		return b.run(r, in, a)
	case len(a.values) == 0 && len(a.named) == 0 && b.fallbacks != nil:
		return b.run(r, in, arguments{values: b.fallbacks})
	}
	return b.run(r, in, b.bind(name, a))
}

// bind gives each parameter its value.
func (b *builtin) bind(name string, a arguments) arguments {
	given := len(a.values)
	if b.unnamed && len(a.named) > 0 {
		throw("TypeError", "%s() takes no keyword arguments", name)
	}
	if given > len(b.params) && !b.variadic {
		throw("TypeError", "%s() takes at most %d arguments (%d given)", name, len(b.params), given)
	}
	bound := arguments{values: make([]Value, max(given, len(b.params)))}
	copy(bound.values, a.values)
	for _, n := range a.named {
		i := b.place(n.name)
		switch {
		case i < 0 && b.keywords:
			bound.named = append(bound.named, n)
		case i < 0:
			throw("TypeError", "%s() got an unexpected keyword argument '%s'", name, n.name)
		case bound.values[i] != nil:
			throw("TypeError", "%s() got multiple values for argument '%s'", name, n.name)
		default:
			bound.values[i] = n.value
		}
	}
	b.fill(name, bound.values)
	return bound
}

// place returns the position of a parameter, or -1.
func (b *builtin) place(name string) int {
	for i := range b.params {
		if b.params[i].name == name {
			return i
		}
	}
	return -1
}

// fill gives what was not passed its fallback.
func (b *builtin) fill(name string, values []Value) {
	for i, p := range b.params {
		if values[i] != nil {
			continue
		}
		if p.fallback == nil {
			throw("TypeError", "%s() missing 1 required positional argument: '%s'", name, p.name)
		}
		values[i] = p.fallback
	}
}

// bound is the attribute that a method is: callable, or undefined where it is forbidden or not supported.
func (b *builtin) bound(self Value, name string) Value {
	switch {
	case b.refused != "":
		return &undefined{hint: self.class() + "." + name + " is not supported: " + b.refused}
	case b.changes && !changeable(self):
		return &undefined{of: self, name: text(name), unsafe: true}
	}
	return &function{name: name, self: self, method: b}
}

// changeable reports whether the running template made v.
func changeable(v Value) bool {
	switch v := v.(type) {
	case *list:
		return v.mutable
	case *Object:
		return v.mutable
	}
	return false
}

// needText returns the characters of an argument that must be a string.
func needText(v Value, what string) string {
	s, ok := str(v)
	if !ok {
		mustExist(v)
		throw("TypeError", "%s must be str, not %s", what, v.class())
	}
	return s
}

// isNone reports whether v is None.
func isNone(v Value) bool {
	_, ok := v.(none)
	return ok
}

// texts makes a list of strings.
func (r *render) texts(parts []string) *list {
	items := make([]Value, len(parts))
	for i, s := range parts {
		r.charge(1)
		items[i] = text(s)
	}
	return r.made(items)
}

// times repeats s.
func (r *render) times(s string, n int) string {
	if n <= 0 || s == "" {
		return ""
	}
	r.growTimes(n, len(s))
	return strings.Repeat(s, n)
}

var escaper = strings.NewReplacer("&", "&amp;", ">", "&gt;", "<", "&lt;", "'", "&#39;", `"`, "&#34;")

// escape replaces the characters that HTML gives a meaning.
func escape(r *render, s string) string {
	r.growTimes(len(s), 5)
	return escaper.Replace(s)
}
