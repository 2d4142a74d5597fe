package jinja

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/scope"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// arguments compiles the arguments of a call, in the order in which Python evaluates them.
func (c *compiler) arguments(a *syntax.Arguments, s *scope.Scope) func(*frame) library.Arguments {
	if len(a.Values) == 0 && a.Spread == nil && a.More == nil {
		return func(*frame) library.Arguments { return library.Arguments{} }
	}
	values, n := c.expressions(a.Values, s), a.Positional()
	spread, more := c.optional(a.Spread, s), c.optional(a.More, s)
	keys := make([]value.Value, len(a.Names))
	for i, id := range a.Names {
		keys[i] = value.String(id)
	}
	return func(f *frame) library.Arguments {
		var out library.Arguments
		if n > 0 {
			out.Values = f.r.Take(n)
		}
		for i := range n {
			out.Values[i] = values[i](f)
		}
		if len(a.Names) > 0 {
			out.Named = make([]library.Binding, len(a.Names))
		}
		for i, id := range a.Names {
			out.Named[i] = library.Binding{Name: id, Key: keys[i], Value: values[n+i](f)}
		}
		if a.Spread != nil {
			out.Values = append(out.Values, f.r.Collect(spread(f))...)
		}
		if a.More != nil {
			out.Spread(&f.r.Env, more(f))
		}
		return out
	}
}

// boundArguments compiles the arguments of a builtin and binds them at compile time. Arguments that
// cannot be bound yet, or are wrong, are bound when the call runs.
func (c *compiler) boundArguments(b *library.Builtin, a *syntax.Arguments, s *scope.Scope) func(*frame) library.Arguments {
	if b == nil || len(a.Names) == 0 || a.Spread != nil || a.More != nil || b.Variadic || b.Keywords {
		return c.arguments(a, s)
	}
	values, places := c.expressions(a.Values, s), make([]int, len(a.Values))
	bound := make([]value.Value, len(b.Params))
	for i, p := range b.Params {
		bound[i] = p.Fallback
	}
	taken := map[int]bool{}
	for i := range places {
		if places[i] = i; i >= a.Positional() {
			places[i] = b.Place(a.Names[i-a.Positional()])
		}
		if places[i] < 0 || places[i] >= len(bound) || taken[places[i]] {
			return c.arguments(a, s)
		}
		taken[places[i]] = true
	}
	for i := range bound {
		if bound[i] == nil && !taken[i] {
			return c.arguments(a, s)
		}
	}
	return func(f *frame) library.Arguments {
		out := f.r.Take(len(bound))
		copy(out, bound)
		for i, place := range places {
			out[place] = values[i](f)
		}
		return library.Arguments{Values: out}
	}
}

// call compiles a call. If forward is set, the result passes its binding as a further argument.
func (c *compiler) call(n *syntax.Call, s *scope.Scope, forward bool) func(*frame, library.Binding) value.Value {
	args := c.arguments(&n.Args, s)
	collected := func(f *frame, extra library.Binding) library.Arguments {
		a := args(f)
		if forward {
			a.Named = append(a.Named, extra)
		}
		return a
	}
	if of, ok := n.Of.(*syntax.Attribute); ok {
		return c.callMethod(n, of, collected, s)
	}
	of := c.expression(n.Of, s)
	return func(f *frame, extra library.Binding) value.Value {
		v := of(f)
		a := collected(f, extra)
		f.r.at = n.Offset()
		return f.r.Call(v, a)
	}
}

// callMethod compiles x.id(…). It avoids making a bound method if it can.
func (c *compiler) callMethod(n *syntax.Call, of *syntax.Attribute, args func(*frame, library.Binding) library.Arguments, s *scope.Scope) func(*frame, library.Binding) value.Value {
	object := c.expression(of.Of, s)
	pick := c.lib.Picker(of.ID)
	return func(f *frame, extra library.Binding) value.Value {
		v := object(f)
		f.r.at = n.Offset()
		if m := pick(v); m != nil && m.Refused == "" && (!m.Changes || value.IsMutable(v)) {
			f.r.Charge(1)
			a := args(f, extra)
			f.r.at = n.Offset()
			return m.Apply(&f.r.Env, of.ID, v, a)
		}
		method := f.r.Attribute(v, of.ID)
		a := args(f, extra)
		f.r.at = n.Offset()
		return f.r.Call(method, a)
	}
}

func (c *compiler) filter(n *syntax.Filter, s *scope.Scope) expr {
	return c.applied("filter", n.ID, c.lib.Filters[n.ID], n.Of, &n.Args, s, n.Offset())
}

func (c *compiler) test(n *syntax.Test, s *scope.Scope) expr {
	return c.applied("test", n.ID, c.lib.Tests[n.ID], n.Of, &n.Args, s, n.Offset())
}

// applied compiles a filter or a test. An unknown one may be in a branch that never runs.
func (c *compiler) applied(kind, id string, b *library.Builtin, to syntax.Node, a *syntax.Arguments, s *scope.Scope, at int) expr {
	switch {
	case b == nil && !c.lenient:
		failure.RejectAs("TemplateAssertionError", at, "No %s named %s.", kind, pystr.Quote(id))
	case b != nil && b.Refused != "":
		failure.Reject(at, "the %s %s is not supported: %s", kind, id, b.Refused)
	}
	of, args := c.expression(to, s), c.boundArguments(b, a, s)
	return func(f *frame) value.Value {
		v, a := of(f), args(f)
		f.r.Charge(1)
		f.r.at = at
		return library.Known(kind, id, b).Apply(&f.r.Env, id, v, a)
	}
}
