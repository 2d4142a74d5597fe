package algebra

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// RewriteNegatedTypes replaces a "not" that excludes all values of some types by the remaining
// types; the result is false if none remain.
func (d *Document) RewriteNegatedTypes(s *jsonschema.Value) *jsonschema.Value {
	out := s.Get("not")
	switch {
	case out == nil:
		return s
	case out.IsTrue(), out.IsEmpty():
		return jsonschema.NewBool(false)
	case d.Kinds(s)&^(BoolType|NullType) == 0 && out.HasAny("const", "enum"):
		return d.AsEnum(s)
	case !out.Is(jsonschema.Object) || len(out.Keys) > 1 || !out.Has("type"):
		return s
	}
	ruledOut := namedKinds(out.Get("type"))
	if ruledOut&(IntegerType|FractionType) == IntegerType {
		return s // no type has only the remaining numbers
	}
	left := jsonschema.NewArray()
	for _, name := range []string{"object", "array", "string", "number", "integer", "boolean", "null"} {
		kind := typeNames[name]
		if d.Kinds(s)&^ruledOut&kind == kind && (name != "integer" || d.Kinds(s)&FractionType == 0) {
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

// AsEnum returns s, which accepts booleans and null only, with an enumeration of them.
func (d *Document) AsEnum(s *jsonschema.Value) *jsonschema.Value {
	all := jsonschema.NewArray()
	for _, v := range []*jsonschema.Value{jsonschema.NewBool(true), jsonschema.NewBool(false), {Kind: jsonschema.Null}} {
		if d.Kinds(s)&kindOf(v) != 0 {
			all.Items = append(all.Items, v)
		}
	}
	s = s.But()
	s.Set("enum", all)
	return s
}
