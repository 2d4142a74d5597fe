package jinja

// Value is a value of the template language: None, a boolean, a number, a string, a list, an object, or one of the
// things that only a template can make (a range, a macro, the loop variable). The constructors below make the values
// that a caller can pass. A nil Value means None.
//
// A value has no method that a template could call: what a template may do with it is in tables of this package. Values
// given to Render are never changed; a template may only change the lists and objects that it made itself.
type Value interface {
	// class is Python's name of the type, for messages.
	class() string
}

type (
	none    struct{}
	boolean bool
	integer int64
	float   float64
	text    string
	markup  string // a string marked safe: {{ x|escape }}
)

// list is a list or a tuple. Only what the running template made itself is mutable.
type list struct {
	items   []Value
	tuple   bool
	group   bool // a tuple of the filter groupby, with names for its two parts
	mutable bool
}

// function is anything that can be called: it has call, or it is a method bound to self. printed is how it prints.
type function struct {
	name    string
	printed string
	call    func(r *render, a arguments) Value
	self    Value
	method  *builtin
	macro   *macroParts // of a macro
}

func (f *function) repr() string {
	if f.method != nil {
		return "<built-in method " + f.name + " of " + f.self.class() + " object>"
	}
	return f.printed
}

// namespace is the object whose attributes {% set ns.x = … %} assigns.
type namespace struct{ attributes *Object }

// span is what range() makes.
type span struct{ start, stop, step int64 }

// generator is a lazy sequence that can be gone through once, as the filters map and select return it.
type generator struct{ iterator }

// view shows the keys, the values or the pairs of an object as they are when looked at.
type view struct {
	of   *Object
	part string // keys, values or items
}

func (none) class() string        { return "NoneType" }
func (boolean) class() string     { return "bool" }
func (integer) class() string     { return "int" }
func (*bigInteger) class() string { return "int" }
func (float) class() string       { return "float" }
func (text) class() string        { return "str" }
func (markup) class() string      { return "Markup" }
func (*Object) class() string     { return "dict" }
func (*namespace) class() string  { return "Namespace" }
func (*span) class() string       { return "range" }
func (*generator) class() string  { return "generator" }
func (*function) class() string   { return "function" }
func (*undefined) class() string  { return "Undefined" }
func (*loop) class() string       { return "LoopContext" }
func (v *view) class() string     { return "dict_" + v.part }

func (l *list) class() string {
	if l.tuple {
		return "tuple"
	}
	return "list"
}

// Null returns None.
func Null() Value { return none{} }

// Bool returns b as a value.
func Bool(b bool) Value { return boolean(b) }

// Int returns n as a value.
func Int(n int64) Value { return integer(n) }

// Float returns f as a value. It prints as Python prints floats: 1.0, 1e+16.
func Float(f float64) Value { return float(f) }

// String returns s as a value. It should be valid UTF-8.
func String(s string) Value { return text(s) }

// List returns a list of items.
func List(items ...Value) Value {
	l := &list{items: make([]Value, len(items))}
	for i, v := range items {
		l.items[i] = orNone(v)
	}
	return l
}

func orNone(v Value) Value {
	if v == nil {
		return none{}
	}
	return v
}

func tuple(items ...Value) Value { return &list{items: items, tuple: true} }

// pair is a tuple of two, in one piece of memory: loops over objects make many.
func pair(a, b Value) Value {
	p := &struct {
		list
		both [2]Value
	}{both: [2]Value{a, b}}
	p.items, p.tuple = p.both[:], true
	return &p.list
}

// str returns the characters of a string, marked safe or not.
func str(v Value) (string, bool) {
	switch v := v.(type) {
	case text:
		return string(v), true
	case markup:
		return string(v), true
	}
	return "", false
}

// truth is Python's bool(v).
func truth(v Value) bool {
	switch v := v.(type) {
	case boolean:
		return bool(v)
	case none, *undefined:
		return false
	case text:
		return v != ""
	case markup:
		return v != ""
	case integer:
		return v != 0
	case float:
		return v != 0
	case *list:
		return len(v.items) > 0
	case *Object:
		return v.Len() > 0
	case *view:
		return v.of.Len() > 0
	case *span:
		return v.len() > 0
	}
	return true
}

// undefined stands for what does not exist. It prints as nothing and counts as false; most other uses raise. Its
// message is composed only when it is needed.
type undefined struct {
	hint   string // the whole message, where there is one
	of     Value  // what was looked into; nil for a variable
	name   Value  // what was looked for
	unsafe bool   // it exists, and is forbidden
}

func (u *undefined) message() string {
	switch {
	case u.hint != "":
		return u.hint
	case u.of == nil:
		return printed(u.name) + " is undefined"
	}
	name, ok := u.name.(text)
	switch {
	case u.unsafe:
		return "access to attribute " + printed(name) + " of '" + u.of.class() + "' object is unsafe."
	case !ok:
		return describe(u.of) + " has no element " + printed(u.name)
	}
	return "'" + describe(u.of) + "' has no attribute " + printed(name)
}

func (u *undefined) raise() {
	if u.unsafe {
		throw("SecurityError", "%s", u.message())
	}
	throw("UndefinedError", "%s", u.message())
}

// printed is the repr of a small value for a message.
func printed(v Value) string {
	const most = 200
	w := &printer{limit: most}
	w.repr(v, 0)
	return w.b.String()
}

// describe names the type of v as Jinja2's messages do.
func describe(v Value) string {
	switch v.(type) {
	case none:
		return "None"
	case *namespace:
		return "jinja2.utils.Namespace object"
	case *loop:
		return "jinja2.runtime.LoopContext object"
	case markup:
		return "markupsafe.Markup object"
	}
	return v.class() + " object"
}

// mustExist raises when one of vs is undefined.
func mustExist(vs ...Value) {
	for _, v := range vs {
		if u, ok := v.(*undefined); ok {
			u.raise()
		}
	}
}
