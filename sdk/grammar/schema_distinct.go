package grammar

// maxDistinct bounds the values of which no two items may be the same: there is a rule for every set of those still left.
const maxDistinct = 6

// distinctValues are the values that items of s may have, if no two may be the same and the values are few; nil otherwise.
func (c *converter) distinctValues(s *value, path string) []*value {
	if !s.get("uniqueItems").isTrue() || s.has("prefixItems") || s.get("items").is(arrayKind) || !s.get("items").is(objectKind) {
		return nil
	}
	items, err := c.resolved(s.get("items"), path)
	if err != nil || !items.is(objectKind) {
		return nil
	}
	if c.kinds(items)&^(boolType|nullType) == 0 && !items.hasAny("const", "enum") {
		items = c.enumerated(items)
	}
	if !items.hasAny("const", "enum") || len(constantsIn(items)) > maxDistinct || items.get("nullable").isTrue() {
		return nil
	}
	values, err := c.constantsOf(items, at(path, "items"))
	if err != nil {
		return nil
	}
	return values
}

// distinct is a list of lo to hi of values, each at most once, in any order.
func (c *converter) distinct(values []*value, lo, hi int, name string) *expr {
	d := distinctList{c: c, values: values, lo: lo, hi: hi, name: name + "-distinct", rests: map[int]*rule{}}
	return d.more(0, 0)
}

type distinctList struct {
	c      *converter
	values []*value
	lo, hi int
	name   string
	rests  map[int]*rule // by the set of values that are taken
}

// more is what may follow n values, those of the set taken.
func (d *distinctList) more(taken, n int) *expr {
	var kids []*expr
	if n >= d.lo {
		kids = append(kids, empty)
	}
	for i, v := range d.values {
		if taken&(1<<i) == 0 && (d.hi < 0 || n < d.hi) {
			kids = append(kids, seq(d.c.behind(",", n > 0), d.c.constant(v), d.rest(taken|1<<i, n+1)))
		}
	}
	return alt(kids...)
}

// rest is the rule of what may follow.
func (d *distinctList) rest(taken, n int) *expr {
	r := d.rests[taken]
	if r == nil {
		r = d.c.b.named(d.name)
		d.rests[taken] = r
		r.body = d.more(taken, n)
	}
	return r.call()
}
