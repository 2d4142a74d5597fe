package algebra

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/grammar/schema/value"
)

// keywordKinds are the kinds of values that a keyword of JSON Schema may have; others have any.
var keywordKinds = map[string][]value.Kind{
	"$ref":                 {value.String},
	"type":                 {value.String, value.Array},
	"enum":                 {value.Array},
	"anyOf":                {value.Array},
	"oneOf":                {value.Array},
	"allOf":                {value.Array},
	Conditioned:            {value.Array},
	"properties":           {value.Object},
	"required":             {value.Array, value.Bool},
	"additionalProperties": {value.Bool, value.Object},
	"items":                {value.Bool, value.Object, value.Array},
	"prefixItems":          {value.Object, value.Array},
	"additionalItems":      {value.Bool, value.Object},
	"patternProperties":    {value.Object},
	"propertyNames":        {value.Bool, value.Object},
	"minProperties":        {value.Number},
	"maxProperties":        {value.Number},
	"not":                  {value.Bool, value.Object},

	"unevaluatedProperties": {value.Bool, value.Object},
	"unevaluatedItems":      {value.Bool, value.Object},

	"pattern":          {value.String},
	"format":           {value.String},
	"minLength":        {value.Number},
	"maxLength":        {value.Number},
	"minItems":         {value.Number},
	"maxItems":         {value.Number},
	"minimum":          {value.Number},
	"maximum":          {value.Number},
	"exclusiveMinimum": {value.Number, value.Bool},
	"exclusiveMaximum": {value.Number, value.Bool},
}

// counts are the keywords that say how many.
var counts = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}

// NotHeld are the keywords that a grammar cannot hold to, or that this one does not.
var NotHeld = []string{
	"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies",
	"contains", "uniqueItems", "multipleOf", "$dynamicRef", "$recursiveRef",
}

// annotations say nothing about values.
var annotations = []string{
	"title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "strict", "nullable",
	"$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$comment", "$vocabulary", "$defs", "definitions",
	"contentEncoding", "contentMediaType", "contentSchema",
}

// Unevaluated are the keywords that say of what is named nowhere, neither beside them nor within what stands beside them,
// what it must be.
var Unevaluated = []string{"unevaluatedProperties", "unevaluatedItems"}

// inPlace are the keywords whose subschemas say more of the same value.
var inPlace = []string{"$ref", "allOf", "anyOf", "oneOf", Conditioned, "if", "dependentSchemas", "$dynamicRef", "$recursiveRef"}

// WellFormed checks that the keywords of s have values that mean something, and returns s without those that say nothing:
// generators write null for what is not there, and an empty list for an object without members.
func (c *Document) WellFormed(s *value.Value, path string) (*value.Value, error) {
	var without []string
	for _, k := range s.Keys {
		v, kinds := s.Fields[k], keywordKinds[k]
		switch {
		case slices.Contains(counts, k) && v.Kind == value.Number && Count(v, -1) < 0:
			c.Note(value.At(path, k), "read as if it were not there: expected a whole number from 0 on, found %s", v.Compact())
			without = append(without, k)
		case kinds == nil || slices.Contains(kinds, v.Kind):
		case v.Kind == value.Null, v.Kind == value.Array && len(v.Items) == 0 && slices.Contains(kinds, value.Object):
			c.Note(value.At(path, k), "read as if it were not there: expected %s, found %s", kindList(kinds), v.Compact())
			without = append(without, k)
		default:
			return nil, Errorf(value.At(path, k), "expected %s, found %v", kindList(kinds), v.Kind)
		}
		if slices.Contains([]string{"enum", "anyOf", "oneOf", "allOf", Conditioned}, k) && v.Is(value.Array) && len(v.Items) == 0 {
			return nil, Errorf(value.At(path, k), "an empty list fits no value")
		}
	}
	if len(without) > 0 {
		s = s.But(without...)
	}
	return s, checkTypes(s.Get("type"), value.At(path, "type"))
}

func checkTypes(types *value.Value, path string) error {
	if types == nil {
		return nil
	}
	names := append(types.Strings(), types.Text)
	if types.Is(value.Array) {
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

func kindList(kinds []value.Kind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.String())
	}
	return strings.Join(names, " or ")
}

// Constraints is s without annotations, or nil where nothing is left.
func (c *Document) Constraints(s *value.Value) *value.Value {
	out := s.But(annotations...)
	if len(out.Keys) == 0 {
		return nil
	}
	return out
}

// Evaluated is s with items and members said in one way: the first items by prefixItems, and what others must be, where
// nothing else says more of the same value, by items and additionalProperties.
func Evaluated(s *value.Value) *value.Value {
	if s.Get("items").Is(value.Array) || s.Has("additionalItems") {
		fixed, more := Tuple(s)
		s = s.But("items", "additionalItems")
		if len(fixed) > 0 {
			s.Set("prefixItems", &value.Value{Kind: value.Array, Items: fixed})
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
func Count(v *value.Value, def int) int {
	r := v.Rational()
	if r == nil || !r.IsInt() || r.Sign() < 0 {
		return def
	}
	if !r.Num().IsInt64() || r.Num().Int64() > 1<<30 {
		return 1 << 30
	}
	return int(r.Num().Int64())
}
