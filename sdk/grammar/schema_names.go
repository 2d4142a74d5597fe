package grammar

import "strconv"

// others is a member whose name is none of props: one that a pattern names, or one that none does; nil if there are none.
func (c *converter) others(s, open *value, props []property, path, name string) (*expr, error) {
	var taken []string
	for _, p := range props {
		taken = append(taken, p.name)
	}
	patterns := s.get("patternProperties")
	var kids []*expr
	for i, source := range patterns.names() {
		where := at(at(path, "patternProperties"), source)
		key := keys{taken: taken, patterns: []string{source}, names: s.get("propertyNames")}
		member, err := c.other(key, patterns.get(source), where, name+"-pattern-"+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		c.disjoint(patterns, i, where)
		kids = append(kids, member)
	}
	if open != nil && !open.isFalse() {
		key := keys{taken: taken, except: patterns.names(), names: s.get("propertyNames")}
		member, err := c.other(key, open, at(path, "additionalProperties"), name+"-additional")
		if err != nil {
			return nil, err
		}
		kids = append(kids, member)
	}
	if more := alt(kids...); more.op != never {
		return more, nil
	}
	return nil, nil
}

// other is a member with one of keys and a value that follows s.
func (c *converter) other(k keys, s *value, path, name string) (*expr, error) {
	e, err := c.visit(s, path, name)
	if err != nil || e.op == never {
		return e, err
	}
	key, err := c.key(k, path)
	if err != nil || key.op == never {
		return key, err
	}
	return c.b.rule(name+"-kv", seq(key, text(":"), c.b.space.call(), e)), nil
}

// patternsOf are the patterns of s that a name matches.
func (c *converter) patternsOf(s *value, name string) []string {
	var out []string
	for _, source := range s.get("patternProperties").names() {
		if matches(source, name) == yes {
			out = append(out, source)
		}
	}
	return out
}

// keys are the names that a member may have.
type keys struct {
	taken    []string // names that others have
	patterns []string // a name matches all of these
	except   []string // and none of these
	names    *value   // and follows this schema, if there is one
}

// key is one of keys, in quotes.
func (c *converter) key(k keys, path string) (*expr, error) {
	var of []func(single bool) *expr
	if values := constantNames(k.names); values != nil {
		return c.listedKey(k, values), nil
	}
	if s := k.names; s != nil && !s.isTrue() {
		content, err := c.nameContent(s, path)
		if err != nil {
			return nil, err
		}
		if content == nil && s.isFalse() {
			return nothing, nil
		}
		if content != nil {
			of = append(of, content)
		}
	}
	for _, source := range k.patterns {
		content, err := c.pattern(source)
		if err != nil {
			c.note(path, "members are not held to the pattern of their names: %v", err)
			continue
		}
		of = append(of, content)
	}
	var but []func(single bool) *expr
	for _, source := range k.except {
		if content, err := c.pattern(source); err == nil {
			but = append(but, content)
		}
	}
	switch {
	case len(k.taken) > 0 && len(of)+len(but) == 0:
		of = append(of, func(single bool) *expr { return c.otherThan(k.taken, single) })
	case len(k.taken) > 0:
		but = append(but, func(single bool) *expr { return taken(k.taken, single) })
	}
	return c.intersected(of, but, path), nil
}

// taken is the inside of a string that is one of names.
func taken(names []string, single bool) *expr {
	quote := '"'
	if single {
		quote = '\''
	}
	kids := make([]*expr, len(names))
	for i, name := range names {
		kids[i] = text(escape(name, quote))
	}
	return alt(kids...)
}

// intersected is a string of all of the contents, and of none of but.
func (c *converter) intersected(of, but []func(single bool) *expr, path string) *expr {
	switch {
	case len(of)+len(but) == 0:
		return c.b.primitive("string", c.spelling)
	case len(of) == 1 && len(but) == 0:
		return c.b.quoted(c.spelling, of[0])
	}
	fits := true
	e := c.b.quoted(c.spelling, func(single bool) *expr {
		var in, out []*expr
		for _, content := range of {
			in = append(in, content(single))
		}
		for _, content := range but {
			out = append(out, content(single))
		}
		if len(in) == 0 {
			in = append(in, star(c.b.char(single)))
		}
		together := c.b.product(c.b.scope+"-name", in, out)
		if together == nil {
			fits, together = false, in[0]
		}
		return together
	})
	if !fits {
		c.note(path, "what the names of members must be is only held to in part: it takes too many rules to say")
	}
	return e
}

// nameContent makes the inside of a name that follows s; nil where it may be any.
func (c *converter) nameContent(s *value, path string) (func(single bool) *expr, error) {
	s, err := c.resolved(s, path)
	if err != nil || !s.is(objectKind) {
		return nil, err
	}
	if s, err = c.wellFormed(s, path); err != nil {
		return nil, err
	}
	c.unsupported(s, path)
	if s.hasAny("$ref", "allOf", "anyOf", "oneOf") || s.has("type") && !hasName(s.get("type"), "string") {
		c.note(path, "what propertyNames says is not held to")
		return nil, nil
	}
	return c.content(s, path)
}

// constantNames are the names that a schema of names lists; nil if it lists none.
func constantNames(s *value) []*value {
	if s.hasAny("const", "enum") {
		return constantsIn(s)
	}
	return nil
}

// listedKey is one of the names that are listed, as far as they are among keys.
func (c *converter) listedKey(k keys, values []*value) *expr {
	var kids []*expr
	for _, v := range values {
		if v.kind == stringKind && k.allow(v.text) && c.fits(v, k.names, 0) != no {
			kids = append(kids, c.constant(v))
		}
	}
	return alt(kids...)
}

// allow says whether a name is none of those taken, and matches the patterns.
func (k keys) allow(name string) bool {
	for _, t := range k.taken {
		if t == name {
			return false
		}
	}
	for _, source := range k.patterns {
		if matches(source, name) == no {
			return false
		}
	}
	for _, source := range k.except {
		if matches(source, name) == yes {
			return false
		}
	}
	return true
}

// disjoint notes that a name may match several patterns, so that its member must be all that these say.
func (c *converter) disjoint(patterns *value, i int, path string) {
	for _, other := range patterns.keys[:i] {
		if equal(patterns.get(other), patterns.get(patterns.keys[i])) || c.apartPatterns(other, patterns.keys[i]) {
			continue
		}
		c.note(path, "held to alone: a name may also match the pattern %q", other)
	}
}

// apartPatterns says whether no text matches both patterns.
func (c *converter) apartPatterns(a, b string) bool {
	x, err := c.pattern(a)
	y, err2 := c.pattern(b)
	if err != nil || err2 != nil {
		return false
	}
	e := c.b.product("", []*expr{x(false), y(false)}, nil)
	return e != nil && e.op == never
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
