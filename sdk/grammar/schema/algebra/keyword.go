package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// keywordOf returns what is known of a keyword.
func keywordOf(name string) jsonschema.Keyword {
	if name == Conditioned {
		name = "anyOf"
	}
	return jsonschema.KeywordOf(name)
}

// NotHeld are the keywords that a grammar cannot hold to, or that this one does not.
var NotHeld = []string{
	"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies",
	"contains", "uniqueItems", "multipleOf", "$dynamicRef", "$recursiveRef",
}

// Unevaluated are the keywords that say of what is named nowhere, neither beside them nor within what stands beside them,
// what it must be.
var Unevaluated = []string{"unevaluatedProperties", "unevaluatedItems"}

// inPlace are the keywords whose subschemas say more of the same value.
var inPlace = []string{"$ref", "allOf", "anyOf", "oneOf", Conditioned, "if", "dependentSchemas", "$dynamicRef", "$recursiveRef"}

// WellFormed checks that the keywords of s have values that mean something, and returns s without those that say nothing:
// generators write null for what is not there, and an empty list for an object without members.
func (c *Document) WellFormed(s *jsonschema.Value, path string) (*jsonschema.Value, error) {
	var without []string
	for _, k := range s.Keys {
		v, keyword := s.Get(k), keywordOf(k)
		switch {
		case keyword.Counts && v.Is(jsonschema.Number) && Count(v, -1) < 0:
			c.Note(jsonschema.Pointer(path, k), "ignored: expected a whole number from 0 on, found %s", v.Compact())
			without = append(without, k)
		case keyword.Kinds == 0, v.Is(keyword.Kinds):
		case v.Is(jsonschema.Null), v.Is(jsonschema.Array) && len(v.Items) == 0 && keyword.Kinds&jsonschema.Object != 0:
			c.Note(jsonschema.Pointer(path, k), "ignored: expected %s, found %s", keyword.Kinds.Noun(), v.Compact())
			without = append(without, k)
		default:
			return nil, Errorf(jsonschema.Pointer(path, k), "expected %s, found %s", keyword.Kinds.Noun(), v.Kind.Noun())
		}
		if slices.Contains([]string{"enum", "anyOf", "oneOf", "allOf", Conditioned}, k) && v.Is(jsonschema.Array) && len(v.Items) == 0 {
			return nil, Errorf(jsonschema.Pointer(path, k), "an empty list matches no value")
		}
	}
	if len(without) > 0 {
		s = s.But(without...)
	}
	return s, checkTypes(s.Get("type"), jsonschema.Pointer(path, "type"))
}

func checkTypes(types *jsonschema.Value, path string) error {
	if types == nil {
		return nil
	}
	names := append(types.Strings(), types.Text)
	if types.Is(jsonschema.Array) {
		if len(types.Items) == 0 || len(types.Strings()) != len(types.Items) {
			return Errorf(path, "expected the names of types")
		}
		names = types.Strings()
	}
	for _, name := range names {
		if typeNames[name] == 0 {
			return Errorf(path, "unknown type %q: there are object, array, string, number, integer, boolean and null", name)
		}
	}
	return nil
}

// Constraints is s without annotations, or nil where nothing is left.
func (c *Document) Constraints(s *jsonschema.Value) *jsonschema.Value {
	out := withoutAnnotations(s)
	if len(out.Keys) == 0 {
		return nil
	}
	return out
}

func withoutAnnotations(s *jsonschema.Value) *jsonschema.Value {
	var names []string
	for _, k := range s.Keys {
		if keywordOf(k).Annotation() {
			names = append(names, k)
		}
	}
	return s.But(names...)
}

// Evaluated is s with items and members said in one way: the first items by prefixItems, and what others must be, where
// nothing else says more of the same value, by items and additionalProperties.
func Evaluated(s *jsonschema.Value) *jsonschema.Value {
	if s.Get("items").Is(jsonschema.Array) || s.Has("additionalItems") {
		fixed, more := Tuple(s)
		s = s.But("items", "additionalItems")
		if len(fixed) > 0 {
			s.Set("prefixItems", jsonschema.NewArray(fixed...))
		}
		if more != nil {
			s.Set("items", more)
		}
	}
	if s.HasAny(Unevaluated...) && !s.HasAny(inPlace...) {
		for k, of := range map[string]string{"unevaluatedProperties": "additionalProperties", "unevaluatedItems": "items"} {
			if v := s.Get(k); v != nil && !s.Has(of) {
				s = s.But()
				s.Set(of, v)
			}
		}
		s = s.But(Unevaluated...)
	}
	return s
}

// Count is a number of things; def where there is none.
func Count(v *jsonschema.Value, def int) int {
	r := v.Rational()
	if r == nil || !r.IsInt() || r.Sign() < 0 {
		return def
	}
	if !r.Num().IsInt64() || r.Num().Int64() > 1<<30 {
		return 1 << 30
	}
	return int(r.Num().Int64())
}
