package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/grammar/schema/pattern"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// ImpliedType returns the type of s, or else the type that its keywords imply, or "".
func ImpliedType(s *jsonschema.Value) string {
	if t := s.Get("type"); t != nil {
		return t.Text
	}
	for _, t := range impliedTypes {
		if slices.ContainsFunc(s.Keys, func(k string) bool { return implies(k, s, t.kind) }) {
			return t.name
		}
	}
	return ""
}

// impliedTypes are the types that keywords may imply, in order of precedence.
var impliedTypes = []struct {
	name string
	kind jsonschema.Kinds
}{{"object", jsonschema.Object}, {"array", jsonschema.Array}, {"string", jsonschema.String}, {"number", jsonschema.Number}}

// implies reports whether keyword k of s applies to one kind of values only.
func implies(k string, s *jsonschema.Value, kind jsonschema.Kinds) bool {
	known := keywordOf(k)
	return known.Implies && known.About == kind && (k != "format" || knownFormat(s.Get(k)))
}

func knownFormat(format *jsonschema.Value) bool {
	return format.Is(jsonschema.String) && pattern.IsKnownFormat(format.Text)
}

// PerType returns s once for each of its types.
func PerType(s *jsonschema.Value) []*jsonschema.Value {
	var out []*jsonschema.Value
	for _, t := range s.Get("type").Items {
		one := s.But("type", "nullable")
		one.Set("type", t)
		out = append(out, one)
	}
	return out
}

// HasName reports whether a type, or list of types, includes kind.
func HasName(types *jsonschema.Value, kind string) bool {
	return types.Text == kind || slices.Contains(types.Strings(), kind)
}

// Kinds is a set of the types of JSON Schema.
type Kinds uint8

// The types.
const (
	NullType Kinds = 1 << iota
	BoolType
	IntegerType
	FractionType // numbers that are not integers
	StringType
	ArrayType
	ObjectType
	anyType = NullType | BoolType | IntegerType | FractionType | StringType | ArrayType | ObjectType
)

// typeNames maps the names of types.
var typeNames = map[string]Kinds{
	"null": NullType, "boolean": BoolType, "integer": IntegerType, "number": IntegerType | FractionType,
	"string": StringType, "array": ArrayType, "object": ObjectType,
}

// namedKinds returns the types included in a type or list of types.
func namedKinds(types *jsonschema.Value) Kinds {
	out := typeNames[types.Text]
	for _, name := range types.Strings() {
		out |= typeNames[name]
	}
	return out
}

// kindOf returns the type of a value.
func kindOf(v *jsonschema.Value) Kinds {
	if r := v.Rational(); v.Kind == jsonschema.Number && r != nil && !r.IsInt() {
		return FractionType
	}
	if v.Is(jsonschema.Number) {
		return IntegerType
	}
	return TypesOf(v.Kind)
}

// TypesOf returns the types of values of some kinds.
func TypesOf(kinds jsonschema.Kinds) (types Kinds) {
	for _, k := range kindTypes {
		if kinds&k.kind != 0 {
			types |= k.types
		}
	}
	return types
}

var kindTypes = []struct {
	kind  jsonschema.Kinds
	types Kinds
}{
	{jsonschema.Null, NullType}, {jsonschema.Bool, BoolType}, {jsonschema.Number, IntegerType | FractionType},
	{jsonschema.String, StringType}, {jsonschema.Array, ArrayType}, {jsonschema.Object, ObjectType},
}

// hasType reports whether v has one of types.
func hasType(v, types *jsonschema.Value) bool { return kindOf(v)&namedKinds(types) != 0 }

// Kinds returns the types that values following s may have, or a superset of these.
func (d *Document) Kinds(s *jsonschema.Value) Kinds {
	switch {
	case s.IsFalse():
		return 0
	case !s.Is(jsonschema.Object):
		return anyType
	}
	if known, ok := d.kindsOf[s]; ok {
		return known
	}
	d.kindsOf[s] = anyType // for recursive schemas
	out := d.ownKinds(s)
	if s.Get("nullable").IsTrue() {
		out |= NullType
	}
	d.kindsOf[s] = out
	return out
}

func (d *Document) ownKinds(s *jsonschema.Value) Kinds {
	out := anyType
	if s.HasAny("const", "enum") {
		out = 0
		for _, v := range ConstantsIn(s) {
			out |= kindOf(v)
		}
	}
	if s.Has("type") {
		if both := out & namedKinds(s.Get("type")); both != 0 || !s.HasAny("const", "enum") {
			out = both
		}
	} else if implied := typeNames[ImpliedType(s)]; implied != 0 && out == anyType {
		out = implied
	}
	if s.Get("$ref").Is(jsonschema.String) {
		if target, err := d.Resolve(s.Get("$ref").Text, "#"); err == nil {
			out &= d.Kinds(target)
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if s.Has(key) {
			var any Kinds
			for _, one := range s.Get(key).Items {
				any |= d.Kinds(one)
			}
			out &= any
		}
	}
	for _, one := range s.Get("allOf").List() {
		out &= d.Kinds(one)
	}
	return out
}
