package jinja

import (
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/scope"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

func (c *compiler) expressions(nodes []syntax.Node, s *scope.Scope) []expr {
	out := make([]expr, len(nodes))
	for i, n := range nodes {
		out[i] = c.expression(n, s)
	}
	return out
}

// optional compiles an expression that may be absent, which means None.
func (c *compiler) optional(n syntax.Node, s *scope.Scope) expr {
	if n == nil {
		return func(*frame) value.Value { return value.None{} }
	}
	return c.expression(n, s)
}

// expression compiles an expression.
func (c *compiler) expression(n syntax.Node, s *scope.Scope) expr {
	switch n := n.(type) {
	case *syntax.Literal:
		return func(*frame) value.Value { return n.Value }
	case *slotOf:
		return func(f *frame) value.Value { return f.slots[n.slot] }
	case *syntax.Name:
		return c.name(n, s)
	case *syntax.Attribute:
		return c.attribute(n, s)
	case *syntax.Element:
		return c.element(n, s)
	case *syntax.Slice:
		return c.slice(n, s)
	case *syntax.Call:
		invoke := c.call(n, s, false)
		return func(f *frame) value.Value { return invoke(f, library.Binding{}) }
	case *syntax.Filter:
		return c.filter(n, s)
	case *syntax.Test:
		return c.test(n, s)
	case *syntax.Binary:
		return c.binary(n, s)
	case *syntax.Comparison:
		return c.comparison(n, s)
	case *syntax.Logical:
		return c.logical(n, s)
	case *syntax.Unary:
		return c.unary(n, s)
	case *syntax.Conditional:
		return c.conditional(n, s)
	case *syntax.List:
		return c.list(n, s)
	case *syntax.Object:
		return c.object(n, s)
	}
	return c.concatenation(n.(*syntax.Concatenation), s)
}

// name compiles a variable.
func (c *compiler) name(n *syntax.Name, s *scope.Scope) expr {
	v, context := s.LookUp(n.ID)
	switch {
	case context:
		i := c.contextPlace(n.Offset(), n.ID)
		return func(f *frame) value.Value { return orMissing(f.r.context[i], n.ID) }
	case v.Function == s.Function:
		return func(f *frame) value.Value { return orMissing(f.slots[v.Slot], n.ID) }
	}
	read := c.reader(n.Offset(), s, n.ID)
	return func(f *frame) value.Value { return orMissing(read(f), n.ID) }
}

// orMissing returns v, or an undefined value if v is nil.
func orMissing(v value.Value, id string) value.Value {
	if v == nil {
		return &value.Undefined{Name: value.String(id)}
	}
	return v
}

// attribute compiles x.id.
func (c *compiler) attribute(n *syntax.Attribute, s *scope.Scope) expr {
	of := c.expression(n.Of, s)
	attribute, missing := c.isAttribute(n.ID), c.absent(n.ID)
	id := missing.Name
	return func(f *frame) value.Value {
		v := of(f)
		if o, ok := v.(*value.Object); ok && !attribute { // by far the most frequent case
			if i := o.FindText(n.ID); i >= 0 {
				return o.ValueAt(i)
			}
			return missing
		}
		f.r.at = n.Offset()
		if x := f.r.LookUp(v, n.ID); x != nil {
			return x
		}
		return &value.Undefined{Of: v, Name: id}
	}
}

// absent returns the undefined value of a missing element of an object.
func (c *compiler) absent(id string) *value.Undefined {
	u := c.missing[id]
	if u == nil {
		u = &value.Undefined{Of: noObject, Name: value.String(id)}
		c.missing[id] = u
	}
	return u
}

// noObject stands for any object in messages.
var noObject = &value.Object{}

// element compiles x[key].
func (c *compiler) element(n *syntax.Element, s *scope.Scope) expr {
	if l, ok := n.Key.(*syntax.Literal); ok {
		if id, ok := l.Value.(value.String); ok {
			return c.member(n, string(id), l.Value, s)
		}
	}
	of, key := c.expression(n.Of, s), c.expression(n.Key, s)
	return func(f *frame) value.Value {
		v, k := of(f), key(f)
		if o, ok := v.(*value.Object); ok {
			if id, ok := k.(value.String); ok {
				if i := o.FindText(string(id)); i >= 0 {
					return o.ValueAt(i)
				}
			}
		}
		f.r.at = n.Offset()
		return f.r.Element(v, k)
	}
}

// member compiles x['id'].
func (c *compiler) member(n *syntax.Element, id string, key value.Value, s *scope.Scope) expr {
	of := c.expression(n.Of, s)
	attribute, missing := c.isAttribute(id), c.absent(id)
	return func(f *frame) value.Value {
		v := of(f)
		if o, ok := v.(*value.Object); ok {
			if i := o.FindText(id); i >= 0 {
				return o.ValueAt(i)
			}
			if !attribute {
				return missing
			}
		}
		f.r.at = n.Offset()
		return f.r.Element(v, key)
	}
}

// isAttribute reports whether objects may have an attribute of that name.
func (c *compiler) isAttribute(id string) bool {
	return c.lib.Methods["dict"][id] != nil || strings.HasPrefix(id, "__")
}

func (c *compiler) slice(n *syntax.Slice, s *scope.Scope) expr {
	of := c.expression(n.Of, s)
	start, stop, step := c.optional(n.Start, s), c.optional(n.Stop, s), c.optional(n.Step, s)
	return func(f *frame) value.Value {
		v, a, b, by := of(f), start(f), stop(f), step(f)
		f.r.at = n.Offset()
		return f.r.Slice(v, a, b, by)
	}
}

// conditional compiles a if b else c. Without an else the value is undefined.
func (c *compiler) conditional(n *syntax.Conditional, s *scope.Scope) expr {
	defer c.branch()()
	then, test := c.expression(n.Then, s), c.expression(n.Test, s)
	var otherwise expr
	if n.Otherwise != nil {
		otherwise = c.expression(n.Otherwise, s)
	} else {
		otherwise = c.noElse(n)
	}
	return func(f *frame) value.Value {
		if value.Truth(test(f)) {
			return then(f)
		}
		return otherwise(f)
	}
}

// noElse compiles the missing else of a conditional expression.
func (c *compiler) noElse(n *syntax.Conditional) expr {
	line := strings.Count(c.source[:n.Offset()], "\n") + 1
	missing := &value.Undefined{Hint: "the inline if-expression on line " + strconv.Itoa(line) + " evaluated to false and no else section was defined."}
	return func(*frame) value.Value { return missing }
}

// list compiles […] and (…). Each evaluation makes a new list, which the template may change.
func (c *compiler) list(n *syntax.List, s *scope.Scope) expr {
	items := c.expressions(n.Items, s)
	return func(f *frame) value.Value {
		l := f.r.NewList(f.r.Take(len(items)))
		l.Tuple = n.Tuple
		for i, item := range items {
			l.Items[i] = item(f)
		}
		return l
	}
}

// object compiles {…}. Of duplicate keys the last value counts, in the place of the first.
func (c *compiler) object(n *syntax.Object, s *scope.Scope) expr {
	values := c.expressions(n.Values, s)
	if keys := recordKeys(n.Keys); keys != nil {
		return record(keys, values)
	}
	keys := c.expressions(n.Keys, s)
	return func(f *frame) value.Value {
		o := f.r.NewObject(len(keys))
		for i := range keys {
			k, v := keys[i](f), values[i](f)
			f.r.at = n.Offset()
			o.Put(&f.r.Heap, k, v)
		}
		return o
	}
}

// recordKeys returns the keys of an object if value.DistinctTexts accepts them, and nil otherwise.
func recordKeys(nodes []syntax.Node) []value.Value {
	keys := make([]value.Value, len(nodes))
	for i, n := range nodes {
		l, ok := n.(*syntax.Literal)
		if !ok {
			return nil
		}
		keys[i] = l.Value
	}
	if !value.DistinctTexts(keys) {
		return nil
	}
	return keys
}

// record compiles {…} with constant keys.
func record(keys []value.Value, values []expr) expr {
	return func(f *frame) value.Value {
		o := f.r.NewRecord(keys)
		for i, v := range values {
			o.SetAt(i, v(f))
		}
		return o
	}
}

// concatenation compiles ~, which joins its operands as strings.
func (c *compiler) concatenation(n *syntax.Concatenation, s *scope.Scope) expr {
	parts := c.expressions(n.Parts, s)
	return func(f *frame) value.Value {
		mark := len(f.r.scratch)
		for _, part := range parts {
			v := part(f)
			f.r.at = n.Offset()
			f.r.scratch = append(f.r.scratch, f.r.Str(v))
		}
		return value.String(f.r.joined(mark))
	}
}
