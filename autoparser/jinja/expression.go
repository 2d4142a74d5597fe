package jinja

import (
	"strconv"
	"strings"
)

func (c *compiler) expressions(nodes []node, s *scope) []expr {
	out := make([]expr, len(nodes))
	for i, n := range nodes {
		out[i] = c.expression(n, s)
	}
	return out
}

// optional compiles a part that may be absent, which is None.
func (c *compiler) optional(n node, s *scope) expr {
	if n == nil {
		return func(*frame) Value { return none{} }
	}
	return c.expression(n, s)
}

// expression compiles an expression in the scope that it stands in.
func (c *compiler) expression(n node, s *scope) expr {
	switch n := n.(type) {
	case *literal:
		return func(*frame) Value { return n.value }
	case *slotOf:
		return func(f *frame) Value { return f.slots[n.slot] }
	case *name:
		return c.name(n, s)
	case *attributeOf:
		return c.attribute(n, s)
	case *elementOf:
		return c.element(n, s)
	case *sliceOf:
		return c.slice(n, s)
	case *call:
		invoke := c.call(n, s, false)
		return func(f *frame) Value { return invoke(f, binding{}) }
	case *filter:
		return c.filter(n, s)
	case *test:
		return c.test(n, s)
	case *binary:
		return c.binary(n, s)
	case *comparison:
		return c.comparison(n, s)
	case *logical:
		return c.logical(n, s)
	case *unary:
		return c.unary(n, s)
	case *conditional:
		return c.conditional(n, s)
	case *listOf:
		return c.list(n, s)
	case *objectOf:
		return c.object(n, s)
	}
	return c.concatenation(n.(*concatenation), s)
}

// name compiles the reading of a variable.
func (c *compiler) name(n *name, s *scope) expr {
	v, context := c.location(s, n.id)
	switch {
	case context:
		i := c.contextPlace(n.offset(), n.id)
		return func(f *frame) Value { return orMissing(f.r.context[i], n.id) }
	case v.fn == s.fn:
		return func(f *frame) Value { return orMissing(f.slots[v.slot], n.id) }
	}
	read := c.reader(n.offset(), s, n.id)
	return func(f *frame) Value { return orMissing(read(f), n.id) }
}

// orMissing is v, or undefined where there is none.
func orMissing(v Value, id string) Value {
	if v == nil {
		return &undefined{name: text(id)}
	}
	return v
}

// attribute compiles x.id.
func (c *compiler) attribute(n *attributeOf, s *scope) expr {
	of := c.expression(n.of, s)
	attribute, missing := c.isAttribute(n.id), c.absent(n.id)
	id := missing.name
	return func(f *frame) Value {
		v := of(f)
		if o, ok := v.(*Object); ok && !attribute { // by far the most frequent
			if i := o.findText(n.id); i >= 0 {
				return o.values[i]
			}
			return missing
		}
		f.r.at = n.offset()
		if x := f.r.lookUp(v, n.id); x != nil {
			return x
		}
		return &undefined{of: v, name: id}
	}
}

// absent is what an object without an element of a name has there.
func (c *compiler) absent(id string) *undefined {
	u := c.missing[id]
	if u == nil {
		u = &undefined{of: noObject, name: text(id)}
		c.missing[id] = u
	}
	return u
}

// noObject is what messages look into that speak of any object.
var noObject = &Object{}

// element compiles x[key].
func (c *compiler) element(n *elementOf, s *scope) expr {
	if l, ok := n.key.(*literal); ok {
		if id, ok := l.value.(text); ok {
			return c.member(n, string(id), l.value, s)
		}
	}
	of, key := c.expression(n.of, s), c.expression(n.key, s)
	return func(f *frame) Value {
		v, k := of(f), key(f)
		if o, ok := v.(*Object); ok {
			if id, ok := k.(text); ok {
				if i := o.findText(string(id)); i >= 0 {
					return o.values[i]
				}
			}
		}
		f.r.at = n.offset()
		return f.r.element(v, k)
	}
}

