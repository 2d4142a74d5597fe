package jsonschema

import (
	"bytes"

	"github.com/dragoman-project/dragoman/internal/ordered"
)

// MaxDepth bounds how deep the JSON of a schema may nest.
const MaxDepth = 128

// read reads a whole text, a copy of which the values share.
func read(text []byte) (*Value, error) {
	return ordered.Build(bytes.Clone(text), ordered.Options{Tolerant: true, MaxDepth: MaxDepth}, &builder{})
}

// builder builds values while a text is read. It allocates them in blocks, small texts in one of a matching size.
type builder struct{ free []Value }

func (b *builder) add(v Value) *Value {
	const least, most = 8, 128
	if len(b.free) == cap(b.free) {
		b.free = make([]Value, 0, min(max(least, 2*cap(b.free)), most))
	}
	b.free = append(b.free, v)
	return &b.free[len(b.free)-1]
}

func (b *builder) Scalar(kind ordered.Kind, raw []byte) *Value {
	v := Value{source: raw}
	switch kind {
	case ordered.String:
		v.Kind, v.Text = String, ordered.Unquote(raw)
	case ordered.Number:
		v.Kind, v.Text = Number, string(raw)
	case ordered.Bool:
		v.Kind, v.Bool = Bool, raw[0] == 't'
	default:
		v.Kind = Null
	}
	return b.add(v)
}

func (b *builder) Array(raw []byte, items []*Value) *Value {
	v := Value{Kind: Array, Items: items, source: raw}
	for _, item := range items {
		v.refers = v.refers || item.refers
	}
	return b.add(v)
}

func (b *builder) Object(raw []byte, names []string, values []*Value) *Value {
	v := Value{Kind: Object, Keys: names, fields: values, source: raw}
	for i, name := range names {
		v.refers = v.refers || name == "$ref" || values[i].refers
	}
	v.indexMembers()
	return b.add(v)
}
