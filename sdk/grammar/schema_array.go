package grammar

import "strconv"

// array is an array of items, of a fixed beginning, or both.
func (c *converter) array(s *value, path, name string) (*expr, error) {
	c.inside++
	defer func() { c.inside-- }()
	s = evaluated(s)
	fixed, items := tuple(s)
	lo, hi, items := itemCounts(s, len(fixed), items)
	if values := c.distinctValues(s, path); values != nil {
		space := c.b.space.call()
		return seq(text("["), space, c.distinct(values, lo, hi, name), space, text("]")), nil
	}
	var kids []*expr
	for i, f := range fixed {
		e, err := c.visit(f, at(path, "prefixItems", i), name+"-"+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		if e.op == never {
			items = nil
			break
		}
		kids = append(kids, e)
	}
	if items == nil && (hi < 0 || hi > len(kids)) {
		hi = len(kids)
	}
	if hi >= 0 && !s.has("minItems") {
		lo = min(lo, hi)
	}
	if hi >= 0 && lo > hi {
		return nil, contradiction(path, "at least %d and at most %d items cannot both hold", lo, hi)
	}
	more, err := c.item(items, path, name, len(fixed) > 0)
	if err != nil {
		return nil, err
	}
	space := c.b.space.call()
	return seq(text("["), space, c.list(kids, more, seq(text(","), space), lo, hi), space, text("]")), nil
}

// item is one of the items behind the fixed ones; nil if there are none.
func (c *converter) item(items *value, path, name string, behind bool) (*expr, error) {
	switch {
	case items == nil:
		return nil, nil
	case items.isEmpty() && !behind:
		return c.b.primitive("object", c.spelling), nil
	}
	e, err := c.visit(items, at(path, "items"), name+"-item")
	if err == nil && heavy(e) {
		e = c.b.rule(name+"-item", e)
	}
	return e, err
}

// tuple are the schemas of the first items, and of those after them: nil if nothing is said of these.
func tuple(s *value) (fixed []*value, items *value) {
	prefix, items := s.get("prefixItems"), s.get("items")
	switch {
	case items.is(arrayKind):
		return items.items, s.get("additionalItems")
	case prefix.is(arrayKind):
		return prefix.items, items
	case items == nil && prefix.is(objectKind):
		return nil, prefix
	}
	return nil, items
}

// itemCounts are the bounds of s, and what stands behind the fixed items: nil where there is nothing. All fixed items must
// be there unless a bound says that there may be fewer, and no others unless s says what they are or that there may be more.
func itemCounts(s *value, fixed int, items *value) (lo, hi int, more *value) {
	lo, hi = count(s.get("minItems"), fixed), count(s.get("maxItems"), -1)
	switch {
	case items.isFalse():
		return lo, hi, nil
	case items == nil && (fixed == 0 || lo > fixed || hi > fixed):
		return lo, hi, &value{kind: boolKind, bool: true}
	}
	return lo, hi, items
}

// list is the fixed items and then more, lo to hi of all together; hi < 0: without bound.
func (c *converter) list(fixed []*expr, more, comma *expr, lo, hi int) *expr {
	if hi >= 0 && hi <= len(fixed) {
		fixed, more = fixed[:hi], nil
	}
	list := empty
	if more != nil {
		list = c.more(more, comma, len(fixed) > 0, max(lo-len(fixed), 0), max(hi-len(fixed), -1))
	}
	for i := len(fixed) - 1; i >= 0; i-- {
		before := empty
		if i > 0 {
			before = comma
		}
		if list = seq(before, fixed[i], list); i >= lo {
			list = c.b.repeat(0, 1, list)
		}
	}
	return list
}

// more are lo to hi items, behind others or not.
func (c *converter) more(item, comma *expr, behind bool, lo, hi int) *expr {
	switch {
	case hi == 0:
		return empty
	case behind:
		return c.b.repeat(lo, hi, seq(comma, item))
	}
	list := seq(item, c.b.repeat(max(lo-1, 0), max(hi-1, -1), seq(comma, item)))
	if lo == 0 {
		return c.b.repeat(0, 1, list)
	}
	return list
}

// count is a number of things; def where there is none.
func count(v *value, def int) int {
	r := v.rational()
	if r == nil || !r.IsInt() || r.Sign() < 0 {
		return def
	}
	if !r.Num().IsInt64() || r.Num().Int64() > 1<<30 {
		return 1 << 30
	}
	return int(r.Num().Int64())
}
