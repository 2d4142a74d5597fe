package grammar

import "strconv"

// property is a member that an object may have.
type property struct {
	name     string
	schema   *value
	path     string
	required bool
}

// object is an object with its properties in the order of the schema, the required ones first: models write them so, and
// any order would need a rule for every subset.
func (c *converter) object(s *value, path, name string) (*expr, error) {
	props, open := c.properties(s, path)
	if len(props) == 0 && (open == nil || open.isTrue()) {
		return c.b.primitive("object", c.spelling), nil
	}
	var required, optionals []*expr
	for _, p := range props {
		member, err := c.member(p, name)
		if err != nil {
			return nil, err
		}
		if p.required {
			required = append(required, member)
		} else {
			optionals = append(optionals, member)
		}
	}
	var more *expr
	if open != nil && !open.isFalse() {
		var err error
		if more, err = c.additional(open, props, at(path, "additionalProperties"), name); err != nil {
			return nil, err
		}
	}
	space := c.b.space.call()
	return seq(text("{"), space, c.members(required, optionals, more, name), space, text("}")), nil
}

// properties lists the members that s names, and what others must be: nil or false if there are none. Without properties
// an object is open unless said otherwise; with them it is closed unless said otherwise.
func (c *converter) properties(s *value, path string) ([]property, *value) {
	declared, open := s.get("properties"), s.get("additionalProperties")
	needed := s.get("required").strings()
	if declared == nil && open == nil {
		open = &value{kind: boolKind, bool: true}
	}
	required := make(map[string]bool, len(needed))
	for _, k := range needed {
		required[k] = true
	}
	var props []property
	if declared != nil {
		within := at(path, "properties")
		for _, k := range declared.keys {
			props = append(props, property{k, declared.fields[k], at(within, k), required[k]})
		}
	}
	for _, k := range needed {
		if !declared.has(k) {
			any := &value{kind: boolKind, bool: true}
			if open.is(objectKind) {
				any = open
			}
			props = append(props, property{k, any, at(path, "required"), true})
		}
	}
	return props, open
}

// anything is the schema of a member; an empty one says nothing, and a member may be anything.
func anything(s *value) *value {
	if s.is(objectKind) && len(s.keys) == 0 {
		return &value{kind: boolKind, bool: true}
	}
	return s
}

// member is `"name": value`, as a rule.
func (c *converter) member(p property, name string) (*expr, error) {
	full := name + "-" + p.name
	e, err := c.visit(anything(p.schema), p.path, full)
	if err != nil {
		return nil, err
	}
	space := c.b.space.call()
	return c.b.rule(full+"-kv", seq(c.constant(stringValue(p.name)), space, text(":"), space, e)), nil
}

// members joins members with commas: all of required, and any of optionals in order, and more, any number of times.
// Each optional member has a rule for what may follow it, so that the size is linear.
func (c *converter) members(required, optionals []*expr, more *expr, name string) *expr {
	comma := seq(text(","), c.b.space.call())
	first, after := c.optionalMembers(optionals, more, comma, name)
	var kids []*expr
	for i, r := range required {
		if i > 0 {
			kids = append(kids, comma)
		}
		kids = append(kids, r)
	}
	if first.op == never {
		return seq(kids...)
	}
	if len(required) > 0 {
		return seq(append(kids, after)...)
	}
	return optional(first)
}

// optionalMembers returns first, which begins with one of the optional members, and after, which continues a list with
// them or ends it.
func (c *converter) optionalMembers(optionals []*expr, more, comma *expr, name string) (first, after *expr) {
	first, after = nothing, empty
	if more != nil {
		after = star(seq(comma, more))
		first = seq(more, after)
	}
	for i := len(optionals) - 1; i >= 0; i-- {
		tail := after
		if len(optionals) > 1 || more != nil {
			tail = c.b.rule(name+"-rest", after)
		}
		first = alt(seq(optionals[i], tail), first)
		after = seq(optional(comma, optionals[i]), tail)
	}
	return first, after
}

