package grammar

import (
	"slices"
	"strconv"
)

// allOf merges the subschemas and what stands beside them into one schema, and says where that stands.
func (c *converter) allOf(s *value, path string) (*value, string, error) {
	beside := c.constraints(s.but("allOf"))
	listed := s.get("allOf").items
	if beside == nil && len(listed) == 1 {
		return listed[0], at(path, "allOf", 0), nil
	}
	if beside == nil {
		beside = newObject()
	}
	parts, err := c.allResolved(listed, at(path, "allOf"))
	if err != nil {
		return nil, "", err
	}
	implicit := len(parts) > 1 && !beside.has("required") && !slices.ContainsFunc(parts, func(p *value) bool { return p.has("required") })
	merged := beside.but(unevaluated...)
	for i, part := range parts {
		if alternatives := optionalProperties(c, part); alternatives != nil {
			part = alternatives
		} else if implicit && part.has("properties") {
			part = requireAll(part)
		}
		if merged, err = c.merge(merged, part, at(path, "allOf", i)); err != nil {
			return nil, "", err
		}
	}
	if merged.isTrue() {
		merged = newObject()
	}
	if merged.is(objectKind) {
		merged = merged.with(beside, unevaluated...)
	}
	return merged, path, nil
}

func (c *converter) allResolved(parts []*value, path string) ([]*value, error) {
	out := make([]*value, len(parts))
	for i, p := range parts {
		var err error
		if out[i], err = c.resolved(p, path+"/"+strconv.Itoa(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// requireAll is s with all its properties required: what several schemas together describe is meant to be there.
func requireAll(s *value) *value {
	out := s.but()
	names := &value{kind: arrayKind}
	for _, k := range s.get("properties").keys {
		names.items = append(names.items, stringValue(k))
	}
	out.set("required", names)
	return out
}

// optionalProperties turns alternatives that only add properties into one schema with all of them, none required; nil if
// part is something else.
func optionalProperties(c *converter, part *value) *value {
	if !part.is(objectKind) || len(part.keys) != 1 || !part.has("anyOf") {
		return nil
	}
	properties := newObject()
	for _, one := range part.get("anyOf").items {
		one, err := c.resolved(one, "#")
		if err != nil || !one.get("properties").is(objectKind) || c.constraints(one.but("properties", "type")) != nil {
			return nil
		}
		for _, k := range one.get("properties").keys {
			properties.set(k, one.get("properties").fields[k])
		}
	}
	out := newObject()
	out.set("properties", properties)
	out.set("required", &value{kind: arrayKind})
	return out
}

// merge is the schema that holds where both a and b hold, as far as the keywords allow; what it must leave out is noted.
func (c *converter) merge(a, b *value, path string) (*value, error) {
	if c.b.room--; c.b.room < 0 || c.depth >= maxDepth {
		return nil, bad(path, "what must hold together here refers to itself")
	}
	c.depth++
	defer func() { c.depth-- }()
	b, err := c.resolved(b, path)
	if err != nil {
		return nil, err
	}
	if a, err = c.resolved(a, path); err != nil {
		return nil, err
	}
	switch {
	case a.isTrue() || b.isFalse():
		return b, nil
	case b.isTrue() || a.isFalse() || a == b:
		return a, nil
	case !a.is(objectKind) || !b.is(objectKind):
		return nil, bad(path, "expected an object or a boolean, found %v", b.kind)
	}
	if a, err = c.wellFormed(a, path); err != nil {
		return nil, err
	}
	if b, err = c.wellFormed(b, path); err != nil {
		return nil, err
	}
	if a, err = c.conditional(a, path, false); err != nil {
		return nil, err
	}
	if b, err = c.conditional(b, path, false); err != nil {
		return nil, err
	}
	return c.mergeKeywords(evaluated(a), evaluated(b), path)
}

// mergeKeywords goes through what b says, on top of what a says.
func (c *converter) mergeKeywords(a, b *value, path string) (*value, error) {
	out, err := c.mergeMembers(a, b, path)
	if err == nil {
		out, err = c.mergeItems(out, a, b, path)
	}
	if err != nil {
		return nil, err
	}
	for _, k := range b.keys {
		v := b.fields[k]
		switch {
		case slices.Contains(annotations, k) || slices.Contains(mergedTogether, k):
			continue
		case slices.Contains(unevaluated, k):
			c.note(at(path, k), "not held to beside other schemas that must hold too")
			continue
		case k == conditioned && out.has(k):
			if v, err = c.bothConditions(requiringAlso(out.get(k), unite(a.get("required"), b.get("required"))), v, path); err != nil {
				return nil, err
			}
		case out.has(k):
			if v, err = c.mergeKeyword(k, out.get(k), v, path); err != nil {
				return nil, err
			}
		}
		out.set(k, v)
	}
	return out, nil
}

// mergedTogether are the keywords that say what members and items must be; each of them is to be seen with the others.
var mergedTogether = []string{"properties", "patternProperties", "additionalProperties", "prefixItems", "items"}

// mergeMembers is a, with the members that a and b name, and what others must be.
func (c *converter) mergeMembers(a, b *value, path string) (*value, error) {
	out := a.but()
	for _, key := range []string{"properties", "patternProperties"} {
		named, err := c.mergeNamed(a, b, key, path)
		if err != nil {
			return nil, err
		}
		if len(named.keys) > 0 || a.has(key) || b.has(key) {
			out.set(key, named)
		}
	}
	more, err := c.both(a.get("additionalProperties"), b.get("additionalProperties"), at(path, "additionalProperties"))
	if more != nil {
		out.set("additionalProperties", more)
	}
	return out, err
}

// mergeNamed are the members that a and b name under key. What one of them does not name follows what it says of others.
func (c *converter) mergeNamed(a, b *value, key, path string) (*value, error) {
	out := newObject()
	for _, s := range []*value{a, b} {
		for _, name := range s.get(key).names() {
			if out.has(name) {
				continue
			}
			where := at(at(path, key), name)
			v, err := c.both(c.named(a, key, name, path), c.named(b, key, name, path), where)
			if isContradiction(err) && !slices.Contains(append(a.get("required").strings(), b.get("required").strings()...), name) {
				v, err = &value{kind: boolKind}, nil
			}
			if err != nil {
				return nil, err
			}
			out.set(name, v)
		}
	}
	return out, nil
}

// named is what s says of a member; nil if nothing. That a schema allows no other members than its own would leave nothing
// where several schemas must hold together and each names its own: it is taken to be meant for all of them together.
func (c *converter) named(s *value, key, name, path string) *value {
	open := s.get("additionalProperties")
	switch {
	case s.get(key).has(name):
		return s.get(key).get(name)
	case open == nil || key == "properties" && len(c.patternsOf(s, name)) > 0:
		return nil
	case open.isFalse():
		c.note(at(path, "additionalProperties"), "not held to for the members of other schemas that must hold too")
		return nil
	}
	return open
}

// both is v and w together; nil if there is neither.
func (c *converter) both(v, w *value, path string) (*value, error) {
	switch {
	case v == nil:
		return w, nil
	case w == nil:
		return v, nil
	}
	return c.merge(v, w, path)
}

// mergeItems adds the items of a and b to out, each together with the one at the same place.
func (c *converter) mergeItems(out, a, b *value, path string) (*value, error) {
	fixed, more := tuple(a)
	others, otherMore := tuple(b)
	if len(fixed)+len(others) == 0 && more == nil && otherMore == nil {
		return out, nil
	}
	item := func(fixed []*value, more *value, i int) *value {
		if i < len(fixed) {
			return fixed[i]
		}
		return more
	}
	out = out.but("prefixItems", "items")
	prefix := &value{kind: arrayKind}
	for i := range max(len(fixed), len(others)) {
		v, err := c.both(item(fixed, more, i), item(others, otherMore, i), at(path, "prefixItems", i))
		if isContradiction(err) {
			v, err = &value{kind: boolKind}, nil
		}
		if err != nil {
			return nil, err
		}
		prefix.items = append(prefix.items, v)
	}
	if len(prefix.items) > 0 {
		out.set("prefixItems", prefix)
	}
	rest, err := c.both(more, otherMore, at(path, "items"))
	if isContradiction(err) {
		rest, err = &value{kind: boolKind}, nil
	}
	if rest != nil {
		out.set("items", rest)
	}
	return out, err
}

// mergeKeyword is what the values of one keyword say together.
func (c *converter) mergeKeyword(k string, a, b *value, path string) (*value, error) {
	switch k {
	case "required":
		return unite(a, b), nil
	case "propertyNames":
		return c.merge(a, b, at(path, k))
	case "type":
		return c.mergeTypes(a, b, path)
	case "enum":
		return intersect(a, b, path)
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
		return larger(a, b, 1), nil
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
		return larger(a, b, -1), nil
	case "anyOf", "oneOf":
		if product, err := c.pairs(a, b, at(path, k)); product != nil || err != nil {
			return product, err
		}
	case "pattern":
		if both := bothPatterns(a.text, b.text); both != "" {
			return stringValue(both), nil
		}
	case "not":
		either := newObject()
		either.set("anyOf", &value{kind: arrayKind, items: []*value{a, b}})
		return either, nil
	case "allOf":
		c.b.room -= len(a.items) + len(b.items) // lists that double would not take long to be the work
		both := &value{kind: arrayKind, items: slices.Clone(a.items)}
		for _, s := range b.items {
			if !slices.ContainsFunc(both.items, func(t *value) bool { return equal(s, t) }) {
				both.items = append(both.items, s)
			}
		}
		return both, nil
	case "const":
		if !equal(a, b) {
			return nil, contradiction(at(path, k), "no value is both %s and %s", clip(a.compact()), clip(b.compact()))
		}
		return a, nil
	}
	if a.compact() != b.compact() {
		c.note(at(path, k), "two values must hold here, only the first is held to: %s and %s", clip(a.compact()), clip(b.compact()))
	}
	return a, nil
}

// maxPairs bounds the pairs of alternatives of which each must hold together.
const maxPairs = 64

// pairs are the alternatives of two lists that must both hold: each of one together with each of the other; nil if these
// are too many.
func (c *converter) pairs(a, b *value, path string) (*value, error) {
	if len(a.items)*len(b.items) > maxPairs {
		return nil, nil
	}
	out := &value{kind: arrayKind}
	for _, x := range a.items {
		for _, y := range b.items {
			noted := len(c.b.notes)
			both, err := c.merge(x, y, path)
			switch {
			case err == nil:
				out.items = append(out.items, both)
			case isContradiction(err):
				c.b.forget(noted)
			default:
				return nil, err
			}
		}
	}
	if len(out.items) == 0 {
		return nil, contradiction(path, "no alternative fits any of those that must hold besides")
	}
	return out, nil
}

// mergeTypes are the types of both lists; an integer is a number.
func (c *converter) mergeTypes(a, b *value, path string) (*value, error) {
	both := &value{kind: arrayKind}
	for _, t := range append(a.strings(), a.text) {
		switch {
		case t == "":
		case hasName(b, t), t == "integer" && hasName(b, "number"):
			both.items = append(both.items, stringValue(t))
		case t == "number" && hasName(b, "integer"):
			both.items = append(both.items, stringValue("integer"))
		}
	}
	switch len(both.items) {
	case 0:
		return nil, contradiction(at(path, "type"), "no value has both the type %s and the type %s", a.compact(), b.compact())
	case 1:
		return both.items[0], nil
	}
	return both, nil
}

func unite(a, b *value) *value {
	out := &value{kind: arrayKind}
	for _, s := range append(a.strings(), b.strings()...) {
		if !slices.Contains(out.strings(), s) {
			out.items = append(out.items, stringValue(s))
		}
	}
	return out
}

func intersect(a, b *value, path string) (*value, error) {
	out := &value{kind: arrayKind}
	for _, v := range a.items {
		if slices.ContainsFunc(b.items, func(w *value) bool { return equal(v, w) }) {
			out.items = append(out.items, v)
		}
	}
	if len(out.items) == 0 {
		return nil, contradiction(at(path, "enum"), "no value is in both lists")
	}
	return out, nil
}

// larger is the larger of two numbers, or the smaller if sign is negative.
func larger(a, b *value, sign int) *value {
	x, y := a.rational(), b.rational()
	if x == nil || y != nil && x.Cmp(y)*sign < 0 {
		return b
	}
	return a
}
