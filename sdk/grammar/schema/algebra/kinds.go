package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/grammar/schema/pattern"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/value"
)

// ImpliedType is the type of s; without one, the type that its keywords are for, or "".
func ImpliedType(s *value.Value) string {
	if t := s.Get("type"); t != nil {
		return t.Text
	}
	switch {
	case s.HasAny("properties", "additionalProperties", "required", "patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties"):
		return "object"
	case s.HasAny("items", "prefixItems", "minItems", "maxItems", "unevaluatedItems"):
		return "array"
	case s.HasAny("pattern", "minLength", "maxLength"), knownFormat(s.Get("format")):
		return "string"
	case s.HasAny("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
		return "number"
	}
	return ""
}

func knownFormat(format *value.Value) bool {
	return format.Is(value.String) && pattern.IsKnownFormat(format.Text)
}

// PerType is s for each of its types.
func PerType(s *value.Value) []*value.Value {
	var out []*value.Value
	for _, t := range s.Get("type").Items {
		one := s.But("type", "nullable")
		one.Set("type", t)
		out = append(out, one)
	}
	return out
}

// HasName says whether a type, or list of types, names kind.
func HasName(types *value.Value, kind string) bool {
	return types.Text == kind || slices.Contains(types.Strings(), kind)
}

// Kinds is a set of the types of JSON Schema.
type Kinds uint8

const (
	NullType Kinds = 1 << iota
	BoolType
	IntegerType
	FractionType // numbers that are no integers
	StringType
	ArrayType
	ObjectType
	anyType = NullType | BoolType | IntegerType | FractionType | StringType | ArrayType | ObjectType
)

// typeNames are the types by their names.
var typeNames = map[string]Kinds{
	"null": NullType, "boolean": BoolType, "integer": IntegerType, "number": IntegerType | FractionType,
	"string": StringType, "array": ArrayType, "object": ObjectType,
}

// namedKinds are the types that a type, or list of types, names.
func namedKinds(types *value.Value) Kinds {
	out := typeNames[types.Text]
	for _, name := range types.Strings() {
		out |= typeNames[name]
	}
	return out
}

// kindOf is the type of a value.
func kindOf(v *value.Value) Kinds {
	if r := v.Rational(); v.Kind == value.Number && r != nil && !r.IsInt() {
		return FractionType
	}
	return [...]Kinds{NullType, BoolType, IntegerType, StringType, ArrayType, ObjectType}[v.Kind]
}

// hasType says whether v is of one of types.
func hasType(v, types *value.Value) bool { return kindOf(v)&namedKinds(types) != 0 }

// Kinds are the types of the values that may follow s, or more than those.
func (c *Document) Kinds(s *value.Value) Kinds {
	switch {
	case s.IsFalse():
		return 0
	case !s.Is(value.Object):
		return anyType
	}
	if known, ok := c.kindsOf[s]; ok {
		return known
	}
	c.kindsOf[s] = anyType // what it is within itself
	out := c.ownKinds(s)
	if s.Get("nullable").IsTrue() {
		out |= NullType
	}
	c.kindsOf[s] = out
	return out
}

func (c *Document) ownKinds(s *value.Value) Kinds {
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
	if s.Get("$ref").Is(value.String) {
		if target, err := c.Resolve(s.Get("$ref").Text, "#"); err == nil {
			out &= c.Kinds(target)
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if s.Has(key) {
			var any Kinds
			for _, one := range s.Get(key).Items {
				any |= c.Kinds(one)
			}
			out &= any
		}
	}
	for _, one := range s.Get("allOf").List() {
		out &= c.Kinds(one)
	}
	return out
}
