package grammar

import (
	"slices"
	"strconv"
	"strings"
)

// reference is the rule of the subschema that $ref points to. Keywords beside it hold too.
func (c *converter) reference(s *value, path, name string) (*expr, error) {
	ref := s.get("$ref").text
	if !strings.HasPrefix(ref, "#") {
		c.note(at(path, "$ref"), "%q is not in this schema: any value is allowed there", ref)
		return c.b.primitive("value", c.spelling), nil
	}
	if beside := c.constraints(s.but("$ref")); beside != nil && !c.implies(s, beside) {
		target, err := c.resolve(ref, path)
		if err != nil {
			return nil, err
		}
		merged, err := c.merge(beside, target, path, 0)
		if err != nil {
			return nil, err
		}
		return c.visit(merged, path, name)
	}
	if r := c.refs[ref]; r != nil {
		return r.call(), nil
	}
	target, err := c.resolve(ref, path)
	if err != nil {
		return nil, err
	}
	r := c.b.named(c.b.scope + "-" + strings.TrimLeft(ref[strings.LastIndexByte(ref, '/')+1:], "#"))
	c.refs[ref] = r
	r.body, err = c.visit(target, ref, r.name)
	return r.call(), err
}

// resolve finds what a JSON pointer in a fragment points to.
func (c *converter) resolve(ref, path string) (*value, error) {
	v := c.root
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#"), "/")[1:] {
		step = pointerUnescape.Replace(step)
		if v = v.child(step); v == nil {
			return nil, bad(at(path, "$ref"), "%q points to nothing in this schema", ref)
		}
	}
	if len(ref) > 1 && ref[1] != '/' {
		return nil, bad(at(path, "$ref"), "%q is no JSON pointer: names of anchors are not supported", ref)
	}
	return v, nil
}

// child is the field or item that a step of a JSON pointer names.
func (v *value) child(step string) *value {
	if v.kind != arrayKind {
		return v.get(step)
	}
	for i, item := range v.items {
		if step == strconv.Itoa(i) {
			return item
		}
	}
	return nil
}

// allOf merges the subschemas and what stands beside them into one schema.
func (c *converter) allOf(s *value, path, name string) (*expr, error) {
	merged := c.constraints(s.but("allOf"))
	parts := s.get("allOf").items
	if merged == nil && len(parts) == 1 {
		return c.visit(parts[0], at(path, "allOf", 0), name)
	}
	if merged == nil {
		merged = newObject()
	}
	parts, err := c.allResolved(parts, at(path, "allOf"))
	if err != nil {
		return nil, err
	}
	implicit := len(parts) > 1 && !merged.has("required") && !slices.ContainsFunc(parts, func(p *value) bool { return p.has("required") })
	for i, part := range parts {
		where := at(path, "allOf", i)
		if part.is(objectKind) && len(part.keys) == 0 || part.isTrue() {
			continue
		}
		if alternatives := optionalProperties(c, part); alternatives != nil {
			part = alternatives
		} else if implicit && part.has("properties") {
			part = requireAll(part)
		}
		if merged, err = c.merge(merged, part, where, 0); err != nil {
			return nil, err
		}
	}
	if len(merged.keys) == 0 {
		return c.b.primitive("value", c.spelling), nil
	}
	return c.visit(merged, path, name)
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
		if err != nil || !one.get("properties").is(objectKind) || one.has("required") {
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

// resolved follows the references that s consists of.
func (c *converter) resolved(s *value, path string) (*value, error) {
	for range maxReferences {
		if !s.has("$ref") || !strings.HasPrefix(s.get("$ref").text, "#") {
			return s, nil
		}
		target, err := c.resolve(s.get("$ref").text, path)
		if err != nil {
			return nil, err
		}
		beside := c.constraints(s.but("$ref"))
		if beside == nil {
			s = target
			continue
		}
		return c.merge(beside, target, path, 1)
	}
	return nil, bad(path, "references lead in a circle")
}

// merge is the schema that holds where both a and b hold, as far as the keywords allow; what it must leave out is noted.
func (c *converter) merge(a, b *value, path string, depth int) (*value, error) {
	if c.b.room--; c.b.room < 0 || depth > maxReferences {
		return nil, bad(path, "what must hold together here refers to itself")
	}
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
	case b.isTrue() || a.isFalse():
		return a, nil
	case !a.is(objectKind) || !b.is(objectKind):
		return nil, bad(path, "expected an object or a boolean")
	}
	if err := c.wellFormed(a, path); err != nil {
		return nil, err
	}
	if err := c.wellFormed(b, path); err != nil {
		return nil, err
	}
	out := a.but()
	for _, k := range b.keys {
		if slices.Contains(annotations, k) {
			continue
		}
		v, err := c.mergeKeyword(k, out, b, path, depth)
		if err != nil {
			return nil, err
		}
		out.set(k, v)
	}
	return out, nil
}

func (c *converter) mergeKeyword(k string, a, b *value, path string, depth int) (*value, error) {
	av, bv := a.get(k), b.get(k)
	if av == nil {
		return bv, nil
	}
	switch k {
	case "properties":
		return c.mergeProperties(av, bv, at(path, k), depth)
	case "required":
		return unite(av, bv), nil
	case "items", "additionalProperties":
		if av.kind != arrayKind && bv.kind != arrayKind {
			return c.merge(av, bv, at(path, k), depth+1)
		}
	case "type":
		return c.mergeTypes(av, bv, path)
	case "enum":
		return intersect(av, bv, path)
	case "minimum", "exclusiveMinimum", "minLength", "minItems":
		return larger(av, bv, 1), nil
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems":
		return larger(av, bv, -1), nil
	case "allOf":
		c.b.room -= len(av.items) + len(bv.items) // lists that double would not take long to be the work
		return &value{kind: arrayKind, items: append(append([]*value{}, av.items...), bv.items...)}, nil
	}
	if av.compact() != bv.compact() {
		c.note(at(path, k), "two values must hold here, only the first is held to: %s and %s", clip(av.compact()), clip(bv.compact()))
	}
	return av, nil
}

func (c *converter) mergeProperties(a, b *value, path string, depth int) (*value, error) {
	out := a.but()
	for _, k := range b.keys {
		v := b.fields[k]
		if mine := a.get(k); mine != nil {
			var err error
			if v, err = c.merge(mine, v, at(path, k), depth+1); err != nil {
				return nil, err
			}
		}
		out.set(k, v)
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
		return nil, bad(at(path, "type"), "no value has both the type %s and the type %s", a.compact(), b.compact())
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
		for _, w := range b.items {
			if v.compact() == w.compact() {
				out.items = append(out.items, v)
				break
			}
		}
	}
	if len(out.items) == 0 {
		return nil, bad(at(path, "enum"), "no value is in both lists")
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
