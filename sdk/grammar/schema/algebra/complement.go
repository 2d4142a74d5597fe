package algebra

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Complemented is s with the types that are left where "not" rules out all values of some types; false where none is left.
func (c *Document) Complemented(s *jsonschema.Value) *jsonschema.Value {
	out := s.Get("not")
	switch {
	case out == nil:
		return s
	case out.IsTrue(), out.IsEmpty():
		return jsonschema.NewBool(false)
	case c.Kinds(s)&^(BoolType|NullType) == 0 && out.HasAny("const", "enum"):
		return c.Enumerated(s)
	case !out.Is(jsonschema.Object) || len(out.Keys) > 1 || !out.Has("type"):
		return s
	}
	ruledOut := namedKinds(out.Get("type"))
	if ruledOut&(IntegerType|FractionType) == IntegerType {
		return s // no type has the other numbers
	}
	left := jsonschema.NewArray()
	for _, name := range []string{"object", "array", "string", "number", "integer", "boolean", "null"} {
		kind := typeNames[name]
		if c.Kinds(s)&^ruledOut&kind == kind && (name != "integer" || c.Kinds(s)&FractionType == 0) {
			left.Items = append(left.Items, jsonschema.NewString(name))
		}
	}
	if len(left.Items) == 0 {
		return jsonschema.NewBool(false)
	}
	s = s.But("not")
	s.Set("type", left)
	return s
}

// Enumerated is s, which only allows booleans and null, with an enumeration of these.
func (c *Document) Enumerated(s *jsonschema.Value) *jsonschema.Value {
	all := jsonschema.NewArray()
	for _, v := range []*jsonschema.Value{jsonschema.NewBool(true), jsonschema.NewBool(false), {Kind: jsonschema.Null}} {
		if c.Kinds(s)&kindOf(v) != 0 {
			all.Items = append(all.Items, v)
		}
	}
	s = s.But()
	s.Set("enum", all)
	return s
}
