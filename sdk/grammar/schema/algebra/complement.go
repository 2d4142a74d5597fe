package algebra

import (
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/value"
)

// Complemented is s with the types that are left where "not" rules out all values of some types; false where none is left.
func (c *Document) Complemented(s *value.Value) *value.Value {
	out := s.Get("not")
	switch {
	case out == nil:
		return s
	case out.IsTrue(), out.IsEmpty():
		return &value.Value{Kind: value.Bool}
	case c.Kinds(s)&^(BoolType|NullType) == 0 && out.HasAny("const", "enum"):
		return c.Enumerated(s)
	case !out.Is(value.Object) || len(out.Keys) > 1 || !out.Has("type"):
		return s
	}
	ruledOut := namedKinds(out.Get("type"))
	if ruledOut&(IntegerType|FractionType) == IntegerType {
		return s // no type has the other numbers
	}
	left := &value.Value{Kind: value.Array}
	for _, name := range []string{"object", "array", "string", "number", "integer", "boolean", "null"} {
		kind := typeNames[name]
		if c.Kinds(s)&^ruledOut&kind == kind && (name != "integer" || c.Kinds(s)&FractionType == 0) {
			left.Items = append(left.Items, value.NewString(name))
		}
	}
	if len(left.Items) == 0 {
		return &value.Value{Kind: value.Bool}
	}
	s = s.But("not")
	s.Set("type", left)
	return s
}

// Enumerated is s, which only allows booleans and null, with an enumeration of these.
func (c *Document) Enumerated(s *value.Value) *value.Value {
	all := &value.Value{Kind: value.Array}
	for _, v := range []*value.Value{{Kind: value.Bool, Bool: true}, {Kind: value.Bool}, {}} {
		if c.Kinds(s)&kindOf(v) != 0 {
			all.Items = append(all.Items, v)
		}
	}
	s = s.But()
	s.Set("enum", all)
	return s
}
