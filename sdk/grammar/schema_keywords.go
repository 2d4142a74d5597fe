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
	conditioned:            {arrayKind},
	"properties":           {objectKind},
	"required":             {arrayKind, boolKind},
	"additionalProperties": {boolKind, objectKind},
	"items":                {boolKind, objectKind, arrayKind},
	"prefixItems":          {objectKind, arrayKind},
	"additionalItems":      {boolKind, objectKind},
	"patternProperties":    {objectKind},
	"propertyNames":        {boolKind, objectKind},
	"minProperties":        {numberKind},
	"maxProperties":        {numberKind},
	"not":                  {boolKind, objectKind},

	"unevaluatedProperties": {boolKind, objectKind},
	"unevaluatedItems":      {boolKind, objectKind},

	"pattern":          {stringKind},
	"format":           {stringKind},
	"minLength":        {numberKind},
	"maxLength":        {numberKind},
	"minItems":         {numberKind},
	"maxItems":         {numberKind},
	"minimum":          {numberKind},
	"maximum":          {numberKind},
	"exclusiveMinimum": {numberKind, boolKind},
	"exclusiveMaximum": {numberKind, boolKind},
}

// counts are the keywords that say how many.
var counts = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}

// notHeld are the keywords that a grammar cannot hold to, or that this one does not.
var notHeld = []string{
	"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies",
	"contains", "uniqueItems", "multipleOf", "$dynamicRef", "$recursiveRef",
}

// annotations say nothing about values.
var annotations = []string{
	"title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "strict", "nullable",
	"$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$comment", "$vocabulary", "$defs", "definitions",
	"contentEncoding", "contentMediaType", "contentSchema",
}

// unevaluated are the keywords that say of what is named nowhere, neither beside them nor within what stands beside them,
// what it must be.
var unevaluated = []string{"unevaluatedProperties", "unevaluatedItems"}

// inPlace are the keywords whose subschemas say more of the same value.
var inPlace = []string{"$ref", "allOf", "anyOf", "oneOf", conditioned, "if", "dependentSchemas", "$dynamicRef", "$recursiveRef"}

// wellFormed checks that the keywords of s have values that mean something, and returns s without those that say nothing:
// generators write null for what is not there, and an empty list for an object without members.
func (c *converter) wellFormed(s *value, path string) (*value, error) {
	var without []string
	for _, k := range s.keys {
		v, kinds := s.fields[k], keywordKinds[k]
		switch {
		case slices.Contains(counts, k) && v.kind == numberKind && count(v, -1) < 0:
			c.note(at(path, k), "read as if it were not there: expected a whole number from 0 on, found %s", v.compact())
			without = append(without, k)
		case kinds == nil || slices.Contains(kinds, v.kind):
		case v.kind == nullKind, v.kind == arrayKind && len(v.items) == 0 && slices.Contains(kinds, objectKind):
			c.note(at(path, k), "read as if it were not there: expected %s, found %s", kindList(kinds), v.compact())
			without = append(without, k)
		default:
			return nil, bad(at(path, k), "expected %s, found %v", kindList(kinds), v.kind)
		}
		if slices.Contains([]string{"enum", "anyOf", "oneOf", "allOf", conditioned}, k) && v.is(arrayKind) && len(v.items) == 0 {
			return nil, bad(at(path, k), "an empty list fits no value")
		}
	}
	if len(without) > 0 {
		s = s.but(without...)
	}
	return s, checkTypes(s.get("type"), at(path, "type"))
}

func checkTypes(types *value, path string) error {
	if types == nil {
		return nil
	}
	names := append(types.strings(), types.text)
	if types.is(arrayKind) {
		if len(types.items) == 0 || len(types.strings()) != len(types.items) {
			return bad(path, "expected the names of types")
		}
		names = types.strings()
	}
	for _, name := range names {
		if typeNames[name] == 0 {
			return bad(path, "unknown type %q: there are object, array, string, number, integer, boolean and null", name)
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

// unsupported notes the keywords that are not held to. Those of a list of types are noted with the types.
func (c *converter) unsupported(s *value, path string) {
	if s.get("type").is(arrayKind) && !s.hasAny("$ref", "allOf", "anyOf", "oneOf", conditioned) {
		return
	}
	for _, k := range notHeld {
		if v := s.get(k); v != nil && !saysNothing(k, v, s) && !c.heldOf(k, v, s, path) {
			c.note(path, "%q is not held to", k)
		}
	}
	if s.hasAny("if", "dependentSchemas", "$dynamicRef", "$recursiveRef") {
		for _, k := range unevaluated {
			if s.has(k) {
				c.note(path, "%q is not held to", k)
			}
		}
	}
	if s.get("required").is(boolKind) {
		c.note(at(path, "required"), "not held to: it is a list of names beside properties")
	}
}

// onlyOf are the kinds of values of which keywords say something that are not held to in general.
var onlyOf = map[string]kinds{
	"multipleOf": integerType | fractionType, "contains": arrayType, "uniqueItems": arrayType,
	"dependentRequired": objectType, "dependentSchemas": objectType, "dependencies": objectType,
}

// heldOf says whether keyword k of s, which is not held to in general, is held to with values of its type.
func (c *converter) heldOf(k string, v, s *value, path string) bool {
	if only, ok := onlyOf[k]; ok && c.kinds(s)&only == 0 {
		return true
	}
	switch k {
	case "multipleOf":
		return c.multiples(s, path) != nil
	case "uniqueItems":
		return count(s.get("maxItems"), 2) < 2 || impliedType(s) == "array" && c.distinctValues(s, path) != nil
	case "not":
		if v.hasAny("type", "const", "enum") && c.kinds(v)&c.kinds(s) == 0 {
			return true
		}
		_, ok := c.otherText(v)
		return ok && impliedType(s) == "string"
	}
	return false
}

// saysNothing says whether keyword k of s holds for every value.
func saysNothing(k string, v, s *value) bool {
	switch k {
	case "not", "uniqueItems":
		return v.isFalse()
	case "if":
		return !s.hasAny("then", "else")
	case "then", "else":
		return !s.has("if")
	}
	return false
}

// constraints is s without annotations, or nil where nothing is left.
func (c *converter) constraints(s *value) *value {
	out := s.but(annotations...)
	if len(out.keys) == 0 {
		return nil
	}
	return out
}

// evaluated is s with items and members said in one way: the first items by prefixItems, and what others must be, where
// nothing else says more of the same value, by items and additionalProperties.
func evaluated(s *value) *value {
	if s.get("items").is(arrayKind) || s.has("additionalItems") {
		fixed, more := tuple(s)
		s = s.but("items", "additionalItems")
		if len(fixed) > 0 {
			s.set("prefixItems", &value{kind: arrayKind, items: fixed})
		}
		if more != nil {
			s.set("items", more)
		}
	}
	if s.hasAny(unevaluated...) && !s.hasAny(inPlace...) {
		for k, of := range map[string]string{"unevaluatedProperties": "additionalProperties", "unevaluatedItems": "items"} {
			if v := s.get(k); v != nil && !s.has(of) {
				s = s.but()
				s.set(of, v)
			}
		}
		s = s.but(unevaluated...)
	}
	return s
}

// hasName says whether a type, or list of types, names kind.
func hasName(types *value, kind string) bool {
	return types.text == kind || slices.Contains(types.strings(), kind)
}
