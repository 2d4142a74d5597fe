package filters

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// defaultFilter replaces undefined values and, on demand, false ones.
func defaultFilter(_ *library.Env, in value.Value, a library.Arguments) value.Value {
	if _, ok := in.(*value.Undefined); ok || value.Truth(a.Values[1]) && !value.Truth(in) {
		return a.Values[0]
	}
	return in
}

// stringFilter converts any value to a string, and keeps the mark of safe ones.
func stringFilter(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	if _, ok := value.Text(in); ok {
		return in
	}
	return value.String(e.Str(in))
}

// safeFilter marks a string as safe.
func safeFilter(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	if e.Plain {
		return value.String(e.Str(in))
	}
	return value.Markup(e.Str(in))
}

// escapeFilter escapes for HTML, unless the string is marked safe, and marks the result.
func escapeFilter(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	if _, ok := in.(value.Markup); ok {
		return in
	}
	return value.Markup(value.Escape(&e.Heap, e.Str(in)))
}

// attrFilter looks up an attribute, never an element.
func attrFilter(e *library.Env, in value.Value, a library.Arguments) value.Value {
	name := value.NeedText(a.Values[0], "attribute name")
	value.MustExist(in)
	if x := e.Property(in, name); x != nil {
		return x
	}
	return &value.Undefined{Of: in, Name: a.Values[0]}
}
