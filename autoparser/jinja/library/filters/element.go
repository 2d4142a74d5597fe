package filters

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// getter returns a function that looks up an attribute of an item: a name, a position, or several
// separated by dots. None means the item itself. What is missing on the way is replaced by
// fallback, unless that is None.
func getter(e *library.Env, attribute, fallback value.Value) func(value.Value) value.Value {
	parts := attributeParts(attribute)
	return func(item value.Value) value.Value {
		for _, part := range parts {
			e.Charge(1)
			item = e.Element(item, part)
			if _, ok := item.(*value.Undefined); ok && !value.IsNone(fallback) {
				item = fallback
			}
		}
		return item
	}
}

// ignoringCase makes get return strings in lower case, unless case matters.
func ignoringCase(e *library.Env, get func(value.Value) value.Value, sensitive value.Value) func(value.Value) value.Value {
	if value.Truth(sensitive) {
		return get
	}
	return func(item value.Value) value.Value {
		v := get(item)
		if s, ok := value.Text(v); ok {
			e.Grow(len(s))
			if low := pystr.Lower(s); low != s {
				return value.String(low)
			}
		}
		return v
	}
}

// attributeParts splits "a.0.b".
func attributeParts(attribute value.Value) []value.Value {
	s, ok := value.Text(attribute)
	switch {
	case value.IsNone(attribute):
		return nil
	case !ok:
		return []value.Value{attribute}
	}
	var parts []value.Value
	for _, p := range strings.Split(s, ".") {
		if n, err := strconv.ParseInt(p, 10, 64); err == nil && pystr.Every(p, pystr.IsDigit) {
			parts = append(parts, value.Int(n))
			continue
		}
		parts = append(parts, value.String(p))
	}
	return parts
}

// copied returns the elements of v in a slice of their own.
func copied(e *library.Env, v value.Value) []value.Value {
	if l, ok := v.(*value.List); ok {
		e.Charge(len(l.Items) / 16)
		return slices.Clone(l.Items)
	}
	return e.Collect(v)
}

// named returns the filter or the test whose name is an argument of another filter.
func named(kind, id string, among map[string]*library.Builtin) *library.Builtin {
	b := among[id]
	if b == nil {
		failure.Throw("TemplateRuntimeError", "No %s named %s.", kind, pystr.Quote(id))
	}
	return b
}
