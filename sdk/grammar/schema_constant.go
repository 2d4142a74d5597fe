package grammar

import "slices"

// constantsOf are the values of s that const or enum lists, as far as they fit what stands beside. If none has the type
// that stands there, it is not held to: lists of numbers beside the type of strings, and the like, are meant as they stand.
func (c *converter) constantsOf(s *value, path string) ([]*value, error) {
	listed, beside := s.get("enum").list(), c.constraints(s.but("enum"))
	if s.has("const") {
		listed, beside = []*value{s.get("const")}, c.constraints(s.but("const"))
	}
	if beside == nil {
		return listed, nil
	}
	if values := c.fitting(listed, beside, path); len(values) > 0 {
		return values, nil
	}
	if values := c.fitting(listed, beside.but("type"), path); len(values) > 0 && beside.has("type") {
		c.note(at(path, "type"), "not held to: no constant has it")
		return values, nil
	}
	return nil, contradiction(path, "no constant fits what must hold besides")
}

// fitting are the values that fit s. Keywords of which that is not known are noted.
func (c *converter) fitting(values []*value, s *value, path string) []*value {
	var out []*value
	for _, v := range values {
		fits := yes
		for _, k := range s.keys {
			one := c.keywordFits(v, k, s, 0)
			if fits = fits.and(one); one == unknown {
				c.note(at(path, k), "not held to beside constants")
			}
		}
		if fits != no {
			out = append(out, v)
		}
	}
	return out
}

// constants are literal values.
func (c *converter) constants(values []*value) *expr {
	kids := make([]*expr, len(values))
	for i, v := range values {
		kids[i] = c.constant(v)
	}
	return alt(kids...)
}

// constant is one value, in each of its spellings: blanks may stand behind its commas and colons.
func (c *converter) constant(v *value) *expr {
	var kids []*expr
	switch v.kind {
	case stringKind:
		return c.b.quoted(c.spelling, func(single bool) *expr {
			if single {
				return text(escape(v.text, '\''))
			}
			return text(escape(v.text, '"'))
		})
	case boolKind, nullKind:
		return c.b.word(v.compact(), c.spelling)
	case arrayKind:
		for i, item := range v.items {
			kids = append(kids, c.behind(",", i > 0), c.constant(item))
		}
		return seq(text("["), seq(kids...), text("]"))
	case objectKind:
		for i, k := range v.keys {
			kids = append(kids, c.behind(",", i > 0), c.constant(stringValue(k)), c.behind(":", true), c.constant(v.fields[k]))
		}
		return seq(text("{"), seq(kids...), text("}"))
	}
	return text(v.text)
}

// behind is a comma or colon with the white space behind it; nothing to write where it is not needed.
func (c *converter) behind(mark string, needed bool) *expr {
	if !needed {
		return empty
	}
	return seq(text(mark), c.b.space.call())
}

// equal says whether two values are the same to JSON Schema: numbers by what they mean, objects whatever their order.
func equal(a, b *value) bool {
	switch {
	case a.kind != b.kind:
		return false
	case a.kind == numberKind:
		x, y := a.rational(), b.rational()
		return a.text == b.text || x != nil && y != nil && x.Cmp(y) == 0
	case a.kind == objectKind:
		return len(a.keys) == len(b.keys) && !slices.ContainsFunc(a.keys, func(k string) bool {
			return !b.has(k) || !equal(a.fields[k], b.fields[k])
		})
	}
	return a.text == b.text && a.bool == b.bool && slices.EqualFunc(a.items, b.items, equal)
}
