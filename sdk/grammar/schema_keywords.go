package grammar

import (
	"slices"
	"strings"
)

// keywordKinds are the kinds of values that a keyword of JSON Schema may have; others have any.
var keywordKinds = map[string][]valueKind{
	"$ref":                 {stringKind},
	"type":                 {stringKind, arrayKind},
	"enum":                 {arrayKind},
	"anyOf":                {arrayKind},
	"oneOf":                {arrayKind},
	"allOf":                {arrayKind},
	"properties":           {objectKind},
	"required":             {arrayKind, boolKind},
	"additionalProperties": {boolKind, objectKind},
	"items":                {boolKind, objectKind, arrayKind},
	"prefixItems":          {objectKind, arrayKind},
	"pattern":              {stringKind},
	"format":               {stringKind},
	"minLength":            {numberKind},
	"maxLength":            {numberKind},
	"minItems":             {numberKind},
	"maxItems":             {numberKind},
	"minimum":              {numberKind},
	"maximum":              {numberKind},
	"exclusiveMinimum":     {numberKind, boolKind},
	"exclusiveMaximum":     {numberKind, boolKind},
}

// notHeld are the keywords that a grammar cannot hold to, or that this one does not.
var notHeld = []string{
	"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies", "patternProperties", "propertyNames",
	"minProperties", "maxProperties", "unevaluatedProperties", "unevaluatedItems", "contains", "minContains", "maxContains",
	"uniqueItems", "multipleOf", "$dynamicRef", "$recursiveRef", "contentEncoding", "contentMediaType", "contentSchema",
}

// annotations say nothing about values.
var annotations = []string{
	"title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "strict", "nullable",
	"$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$comment", "$vocabulary", "$defs", "definitions",
}

// wellFormed checks that the keywords of s have values that mean something.
func (c *converter) wellFormed(s *value, path string) error {
	for _, k := range s.keys {
		v, kinds := s.fields[k], keywordKinds[k]
		if kinds != nil && !slices.Contains(kinds, v.kind) {
			return bad(at(path, k), "expected %s, found %v", kindList(kinds), v.kind)
		}
		if slices.Contains([]string{"enum", "anyOf", "oneOf", "allOf"}, k) && len(v.items) == 0 {
			return bad(at(path, k), "an empty list fits no value")
		}
	}
	if t := s.get("type"); t.is(arrayKind) {
		if len(t.items) == 0 || len(t.strings()) != len(t.items) {
			return bad(at(path, "type"), "expected the names of types")
		}
	}
	return nil
}

func kindList(kinds []valueKind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.String())
	}
	return strings.Join(names, " or ")
}

// unsupported notes the keywords that are not held to.
func (c *converter) unsupported(s *value, path string) {
	for _, k := range notHeld {
		if v := s.get(k); v != nil && !v.isFalse() {
			c.note(path, "%q is not held to", k)
		}
	}
}

// constraints is s without annotations, or nil where nothing is left.
func (c *converter) constraints(s *value) *value {
	out := s.but(annotations...)
	if len(out.keys) == 0 {
		return nil
	}
	return out
}

// implies says whether beside adds nothing to s that matters: a type, where s names its own or is a reference.
func (c *converter) implies(s, beside *value) bool {
	if len(beside.keys) > 1 || !beside.has("type") {
		return false
	}
	return s.has("$ref") || s.hasAny("anyOf", "oneOf", "allOf", "enum", "const") ||
		s.get("type").is(stringKind) && hasName(beside.get("type"), s.get("type").text)
}

// hasName says whether a type, or list of types, names kind.
func hasName(types *value, kind string) bool {
	return types.text == kind || slices.Contains(types.strings(), kind)
}