// additional is a member whose name is none of props.
func (c *converter) additional(open *value, props []property, path, name string) (*expr, error) {
	e, err := c.visit(anything(open), path, name+"-additional")
	if err != nil {
		return nil, err
	}
	key := c.b.primitive("string", c.spelling)
	if len(props) > 0 {
		var names []string
		for _, p := range props {
			names = append(names, p.name)
		}
		key = c.b.quoted(c.spelling, func(single bool) *expr { return c.otherThan(names, single) })
	}
	return c.b.rule(name+"-additional-kv", seq(key, text(":"), c.b.space.call(), e)), nil
}

// otherThan is the inside of a string that is none of names, nor one of them cut short: it leaves the tree of their
// characters somewhere. An escape always leaves it.
func (c *converter) otherThan(names []string, single bool) *expr {
	t := newTrie(nil)
	quote := '"'
	if single {
		quote = '\''
	}
	for _, n := range names {
		t.add(escape(n, quote))
	}
	o := other{trie: t, plain: stringChars.minus(charsOf(string(quote))), escape: c.b.escape(single), chars: star(c.b.char(single))}
	if t.nodes[0].end {
		return o.leave(0)
	}
	return optional(o.leave(0))
}

// other is what it takes to leave a tree of names.
type other struct {
	trie   *trie
	plain  charset // the characters that stand for themselves
	escape *expr
	chars  *expr // any number of characters
}

// leave goes on from node at to a text that is in the tree nowhere.
func (o other) leave(at int) *expr {
	node := &o.trie.nodes[at]
	var kids []*expr
	free := o.plain
	for _, r := range node.letters() {
		free = free.minus(charset{{Lo: r, Hi: r}})
		if r != '\\' {
			kids = append(kids, seq(text(string(r)), o.leave(node.kids[r])))
		}
	}
	return alt(append(kids, seq(alt(oneOf(free), o.escape), o.chars))...)
}

// array is an array of items, of a fixed beginning, or both.
func (c *converter) array(s *value, path, name string) (*expr, error) {
	fixed, items := arrayParts(s)
	lo, hi := count(s.get("minItems"), 0), count(s.get("maxItems"), -1)
	if hi >= 0 && lo > hi {
		return nil, bad(path, "at least %d and at most %d items cannot both hold", lo, hi)
	}
	var kids []*expr
	for i, f := range fixed {
		e, err := c.visit(f, at(path, "prefixItems", i), name+"-"+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		kids = append(kids, e)
	}
	space := c.b.space.call()
	comma := seq(text(","), space)
	var more *expr
	if items != nil {
		e, err := c.visit(items, at(path, "items"), name+"-item")
		if err != nil {
			return nil, err
		}
		if heavy(e) {
			e = c.b.rule(name+"-item", e)
		}
		more = e
	}
	list := c.list(kids, more, comma, lo, hi)
	return seq(text("["), space, list, space, text("]")), nil
}

// arrayParts are the schemas of the first items, all of which must be there, and of those after them: nil if there are none.
func arrayParts(s *value) (fixed []*value, items *value) {
	prefix, items := s.get("prefixItems"), s.get("items")
	if items.is(arrayKind) {
		return items.items, nil
	}
	if items == nil && prefix.is(objectKind) {
		items = prefix
	}
	if prefix.is(arrayKind) {
		fixed = prefix.items
		if items == nil {
			return fixed, nil
		}
	}
	switch {
	case items == nil:
		return fixed, &value{kind: boolKind, bool: true}
	case items.isFalse():
		return fixed, nil
	}
	return fixed, items
}

// list is the fixed items and then more, lo to hi of all together; hi < 0: without bound.
func (c *converter) list(fixed []*expr, more, comma *expr, lo, hi int) *expr {
	var kids []*expr
	for i, f := range fixed {
		if i > 0 {
			kids = append(kids, comma)
		}
		kids = append(kids, f)
	}
	if more == nil {
		return seq(kids...)
	}
	lo = max(lo-len(fixed), 0)
	if hi >= 0 {
		hi = max(hi-len(fixed), 0)
	}
	if len(fixed) > 0 {
		return seq(append(kids, c.b.repeat(lo, hi, seq(comma, more)))...)
	}
	if hi == 0 {
		return empty
	}
	rest := hi
	if hi > 0 {
		rest--
	}
	list := seq(more, c.b.repeat(max(lo-1, 0), rest, seq(comma, more)))
	if lo == 0 {
		return optional(list)
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
