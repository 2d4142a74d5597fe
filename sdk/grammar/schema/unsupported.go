package schema

import (
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// unsupported notes the keywords that are not enforced. Those of a list of types are noted with
// each type.
func (c *conversion) unsupported(s *jsonschema.Value, path string) {
	if s.Get("type").Is(jsonschema.Array) && !s.HasAny("$ref", "allOf", "anyOf", "oneOf", algebra.Conditioned) {
		return
	}
	for _, k := range algebra.Unsupported {
		if v := s.Get(k); v != nil && !acceptsAll(k, v, s) && !c.isEnforced(k, v, s, path) {
			c.Note(path, "%q is not enforced", k)
		}
	}
	if s.HasAny("if", "dependentSchemas", "$dynamicRef", "$recursiveRef") {
		for _, k := range algebra.Unevaluated {
			if s.Has(k) {
				c.Note(path, "%q is not enforced", k)
			}
		}
	}
	if s.Get("required").Is(jsonschema.Bool) {
		c.Note(jsonschema.Pointer(path, "required"), "not enforced: it is a list of names beside properties")
	}
}

// isEnforced reports whether keyword k of s, which is not enforced in general, is enforced for values
// of this type.
func (c *conversion) isEnforced(k string, v, s *jsonschema.Value, path string) bool {
	if about := jsonschema.KeywordOf(k).About; about != 0 && c.Kinds(s)&algebra.TypesOf(about) == 0 {
		return true
	}
	switch k {
	case "multipleOf":
		return c.multiples(s, path) != nil
	case "uniqueItems":
		return algebra.Count(s.Get("maxItems"), 2) < 2 || algebra.ImpliedType(s) == "array" && c.distinctValues(s, path) != nil
	case "not":
		if v.HasAny("type", "const", "enum") && c.Kinds(v)&c.Kinds(s) == 0 {
			return true
		}
		_, ok := c.otherText(v)
		return ok && algebra.ImpliedType(s) == "string"
	}
	return false
}

// acceptsAll reports whether keyword k of s accepts every value.
func acceptsAll(k string, v, s *jsonschema.Value) bool {
	switch k {
	case "not", "uniqueItems":
		return v.IsFalse()
	case "if":
		return !s.HasAny("then", "else")
	case "then", "else":
		return !s.Has("if")
	}
	return false
}
