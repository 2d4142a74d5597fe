package jinja

// contextPlace returns the place of a context variable.
func (c *compiler) contextPlace(at int, id string) int {
	if i, ok := c.names[id]; ok {
		return i
	}
	if g := c.lib.globals[id]; g != nil && g.refused != "" {
		reject(at, "the function %s is not supported: %s", id, g.refused)
	}
	i := len(c.order)
	c.names[id] = i
	c.order = append(c.order, id)
	return i
}

// location returns where the variable that a name means is read from: a slot of an outer function, up functions away,
// or a place in the context, for names that this template never assigns.
func (c *compiler) location(s *scope, id string) (v *variable, context bool) {
	for o := s; o != nil; o = o.parent {
		if m := o.names[id]; m.variable != nil {
			return m.variable, m.from == fromContext && !m.stored
		}
	}
	return nil, true
}

// reader compiles the reading of a variable; nil is missing.
func (c *compiler) reader(at int, s *scope, id string) expr {
	v, context := c.location(s, id)
	if context {
		i := c.contextPlace(at, id)
		return func(f *frame) Value { return f.r.context[i] }
	}
	i, up := v.slot, functionsBetween(s.fn, v.fn)
	if up == 0 {
		return func(f *frame) Value { return f.slots[i] }
	}
	return func(f *frame) Value {
		for range up {
			f = f.outer
		}
		return f.slots[i]
	}
}

// functionsBetween counts the functions from one out to another.
func functionsBetween(inner, outer *functionScope) int {
	n := 0
	for ; inner != outer; inner = inner.parent {
		n++
	}
	return n
}

// entry compiles what happens to the variables of a scope when it is entered.
func (c *compiler) entry(s *scope) func(*frame) {
	type copyOf struct {
		slot int
		from expr
	}
	var copies []copyOf
	for id, m := range s.names {
		v := m.variable
		switch {
		case v == nil, m.from == given, m.from == fromContext && !m.stored:
		case m.from == unset:
			copies = append(copies, copyOf{v.slot, func(*frame) Value { return nil }})
		case m.from == fromOutside:
			copies = append(copies, copyOf{v.slot, c.reader(-1, s.outer(), id)})
		default:
			i := c.contextPlace(-1, id)
			copies = append(copies, copyOf{v.slot, func(f *frame) Value { return f.r.context[i] }})
		}
	}
	if len(copies) == 0 {
		return func(*frame) {}
	}
	return func(f *frame) {
		for i := range copies {
			f.slots[copies[i].slot] = copies[i].from(f)
		}
	}
}

// outer returns a scope that sees what is around s, from inside the function of s.
func (s *scope) outer() *scope { return &scope{parent: s.parent, fn: s.fn} }