// member compiles x['id'].
func (c *compiler) member(n *elementOf, id string, key Value, s *scope) expr {
	of := c.expression(n.of, s)
	attribute, missing := c.isAttribute(id), c.absent(id)
	return func(f *frame) Value {
		v := of(f)
		if o, ok := v.(*Object); ok {
			if i := o.findText(id); i >= 0 {
				return o.values[i]
			}
			if !attribute {
				return missing
			}
		}
		f.r.at = n.offset()
		return f.r.element(v, key)
	}
}

// isAttribute reports whether an object may have an attribute of a name, which is no element of it.
func (c *compiler) isAttribute(id string) bool {
	return c.lib.methods["dict"][id] != nil || strings.HasPrefix(id, "__")
}

func (c *compiler) slice(n *sliceOf, s *scope) expr {
	of := c.expression(n.of, s)
	start, stop, step := c.optional(n.start, s), c.optional(n.stop, s), c.optional(n.step, s)
	return func(f *frame) Value {
		v, a, b, by := of(f), start(f), stop(f), step(f)
		f.r.at = n.offset()
		return f.r.slice(v, a, b, by)
	}
}

// conditional compiles a if b else c; without an else the value is undefined.
func (c *compiler) conditional(n *conditional, s *scope) expr {
	defer c.softly()()
	then, test := c.expression(n.then, s), c.expression(n.test, s)
	var otherwise expr
	if n.otherwise != nil {
		otherwise = c.expression(n.otherwise, s)
	} else {
		otherwise = c.noElse(n)
	}
	return func(f *frame) Value {
		if truth(test(f)) {
			return then(f)
		}
		return otherwise(f)
	}
}

// noElse is the value of a conditional expression without an else whose test does not hold.
func (c *compiler) noElse(n *conditional) expr {
	line := strings.Count(c.source[:n.offset()], "\n") + 1
	missing := &undefined{hint: "the inline if-expression on line " + strconv.Itoa(line) + " evaluated to false and no else section was defined."}
	return func(*frame) Value { return missing }
}

// list compiles […] and (…). Each evaluation makes a new one, which the template may change.
func (c *compiler) list(n *listOf, s *scope) expr {
	items := c.expressions(n.items, s)
	return func(f *frame) Value {
		l := f.r.made(f.r.take(len(items)))
		l.tuple = n.tuple
		for i, item := range items {
			l.items[i] = item(f)
		}
		return l
	}
}

// object compiles {…}; a later key of the same value wins, at the place of the first.
func (c *compiler) object(n *objectOf, s *scope) expr {
	values := c.expressions(n.values, s)
	if keys := distinctTexts(n.keys); keys != nil {
		return record(keys, values)
	}
	keys := c.expressions(n.keys, s)
	return func(f *frame) Value {
		o := newObject(f.r, len(keys))
		for i := range keys {
			k, v := keys[i](f), values[i](f)
			f.r.at = n.offset()
			o.put(f.r, k, v)
		}
		return o
	}
}

// distinctTexts returns the keys of an object if they are constant, no two the same, and few; otherwise nil.
func distinctTexts(nodes []node) []Value {
	o := &Object{}
	for _, n := range nodes {
		l, ok := n.(*literal)
		if !ok {
			return nil
		}
		if _, ok := l.value.(text); !ok {
			return nil
		}
		o.put(nil, l.value, none{})
	}
	if o.Len() < len(nodes) || o.index != nil {
		return nil
	}
	return o.keys
}

// record compiles {…} with keys that are known. The objects that it makes share them until one gets another key.
func record(keys []Value, values []expr) expr {
	return func(f *frame) Value {
		f.r.growTimes(len(keys)+2, 32)
		o := &Object{keys: keys[:len(keys):len(keys)], values: f.r.take(len(values)), mutable: true}
		for i, value := range values {
			o.values[i] = value(f)
		}
		return o
	}
}

// concatenation is ~, which joins what its parts print.
func (c *compiler) concatenation(n *concatenation, s *scope) expr {
	parts := c.expressions(n.parts, s)
	return func(f *frame) Value {
		mark := len(f.r.scratch)
		for _, part := range parts {
			v := part(f)
			f.r.at = n.offset()
			f.r.scratch = append(f.r.scratch, f.r.str(v))
		}
		return text(f.r.joined(mark))
	}
}
