package jinja

// macroParts are the compiled parts of a macro, or of the body of a call block.
type macroParts struct {
	name     string
	printed  string
	fn       *functionScope
	params   []string
	slots    []int // of the parameters
	defaults []expr
	enter    func(*frame)
	body     step
	caller   int // slot, or -1
	kwargs   int // slot, or -1
	varargs  int // slot, or -1
}

// macro compiles {% macro %}: it assigns a function to a name.
func (c *compiler) macro(n *macro, s *scope) step {
	p := c.macroParts(n.id, n.offset(), &n.signature, n.body, s)
	slot := s.names[n.id].variable.slot
	return func(f *frame) signal {
		f.slots[slot] = p.value(f)
		return proceed
	}
}

// value makes the macro itself, which remembers the frame where it was defined.
func (p *macroParts) value(f *frame) *function {
	f.r.grow(64)
	return &function{name: p.name, printed: p.printed, macro: p, call: func(r *render, a arguments) Value {
		return p.call(f, r, a)
	}}
}

// property is an attribute of a macro, or nil.
func (p *macroParts) property(name string) Value {
	switch name {
	case "name":
		return text(p.name)
	case "arguments":
		names := make([]Value, len(p.params))
		for i, id := range p.params {
			names[i] = text(id)
		}
		return tuple(names...)
	case "caller":
		return boolean(p.caller >= 0)
	case "catch_kwargs":
		return boolean(p.kwargs >= 0)
	case "catch_varargs":
		return boolean(p.varargs >= 0)
	}
	return nil
}

// callerKey is the name by which a macro finds the body of a call block.
const callerKey = text("caller")

// callBlock compiles {% call %}, whose body is a macro named caller, and {% generation %}, which prints its body.
func (c *compiler) callBlock(n *callBlock, s *scope) step {
	p := c.macroParts("caller", n.offset(), &n.signature, n.body, s)
	if n.call == nil {
		return func(f *frame) signal {
			f.r.write(f.r.str(p.call(f, f.r, arguments{})))
			return proceed
		}
	}
	invoke := c.call(n.call, s, true)
	slot := s.fn.slots // where the call finds the body
	s.fn.slots++
	return func(f *frame) signal {
		f.slots[slot] = p.value(f)
		v := invoke(f, binding{"caller", callerKey, f.slots[slot]})
		f.r.at = n.offset()
		f.r.write(f.r.str(v))
		return proceed
	}
}

// macroParts compiles a macro. Its body is a function: it sees the variables around it as they are when it runs.
func (c *compiler) macroParts(id string, at int, sig *signature, body []node, s *scope) *macroParts {
	inside := s.function()
	p := &macroParts{name: id, printed: "<Macro " + quote(id) + ">", fn: inside.fn, caller: -1, kwargs: -1, varargs: -1}
	for _, param := range sig.params {
		p.params = append(p.params, param.id)
		p.slots = append(p.slots, inside.parameter(param.id).slot)
	}
	p.special(at, sig, body, inside)
	inside.analyse(sig.defaults...)
	inside.analyse(body...)
	loops := c.inLoop
	c.inLoop = false
	c.within(func() {
		p.enter = c.entry(inside)
		p.defaults = c.expressions(sig.defaults, inside)
		p.body = c.body(body, inside)
	})
	c.inLoop = loops
	return p
}

// special declares caller, kwargs and varargs, where the body uses them and no parameter has that name.
func (p *macroParts) special(at int, sig *signature, body []node, inside *scope) {
	if !sig.special {
		return
	}
	used := reads(body, "caller", "kwargs", "varargs")
	declare := func(id string, slot *int) {
		if used[id] && p.param(id) < 0 {
			*slot = inside.parameter(id).slot
		}
	}
	if i := p.param("caller"); used["caller"] && i >= 0 && i < len(p.params)-len(sig.defaults) {
		rejectAs("TemplateAssertionError", at, `When defining macros or call blocks the special "caller" argument must be omitted or be given a default.`)
	}
	declare("caller", &p.caller)
	declare("kwargs", &p.kwargs)
	declare("varargs", &p.varargs)
}

// param returns the position of a parameter, or -1.
func (p *macroParts) param(id string) int {
	for i, name := range p.params {
		if name == id {
			return i
		}
	}
	return -1
}

// call runs the macro and returns its text.
func (p *macroParts) call(outer *frame, r *render, a arguments) Value {
	r.enter()
	r.growTimes(p.fn.slots+4, 16)
	f := p.fn.frame(outer, r)
	p.bind(f, a)
	p.enter(f)
	for i, slot := range p.slots {
		if f.slots[slot] == nil {
			f.slots[slot] = p.fallback(f, i)
		}
	}
	mark := len(r.out)
	p.body(f)
	r.leave()
	return text(r.taken(mark))
}

// fallback is what a parameter that was not passed gets.
func (p *macroParts) fallback(f *frame, i int) Value {
	if d := i - (len(p.params) - len(p.defaults)); d >= 0 {
		return p.defaults[d](f)
	}
	return &undefined{hint: "parameter '" + p.params[i] + "' was not provided", name: text(p.params[i])}
}

// bind gives the parameters their arguments; what is left goes to varargs, kwargs and caller.
func (p *macroParts) bind(f *frame, a arguments) {
	given := min(len(a.values), len(p.params))
	for i := range given {
		f.slots[p.slots[i]] = a.values[i]
	}
	var rest *Object
	var caller Value
	for _, n := range a.named {
		i := p.param(n.name)
		switch {
		case i >= given:
			f.slots[p.slots[i]] = n.value
		case i < 0 && n.name == "caller" && p.caller >= 0:
			caller = n.value
		default:
			if rest == nil {
				rest = &Object{mutable: true}
			}
			rest.put(f.r, n.key, n.value)
		}
	}
	p.bindSpecial(f, a, given, rest, caller)
}

// bindSpecial sets caller, kwargs and varargs, or complains of what nobody takes.
func (p *macroParts) bindSpecial(f *frame, a arguments, given int, rest *Object, caller Value) {
	if p.caller >= 0 {
		if caller == nil || isNone(caller) {
			caller = &undefined{hint: "No caller defined", name: text("caller")}
		}
		f.slots[p.caller] = caller
	}
	switch {
	case p.kwargs >= 0 && rest == nil:
		f.slots[p.kwargs] = &Object{mutable: true}
	case p.kwargs >= 0:
		f.slots[p.kwargs] = rest
	case rest == nil:
	case rest.findText("caller") >= 0:
		throw("TypeError", "macro %s was invoked with two values for the special caller argument. This is most likely a bug.", quote(p.name))
	default:
		throw("TypeError", "macro %s takes no keyword argument %s", quote(p.name), printed(rest.keys[0]))
	}
	switch {
	case p.varargs >= 0:
		f.slots[p.varargs] = tuple(a.values[given:]...)
	case len(a.values) > given:
		throw("TypeError", "macro %s takes not more than %d argument(s)", quote(p.name), len(p.params))
	}
}
