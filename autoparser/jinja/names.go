package jinja

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/scope"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// contextPlace returns the place of a context variable in render.context.
func (c *compiler) contextPlace(at int, id string) int {
	if i, ok := c.names[id]; ok {
		return i
	}
	if g := c.lib.Globals[id]; g != nil && g.Refused != "" {
		failure.Reject(at, "the function %s is not supported: %s", id, g.Refused)
	}
	i := len(c.order)
	c.names[id] = i
	c.order = append(c.order, id)
	return i
}

// reader compiles the reading of a variable. It returns nil for a missing one.
func (c *compiler) reader(at int, s *scope.Scope, id string) expr {
	v, context := s.LookUp(id)
	if context {
		i := c.contextPlace(at, id)
		return func(f *frame) value.Value { return f.r.context[i] }
	}
	i, up := v.Slot, s.Function.OutTo(v.Function)
	if up == 0 {
		return func(f *frame) value.Value { return f.slots[i] }
	}
	return func(f *frame) value.Value {
		for range up {
			f = f.outer
		}
		return f.slots[i]
	}
}

// entry compiles the initialization of the variables of a scope.
func (c *compiler) entry(s *scope.Scope) func(*frame) {
	type copyOf struct {
		slot int
		from expr
	}
	var copies []copyOf
	for v, from := range s.Entry() {
		switch from {
		case scope.Unset:
			copies = append(copies, copyOf{v.Slot, func(*frame) value.Value { return nil }})
		case scope.FromOutside:
			copies = append(copies, copyOf{v.Slot, c.reader(-1, s.Around(), v.ID)})
		default:
			i := c.contextPlace(-1, v.ID)
			copies = append(copies, copyOf{v.Slot, func(f *frame) value.Value { return f.r.context[i] }})
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
