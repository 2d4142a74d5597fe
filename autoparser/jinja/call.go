package jinja

// arguments compiles the arguments of a call, in the order in which Python evaluates them.
func (c *compiler) arguments(a *callArguments, s *scope) func(*frame) arguments {
	if len(a.values) == 0 && a.spread == nil && a.more == nil {
		return func(*frame) arguments { return arguments{} }
	}
	values, n := c.expressions(a.values, s), a.positional()
	spread, more := c.optional(a.spread, s), c.optional(a.more, s)
	keys := make([]Value, len(a.names))
	for i, id := range a.names {
		keys[i] = text(id)
	}
	return func(f *frame) arguments {
		var out arguments
		if n > 0 {
			out.values = f.r.take(n)
		}
		for i := range n {
			out.values[i] = values[i](f)
		}
		if len(a.names) > 0 {
			out.named = make([]binding, len(a.names))
		}
		for i, id := range a.names {
			out.named[i] = binding{id, keys[i], values[n+i](f)}
		}
		if a.spread != nil {
			out.values = append(out.values, f.r.collect(spread(f))...)
		}
		if a.more != nil {
			out.spread(f.r, more(f))
		}
		return out
	}
}

// boundArguments compiles the arguments of a builtin that is known, so that they need no binding when it runs. What cannot
// be bound now, or not at all, is left to then.
func (c *compiler) boundArguments(b *builtin, a *callArguments, s *scope) func(*frame) arguments {
	if b == nil || len(a.names) == 0 || a.spread != nil || a.more != nil || b.variadic || b.keywords {
		return c.arguments(a, s)
	}
	values, places := c.expressions(a.values, s), make([]int, len(a.values))
	bound := make([]Value, len(b.params))
	for i, p := range b.params {
		bound[i] = p.fallback
	}
	taken := map[int]bool{}
	for i := range places {
		if places[i] = i; i >= a.positional() {
			places[i] = b.place(a.names[i-a.positional()])
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
	return func(f *frame) arguments {
		out := f.r.take(len(bound))
		copy(out, bound)
		for i, place := range places {
			out[place] = values[i](f)
		}
		return arguments{values: out}
	}
}

// spread adds **v.
func (a *arguments) spread(r *render, v Value) {
	o, ok := v.(*Object)
	if !ok {
		mustExist(v)
		throw("TypeError", "argument after ** must be a mapping, not %s", v.class())
	}
	for i, k := range o.keys {
		id := needText(k, "keywords")
		for _, n := range a.named {
			if n.name == id {
				throw("TypeError", "got multiple values for keyword argument '%s'", id)
			}
		}
		r.grow(32)
		a.named = append(a.named, binding{id, k, o.values[i]})
	}
}

// call compiles a call. The extra argument of the result, if it has a name, is passed too.
func (c *compiler) call(n *call, s *scope, forward bool) func(*frame, binding) Value {
	args := c.arguments(&n.args, s)
	collected := func(f *frame, extra binding) arguments {
		a := args(f)
		if forward {
			a.named = append(a.named, extra)
		}
		return a
	}
	if of, ok := n.of.(*attributeOf); ok {
		return c.callMethod(n, of, collected, s)
	}
	of := c.expression(n.of, s)
	return func(f *frame, extra binding) Value {
		v := of(f)
		a := collected(f, extra)
		f.r.at = n.offset()
		return f.r.call(v, a)
	}
}

// callMethod compiles x.id(…), without making the bound method where it can.
func (c *compiler) callMethod(n *call, of *attributeOf, args func(*frame, binding) arguments, s *scope) func(*frame, binding) Value {
	object := c.expression(of.of, s)
	pick := c.lib.picker(of.id)
	return func(f *frame, extra binding) Value {
		v := object(f)
		f.r.at = n.offset()
		if m := pick(v); m != nil && m.refused == "" && (!m.changes || changeable(v)) {
			f.r.charge(1)
			a := args(f, extra)
			f.r.at = n.offset()
			return m.apply(f.r, of.id, v, a)
		}
		method := f.r.attribute(v, of.id)
		a := args(f, extra)
		f.r.at = n.offset()
		return f.r.call(method, a)
	}
}

// picker returns the function that finds the method of a name for a value.
func (l *library) picker(id string) func(Value) *builtin {
	ofStr, ofDict, ofList := l.methods["str"][id], l.methods["dict"][id], l.methods["list"][id]
	return func(v Value) *builtin {
		switch v := v.(type) {
		case text:
			return ofStr
		case *Object:
			return ofDict
		case *list:
			if !v.tuple {
				return ofList
			}
		case *namespace, *loop, *undefined:
			return nil
		}
		return l.methods[v.class()][id]
	}
}

// call is v(…).
func (r *render) call(v Value, a arguments) Value {
	r.charge(1)
	switch v := v.(type) {
	case *function:
		if v.method != nil {
			return v.method.apply(r, v.name, v.self, a)
		}
		return v.call(r, a)
	case *loop:
		return v.recurse(r, a)
	case *undefined:
		v.raise()
	}
	throw("TypeError", "'%s' object is not callable", v.class())
	return nil
}

func (c *compiler) filter(n *filter, s *scope) expr {
	return c.applied("filter", n.id, c.lib.filters[n.id], n.of, &n.args, s, n.offset())
}

func (c *compiler) test(n *test, s *scope) expr {
	return c.applied("test", n.id, c.lib.tests[n.id], n.of, &n.args, s, n.offset())
}

// applied compiles a filter or a test. One that is unknown may still be skipped when the template runs.
func (c *compiler) applied(kind, id string, b *builtin, to node, a *callArguments, s *scope, at int) expr {
	switch {
	case b == nil && !c.soft:
		rejectAs("TemplateAssertionError", at, "No %s named %s.", kind, quote(id))
	case b != nil && b.refused != "":
		reject(at, "the %s %s is not supported: %s", kind, id, b.refused)
	}
	of, args := c.expression(to, s), c.boundArguments(b, a, s)
	return func(f *frame) Value {
		v, a := of(f), args(f)
		f.r.charge(1)
		f.r.at = at
		return known(kind, id, b).apply(f.r, id, v, a)
	}
}

// named finds the filter or the test that another one is told to apply.
func named(kind, id string, among map[string]*builtin) *builtin {
	b := among[id]
	if b == nil {
		throw("TemplateRuntimeError", "No %s named %s.", kind, quote(id))
	}
	return b
}

// known raises when there is no filter or test of a name.
func known(kind, id string, b *builtin) *builtin {
	if b == nil {
		throw("TemplateRuntimeError", "No %s named %s found.", kind, quote(id))
	}
	return b
}
