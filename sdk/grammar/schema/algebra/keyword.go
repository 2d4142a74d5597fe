package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// keywordOf returns what is known about a keyword.
func keywordOf(name string) jsonschema.Keyword {
	if name == Conditioned {
		name = "anyOf"
	}
	return jsonschema.KeywordOf(name)
}

// Unsupported are the keywords that a grammar cannot enforce in general.
var Unsupported = []string{
	"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies",
	"contains", "uniqueItems", "multipleOf", "$dynamicRef", "$recursiveRef",
}

// Unevaluated are the keywords for members and items that no other keyword applies to, neither
// beside them nor within those beside them.
var Unevaluated = []string{"unevaluatedProperties", "unevaluatedItems"}

// inPlace are the keywords whose subschemas apply to the same value.
var inPlace = []string{"$ref", "allOf", "anyOf", "oneOf", Conditioned, "if", "dependentSchemas", "$dynamicRef", "$recursiveRef"}

// WellFormed checks the values of keywords, and returns s without those that are empty: generators
// write null for missing values, and an empty list for an object without members.
func (d *Document) WellFormed(s *jsonschema.Value, path string) (*jsonschema.Value, error) {
	var without []string
	for _, k := range s.Keys {
		v, keyword := s.Get(k), keywordOf(k)
		switch {
		case keyword.Counts && v.Is(jsonschema.Number) && Count(v, -1) < 0:
			d.Note(jsonschema.Pointer(path, k), "ignored: expected a whole number from 0 on, found %s", v.Compact())
			without = append(without, k)
		case keyword.Kinds == 0, v.Is(keyword.Kinds):
		case v.Is(jsonschema.Null), v.Is(jsonschema.Array) && len(v.Items) == 0 && keyword.Kinds&jsonschema.Object != 0:
			d.Note(jsonschema.Pointer(path, k), "ignored: expected %s, found %s", keyword.Kinds.Noun(), v.Compact())
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

// WithoutAnnotations returns s without annotations, or nil if nothing is left.
func (d *Document) WithoutAnnotations(s *jsonschema.Value) *jsonschema.Value {
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

// Normalized returns s with items and members in one form: the first items in prefixItems and, if
// no other keyword applies to the same value, additional ones in items and additionalProperties.
func Normalized(s *jsonschema.Value) *jsonschema.Value {
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

// Count returns a length or count, or def if there is none.
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
