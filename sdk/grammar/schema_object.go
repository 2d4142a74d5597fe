package grammar

import "slices"

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
	c.inside++
	defer func() { c.inside-- }()
	s = evaluated(s)
	props, open := c.properties(s, path)
	bounded := s.hasAny("patternProperties", "propertyNames", "minProperties", "maxProperties")
	if len(props) == 0 && !bounded && (open == nil || open.isTrue() || open.isEmpty()) {
		return c.b.primitive("object", c.spelling), nil
	}
	list := members{c: c, name: name, path: path}
	for _, p := range props {
		member, err := c.member(p, s, path, name)
		switch {
		case err != nil:
			return nil, err
		case p.required:
			list.required = append(list.required, member)
		case member.op != never:
			list.optionals = append(list.optionals, member)
		}
	}
	more, err := c.others(s, open, props, path, name)
	if err != nil {
		return nil, err
	}
	if more != nil && more.op != call {
		more = c.b.rule(name+"-more", more)
	}
	list.more = more
	inner, err := list.between(count(s.get("minProperties"), 0), count(s.get("maxProperties"), -1))
	if err != nil {
		return nil, err
	}
	space := c.b.space.call()
	return seq(text("{"), space, inner, space, text("}")), nil
}

// properties lists the members that s names, and what others must be: nil or false if there are none. Without properties
// an object is open unless said otherwise; with them it is closed unless said otherwise.
func (c *converter) properties(s *value, path string) ([]property, *value) {
	declared, open := s.get("properties"), s.get("additionalProperties")
	needed := s.get("required").strings()
	if declared == nil && open == nil && !s.has("patternProperties") {
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
		if !declared.has(k) && required[k] {
			required[k] = false // listed twice, it is still one
			props = append(props, property{k, c.undeclared(s, k, path), at(path, "required"), true})
		}
	}
	return props, open
}

// undeclared is the schema of a member that is required, and named nowhere else.
func (c *converter) undeclared(s *value, name, path string) *value {
	open := s.get("additionalProperties")
	switch {
	case len(c.patternsOf(s, name)) > 0 || open == nil:
	case open.isFalse():
		c.note(at(path, "additionalProperties"), "not held to for %q, which is required", name)
	default:
		return open
	}
	return &value{kind: boolKind, bool: true}
}

// member is `"name": value`, as a rule; nothing where it cannot be there.
func (c *converter) member(p property, s *value, path, name string) (*expr, error) {
	schema := p.schema
	var err error
	for _, source := range c.patternsOf(s, p.name) {
		if schema, err = c.merge(schema, s.get("patternProperties").get(source), p.path); err != nil {
			return nil, err
		}
	}
	if names := s.get("propertyNames"); names != nil && c.fits(stringValue(p.name), names, 0) == no {
		if p.required {
			return nil, contradiction(at(path, "propertyNames"), "it does not allow %q, which is required", p.name)
		}
		return nothing, nil
	}
	full := name + "-" + p.name
	e, err := c.visit(schema, p.path, full)
	if err != nil || e.op == never {
		return e, err
	}
	space := c.b.space.call()
	return c.b.rule(full+"-kv", seq(c.constant(stringValue(p.name)), space, text(":"), space, e)), nil
}

// members are the members of an object: all of required, and any of optionals in order, and more, any number of times.
type members struct {
	c                   *converter
	name, path          string
	required, optionals []*expr
	more                *expr // nil: no others
}

// between joins from lo to hi members with commas; hi < 0: without bound.
func (m members) between(lo, hi int) (*expr, error) {
	lo, hi = max(lo-len(m.required), 0), hi-len(m.required)
	bounded := hi+len(m.required) >= 0
	switch n := len(m.optionals); {
	case bounded && hi < lo, m.more == nil && lo > n:
		return nil, contradiction(m.path, "no number of members is between these bounds")
	case bounded && hi == 0:
		m.optionals, m.more, bounded = nil, nil, false
	case m.more == nil && lo == n:
		m.required, m.optionals, lo, bounded = append(m.required, m.optionals...), nil, 0, false
	case m.more == nil && n <= hi:
		bounded = false
	}
	if len(m.optionals) == 0 && m.more != nil {
		return m.counted(lo, hi, bounded), nil
	}
	if !bounded {
		hi = -1
	}
	if (lo > 1 || bounded) && len(m.optionals)*(max(lo, hi)+1) <= maxCounted {
		counter := memberCounter{members: m, lo: lo, hi: hi, rests: map[[2]int]*rule{}}
		return seq(m.joined(), counter.from(0, 0, len(m.required) > 0)), nil
	}
	if bounded {
		m.c.note(at(m.path, "maxProperties"), "not held to")
	}
	if lo > 1 {
		m.c.note(at(m.path, "minProperties"), "at least %d members are only held to up to %d", lo+len(m.required), 1+len(m.required))
	}
	return m.join(lo > 0), nil
}

func (m members) comma() *expr { return seq(text(","), m.c.b.space.call()) }

// counted is required, and then lo to hi others.
func (m members) counted(lo, hi int, bounded bool) *expr {
	if !bounded {
		hi = -1
	}
	return seq(m.joined(), m.c.more(m.more, m.comma(), len(m.required) > 0, lo, hi))
}

// joined is required.
func (m members) joined() *expr {
	var kids []*expr
	for i, r := range m.required {
		if i > 0 {
			kids = append(kids, m.comma())
		}
		kids = append(kids, r)
	}
	return seq(kids...)
}

// join is all members. Each optional one has a rule for what may follow it, so that the size is linear.
func (m members) join(some bool) *expr {
	first, after := m.tail()
	switch {
	case first.op == never:
		return m.joined()
	case len(m.required) > 0 && some:
		return seq(m.joined(), m.comma(), first)
	case len(m.required) > 0:
		return seq(m.joined(), after)
	case some:
		return first
	}
	return optional(first)
}

// tail returns first, which begins with one of the members that are not required, and after, which continues a list with
// them or ends it.
func (m members) tail() (first, after *expr) {
	comma := m.comma()
	first, after = nothing, empty
	if m.more != nil {
		after = star(seq(comma, m.more))
		first = seq(m.more, after)
	}
	for _, member := range slices.Backward(m.optionals) {
		tail := after
		if len(m.optionals) > 1 || m.more != nil {
			tail = m.c.b.rule(m.name+"-rest", after)
		}
		first = alt(seq(member, tail), first)
		after = seq(optional(comma, member), tail)
	}
	return first, after
}
