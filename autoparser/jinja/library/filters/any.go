package filters

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// defaultFilter replaces what is undefined and, if asked to, what is false.
func defaultFilter(_ *library.Env, in value.Value, a library.Arguments) value.Value {
	if _, ok := in.(*value.Undefined); ok || value.Truth(a.Values[1]) && !value.Truth(in) {
		return a.Values[0]
	}
	return in
}

// stringFilter makes a string of any value, and leaves one that is marked safe as it is.
func stringFilter(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	if _, ok := value.Text(in); ok {
		return in
	}
	return value.String(e.Str(in))
}

// safeFilter marks a string safe.
func safeFilter(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	if e.Plain {
		return value.String(e.Str(in))
	}
	return value.Markup(e.Str(in))
}

// escapeFilter escapes for HTML and marks the result safe, once.
func escapeFilter(e *library.Env, in value.Value, _ library.Arguments) value.Value {
	if _, ok := in.(value.Markup); ok {
		return in
	}
	return value.Markup(value.Escape(&e.Heap, e.Str(in)))
}

// attrFilter looks an attribute up, never an element.
func attrFilter(e *library.Env, in value.Value, a library.Arguments) value.Value {
	name := value.NeedText(a.Values[0], "attribute name")
	value.MustExist(in)
	if x := e.Property(in, name); x != nil {
		return x
	}
	return &value.Undefined{Of: in, Name: a.Values[0]}
}
