package value

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/fault"
)

// Value is a value of the template language: None, a boolean, a number, a string, a list, an object, or one of the
// things that only a template can make (a range, a macro, the loop variable). The constructors below make the values
// that a caller can pass. A nil Value means None.
//
// A value has no method that a template could call: what a template may do with it is in tables of this package. Values
// given to Render are never changed; a template may only change the lists and objects that it made itself.
type Value interface {
	// class is Python's name of the type, for messages.
	Class() string
}

type (
	None   struct{}
	Bool   bool
	Int    int64
	Float  float64
	String string
	Markup string // a string marked safe: {{ x|escape }}
)

// List is a list or a tuple. Only what the running template made itself is mutable.
type List struct {
	Items   []Value
	Tuple   bool
	Group   bool // a tuple of the filter groupby, with names for its two parts
	mutable bool
}

// Namespace is the object whose attributes {% set ns.x = … %} assigns.
type Namespace struct{ Attributes *Object }

// Range is what range() makes.
type Range struct{ start, stop, step int64 }

// Generator is a lazy sequence that can be gone through once, as the filters map and select return it.
type Generator struct{ Iterator }

// View shows the keys, the values or the pairs of an object as they are when looked at.
type View struct {
	of   *Object
	part string // keys, values or items
}

func (None) Class() string       { return "NoneType" }
func (Bool) Class() string       { return "bool" }
func (Int) Class() string        { return "int" }
func (*BigInt) Class() string    { return "int" }
func (Float) Class() string      { return "float" }
func (String) Class() string     { return "str" }
func (Markup) Class() string     { return "Markup" }
func (*Object) Class() string    { return "dict" }
func (*Namespace) Class() string { return "Namespace" }
func (*Range) Class() string     { return "range" }
func (*Generator) Class() string { return "generator" }
func (*Undefined) Class() string { return "Undefined" }
func (v *View) Class() string    { return "dict_" + v.part }

func (l *List) Class() string {
	if l.Tuple {
		return "tuple"
	}
	return "list"
}

// ListOf returns a list of items.
func ListOf(items ...Value) Value {
	l := &List{Items: make([]Value, len(items))}
	for i, v := range items {
		l.Items[i] = OrNone(v)
	}
	return l
}

func OrNone(v Value) Value {
	if v == nil {
		return None{}
	}
	return v
}

func TupleOf(items ...Value) Value { return &List{Items: items, Tuple: true} }

// pair is a tuple of two, in one piece of memory: loops over objects make many.
func pair(a, b Value) Value {
	p := &struct {
		List
		both [2]Value
	}{both: [2]Value{a, b}}
	p.Items, p.Tuple = p.both[:], true
	return &p.List
}

// Text returns the characters of a string, marked safe or not.
func Text(v Value) (string, bool) {
	switch v := v.(type) {
	case String:
		return string(v), true
	case Markup:
		return string(v), true
	}
	return "", false
}

// Truth is Python's bool(v).
func Truth(v Value) bool {
	switch v := v.(type) {
	case Bool:
		return bool(v)
	case None, *Undefined:
		return false
	case String:
		return v != ""
	case Markup:
		return v != ""
	case Int:
		return v != 0
	case Float:
		return v != 0
	case *List:
		return len(v.Items) > 0
	case *Object:
		return v.Len() > 0
	case *View:
		return v.of.Len() > 0
	case *Range:
		return v.len() > 0
	}
	return true
}

// Undefined stands for what does not exist. It prints as nothing and counts as false; most other uses raise. Its
// message is composed only when it is needed.
type Undefined struct {
	Hint   string // the whole message, where there is one
	Of     Value  // what was looked into; nil for a variable
	Name   Value  // what was looked for
	Unsafe bool   // it exists, and is forbidden
}

func (u *Undefined) message() string {
	switch {
	case u.Hint != "":
		return u.Hint
	case u.Of == nil:
		return Printed(u.Name) + " is undefined"
	}
	name, ok := u.Name.(String)
	switch {
	case u.Unsafe:
		return "access to attribute " + Printed(name) + " of '" + u.Of.Class() + "' object is unsafe."
	case !ok:
		return describe(u.Of) + " has no element " + Printed(u.Name)
	}
	return "'" + describe(u.Of) + "' has no attribute " + Printed(name)
}

func (u *Undefined) Raise() {
	if u.Unsafe {
		fault.Throw("SecurityError", "%s", u.message())
	}
	fault.Throw("UndefinedError", "%s", u.message())
}

// Printed is the repr of a small value for a message.
func Printed(v Value) string {
	const most = 200
	w := &printer{limit: most}
	w.repr(v, 0)
	return w.b.String()
}

// describe names the type of v as Jinja2's messages do.
func describe(v Value) string {
	switch v := v.(type) {
	case None:
		return "None"
	case Special:
		return v.Describe()
	case *Namespace:
		return "jinja2.utils.Namespace object"
	case Markup:
		return "markupsafe.Markup object"
	}
	return v.Class() + " object"
}

// MustExist raises when one of vs is undefined.
func MustExist(vs ...Value) {
	for _, v := range vs {
		if u, ok := v.(*Undefined); ok {
			u.Raise()
		}
	}
}

func IsInteger(v Value) bool {
	switch v.(type) {
	case Int, *BigInt:
		return true
	}
	return false
}

func IsNumber(v Value) bool {
	switch v.(type) {
	case Int, *BigInt, Float, Bool:
		return true
	}
	return false
}

func IsSequence(v Value) bool {
	switch v.(type) {
	case String, Markup, *List, *Object, *Range, *Undefined:
		return true
	}
	return false
}

func IsList(v Value) bool {
	l, ok := v.(*List)
	return ok && !l.Tuple
}

// Special is a value that only a rendering makes, of a type that this package does not know: a function, the loop
// variable. It may have methods to iterate over it and to count its elements.
type Special interface {
	Value
	Repr() string
	// describe names its type as Jinja2's messages do.
	Describe() string
}

// iterable and sized are values of other packages that Python's iter() and len() take.
type (
	Iterable interface{ Iterate() Iterator }
	Sized    interface{ Length() int }
)

// True and False.
const (
	True  = Bool(true)
	False = Bool(false)
)

// IsMutable reports whether the running template made v.
func IsMutable(v Value) bool {
	switch v := v.(type) {
	case *List:
		return v.mutable
	case *Object:
		return v.mutable
	}
	return false
}
