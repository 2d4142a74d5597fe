package grammar

import (
	"math/big"
	"slices"
	"unicode/utf8"
)

// Whether a constant fits a schema is decided while the grammar is made. Only what a grammar is not asked for either, or
// would take long to find out, stays unknown.

// verdict says whether a value fits.
type verdict uint8

const (
	no verdict = iota
	unknown
	yes
)

func (v verdict) and(w verdict) verdict { return min(v, w) }

func (v verdict) not() verdict { return yes - v }

func verdictOf(fits bool) verdict {
	if fits {
		return yes
	}
	return no
}

// fits says whether v fits s.
func (c *converter) fits(v, s *value, depth int) verdict {
	switch {
	case s.isTrue():
		return yes
	case s.isFalse():
		return no
	case !s.is(objectKind) || depth > maxReferences:
		return unknown
	}
	if c.effort--; c.effort < 0 {
		return unknown
	}
	out := yes
	for _, k := range s.keys {
		out = out.and(c.keywordFits(v, k, s, depth))
	}
	return out
}

// keywordFits says whether v fits keyword k of s, by itself or with the keywords that it belongs to.
func (c *converter) keywordFits(v *value, k string, s *value, depth int) verdict {
	of := s.fields[k]
	each := func(schemas []*value, holds func(n int) bool) verdict { return c.count(v, schemas, depth, holds) }
	switch k {
	case "type":
		return verdictOf(hasType(v, of))
	case "const":
		return verdictOf(equal(v, of))
	case "enum":
		return verdictOf(slices.ContainsFunc(of.items, func(w *value) bool { return equal(v, w) }))
	case "$ref":
		target, err := c.resolve(of.text, "#")
		if err != nil {
			return unknown
		}
		return c.fits(v, target, depth+1)
	case "allOf":
		return each(of.items, func(n int) bool { return n == len(of.items) })
	case "anyOf", conditioned:
		return each(of.items, func(n int) bool { return n > 0 })
	case "oneOf":
		return each(of.items, func(n int) bool { return n == 1 })
	case "not":
		return c.fits(v, of, depth+1).not()
	}
	switch v.kind {
	case numberKind:
		return numberFits(v, k, s)
	case stringKind:
		return stringFits(v, k, of)
	case arrayKind:
		return c.arrayFits(v, k, s, depth)
	case objectKind:
		return c.objectFits(v, k, s, depth)
	}
	return outside(k, otherKeywords)
}

// count says whether so many of schemas as holds wants fit v.
func (c *converter) count(v *value, schemas []*value, depth int, holds func(n int) bool) verdict {
	n := 0
	for _, s := range schemas {
		switch c.fits(v, s, depth+1) {
		case unknown:
			return unknown
		case yes:
			n++
		}
	}
	return verdictOf(holds(n))
}

// otherKeywords are those that say something of every kind of value.
var otherKeywords = []string{"if", "then", "else", "$dynamicRef", "$recursiveRef"}

// outside is the verdict of a keyword that says nothing of a kind of values, unless it is one of keywords.
func outside(k string, keywords []string) verdict {
	if slices.Contains(keywords, k) || slices.Contains(otherKeywords, k) {
		return unknown
	}
	return yes
}

func numberFits(v *value, k string, s *value) verdict {
	n, of := v.rational(), s.fields[k].rational()
	if n == nil || of == nil {
		return outside(k, []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
	}
	switch d := n.Cmp(of); k {
	case "minimum":
		return verdictOf(d > 0 || d == 0 && !s.get("exclusiveMinimum").isTrue())
	case "maximum":
		return verdictOf(d < 0 || d == 0 && !s.get("exclusiveMaximum").isTrue())
	case "exclusiveMinimum":
		return verdictOf(d > 0)
	case "exclusiveMaximum":
		return verdictOf(d < 0)
	case "multipleOf":
		return verdictOf(of.Sign() != 0 && new(big.Rat).Quo(n, of).IsInt())
	}
	return yes
}

func stringFits(v *value, k string, of *value) verdict {
	n := utf8.RuneCountInString(v.text)
	switch k {
	case "minLength":
		return verdictOf(n >= count(of, 0))
	case "maxLength":
		return verdictOf(n <= count(of, n))
	case "pattern":
		return matches(of.text, v.text)
	}
	return outside(k, nil)
}

func (c *converter) arrayFits(v *value, k string, s *value, depth int) verdict {
	n, of := len(v.items), s.fields[k]
	switch k {
	case "minItems":
		return verdictOf(n >= count(of, 0))
	case "maxItems":
		return verdictOf(n <= count(of, n))
	case "items", "prefixItems":
		fixed, more := tuple(s)
		out := yes
		for i, item := range v.items {
			switch {
			case i < len(fixed):
				out = out.and(c.fits(item, fixed[i], depth+1))
			case more != nil:
				out = out.and(c.fits(item, more, depth+1))
			}
		}
		return out
	}
	return outside(k, []string{"contains", "uniqueItems", "unevaluatedItems"})
}

func (c *converter) objectFits(v *value, k string, s *value, depth int) verdict {
	n, of := len(v.keys), s.fields[k]
	out := yes
	switch k {
	case "required":
		return verdictOf(!slices.ContainsFunc(of.strings(), func(name string) bool { return !v.has(name) }))
	case "minProperties":
		return verdictOf(n >= count(of, 0))
	case "maxProperties":
		return verdictOf(n <= count(of, n))
	case "properties":
		for _, name := range v.keys {
			if of.has(name) {
				out = out.and(c.fits(v.fields[name], of.fields[name], depth+1))
			}
		}
		return out
	case "additionalProperties":
		if s.has("patternProperties") {
			return unknown
		}
		for _, name := range v.keys {
			if !s.get("properties").has(name) {
				out = out.and(c.fits(v.fields[name], of, depth+1))
			}
		}
		return out
	case "propertyNames":
		for _, name := range v.keys {
			out = out.and(c.fits(stringValue(name), of, depth+1))
		}
		return out
	}
	return outside(k, []string{"patternProperties", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"})
}
