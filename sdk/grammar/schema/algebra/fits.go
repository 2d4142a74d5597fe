package algebra

import (
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/grammar/schema/pattern"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Whether a constant follows a schema is decided while the grammar is built. The result is unknown
// only for keywords that grammars do not enforce either, or that would take too long.

// verdict is the result of a test: no, unknown or yes.
type verdict uint8

// The verdicts.
const (
	No verdict = iota
	unknown
	Yes
)

func (v verdict) and(w verdict) verdict { return min(v, w) }

func (v verdict) not() verdict { return Yes - v }

func verdictOf(fits bool) verdict {
	if fits {
		return Yes
	}
	return No
}

// Fits reports whether v follows s.
func (d *Document) Fits(v, s *jsonschema.Value, depth int) verdict {
	switch {
	case s.IsTrue():
		return Yes
	case s.IsFalse():
		return No
	case !s.Is(jsonschema.Object) || depth > maxReferences:
		return unknown
	}
	if d.comparisons--; d.comparisons < 0 {
		return unknown
	}
	d.Work.Spend(1 + len(s.Keys))
	out := Yes
	for _, k := range s.Keys {
		out = out.and(d.keywordFits(v, k, s, depth))
	}
	return out
}

// keywordFits reports whether v satisfies keyword k of s, together with the keywords that belong to
// it.
func (d *Document) keywordFits(v *jsonschema.Value, k string, s *jsonschema.Value, depth int) verdict {
	of := s.Get(k)
	each := func(schemas []*jsonschema.Value, holds func(n int) bool) verdict {
		return d.count(v, schemas, depth, holds)
	}
	switch k {
	case "type":
		return verdictOf(hasType(v, of))
	case "const":
		return verdictOf(v.Equal(of))
	case "enum":
		return verdictOf(slices.ContainsFunc(of.Items, func(w *jsonschema.Value) bool { return v.Equal(w) }))
	case "$ref":
		target, err := d.Resolve(of.Text, "#")
		if err != nil {
			return unknown
		}
		return d.Fits(v, target, depth+1)
	case "allOf":
		return each(of.Items, func(n int) bool { return n == len(of.Items) })
	case "anyOf", Conditioned:
		return each(of.Items, func(n int) bool { return n > 0 })
	case "oneOf":
		return each(of.Items, func(n int) bool { return n == 1 })
	case "not":
		return d.Fits(v, of, depth+1).not()
	}
	switch v.Kind {
	case jsonschema.Number:
		return numberFits(v, k, s)
	case jsonschema.String:
		return d.stringFits(v, k, of)
	case jsonschema.Array:
		return d.arrayFits(v, k, s, depth)
	case jsonschema.Object:
		return d.objectFits(v, k, s, depth)
	}
	return outside(k, otherKeywords)
}

// count reports whether the number of schemas that v follows satisfies holds.
func (d *Document) count(v *jsonschema.Value, schemas []*jsonschema.Value, depth int, holds func(n int) bool) verdict {
	n := 0
	for _, s := range schemas {
		switch d.Fits(v, s, depth+1) {
		case unknown:
			return unknown
		case Yes:
			n++
		}
	}
	return verdictOf(holds(n))
}

// otherKeywords apply to all kinds of values.
var otherKeywords = []string{"if", "then", "else", "$dynamicRef", "$recursiveRef"}

// outside returns the verdict for a keyword that does not apply to a kind of values, unless it is
// one of keywords.
func outside(k string, keywords []string) verdict {
	if slices.Contains(keywords, k) || slices.Contains(otherKeywords, k) {
		return unknown
	}
	return Yes
}

func numberFits(v *jsonschema.Value, k string, s *jsonschema.Value) verdict {
	n, of := v.Rational(), s.Get(k).Rational()
	if n == nil || of == nil {
		return outside(k, []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
	}
	switch d := n.Cmp(of); k {
	case "minimum":
		return verdictOf(d > 0 || d == 0 && !s.Get("exclusiveMinimum").IsTrue())
	case "maximum":
		return verdictOf(d < 0 || d == 0 && !s.Get("exclusiveMaximum").IsTrue())
	case "exclusiveMinimum":
		return verdictOf(d > 0)
	case "exclusiveMaximum":
		return verdictOf(d < 0)
	case "multipleOf":
		return verdictOf(of.Sign() != 0 && new(big.Rat).Quo(n, of).IsInt())
	}
	return Yes
}

func (d *Document) stringFits(v *jsonschema.Value, k string, of *jsonschema.Value) verdict {
	n := utf8.RuneCountInString(v.Text)
	switch k {
	case "minLength":
		return verdictOf(n >= Count(of, 0))
	case "maxLength":
		return verdictOf(n <= Count(of, n))
	case "pattern":
		return d.Matches(of.Text, v.Text)
	}
	return outside(k, nil)
}

func (d *Document) arrayFits(v *jsonschema.Value, k string, s *jsonschema.Value, depth int) verdict {
	n, of := len(v.Items), s.Get(k)
	switch k {
	case "minItems":
		return verdictOf(n >= Count(of, 0))
	case "maxItems":
		return verdictOf(n <= Count(of, n))
	case "items", "prefixItems":
		fixed, more := Tuple(s)
		out := Yes
		for i, item := range v.Items {
			switch {
			case i < len(fixed):
				out = out.and(d.Fits(item, fixed[i], depth+1))
			case more != nil:
				out = out.and(d.Fits(item, more, depth+1))
			}
		}
		return out
	}
	return outside(k, []string{"contains", "uniqueItems", "unevaluatedItems"})
}

func (d *Document) objectFits(v *jsonschema.Value, k string, s *jsonschema.Value, depth int) verdict {
	n, of := len(v.Keys), s.Get(k)
	out := Yes
	switch k {
	case "required":
		return verdictOf(!slices.ContainsFunc(of.Strings(), func(name string) bool { return !v.Has(name) }))
	case "minProperties":
		return verdictOf(n >= Count(of, 0))
	case "maxProperties":
		return verdictOf(n <= Count(of, n))
	case "properties":
		for _, name := range v.Keys {
			if of.Has(name) {
				out = out.and(d.Fits(v.Get(name), of.Get(name), depth+1))
			}
		}
		return out
	case "additionalProperties":
		if s.Has("patternProperties") {
			return unknown
		}
		for _, name := range v.Keys {
			if !s.Get("properties").Has(name) {
				out = out.and(d.Fits(v.Get(name), of, depth+1))
			}
		}
		return out
	case "propertyNames":
		for _, name := range v.Keys {
			out = out.and(d.Fits(jsonschema.NewString(name), of, depth+1))
		}
		return out
	}
	return outside(k, []string{"patternProperties", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"})
}

// Matches reports whether a pattern matches within a text.
func (d *Document) Matches(source, text string) verdict {
	re, known := d.patterns[source]
	if !known {
		d.Work.Spend(pattern.Cost(source))
		re = pattern.Compile(source)
		d.patterns[source] = re
	}
	if re == nil {
		return unknown
	}
	d.Work.Spend(1 + len(text))
	return verdictOf(re.MatchString(text))
}
