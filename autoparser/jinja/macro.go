package jinja

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/scope"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// macroParts are the compiled parts of a macro, or of the body of a call block.
type macroParts struct {
	name     string
	printed  string
	fn       *scope.Function
	params   []string
	slots    []int // of the parameters
	defaults []expr
	enter    func(*frame)
	body     step
	caller   int // slot, or -1
	kwargs   int // slot, or -1
	varargs  int // slot, or -1
}

// macro compiles {% macro %}, which assigns a function to a name.
func (c *compiler) macro(n *syntax.Macro, s *scope.Scope) step {
	p := c.macroParts(n.ID, n.Offset(), &n.Signature, n.Body, s)
	slot := s.Own(n.ID).Slot
	return func(f *frame) signal {
		f.slots[slot] = p.value(f)
		return proceed
	}
}

// value returns the macro as a value, which refers to the frame where it is defined.
func (p *macroParts) value(f *frame) *library.Function {
	f.r.Grow(64)
	return &library.Function{Name: p.name, Printed: p.printed, Attributes: p.property, Call: func(_ *library.Env, a library.Arguments) value.Value {
		return p.call(f, a)
	}}
}

// property returns an attribute of a macro, or nil.
func (p *macroParts) property(name string) value.Value {
	switch name {
	case "name":
		return value.String(p.name)
	case "arguments":
		names := make([]value.Value, len(p.params))
		for i, id := range p.params {
			names[i] = value.String(id)
		}
		return value.TupleOf(names...)
	case "caller":
		return value.Bool(p.caller >= 0)
	case "catch_kwargs":
		return value.Bool(p.kwargs >= 0)
	case "catch_varargs":
		return value.Bool(p.varargs >= 0)
	}
	return nil
}

// callerKey is the name of the argument that holds the body of a call block.
const callerKey = value.String("caller")

// callBlock compiles {% call %}, whose body is a macro named caller, and {% generation %}, which prints its body.
func (c *compiler) callBlock(n *syntax.CallBlock, s *scope.Scope) step {
	p := c.macroParts("caller", n.Offset(), &n.Signature, n.Body, s)
	if n.Call == nil {
		return func(f *frame) signal {
			f.r.write(f.r.Str(p.call(f, library.Arguments{})))
			return proceed
		}
	}
	invoke := c.call(n.Call, s, true)
	slot := s.Function.NewSlot() // for the body
	return func(f *frame) signal {
		f.slots[slot] = p.value(f)
		v := invoke(f, library.Binding{Name: "caller", Key: callerKey, Value: f.slots[slot]})
		f.r.at = n.Offset()
		f.r.write(f.r.Str(v))
		return proceed
	}
}

// macroParts compiles a macro. Its body is a function that sees the current values of the variables
// around it.
func (c *compiler) macroParts(id string, at int, sig *syntax.Signature, body []syntax.Node, s *scope.Scope) *macroParts {
	inside := s.NewFunction()
	p := &macroParts{name: id, printed: "<Macro " + pystr.Quote(id) + ">", fn: inside.Function, caller: -1, kwargs: -1, varargs: -1}
	for _, param := range sig.Params {
		p.params = append(p.params, param.ID)
		p.slots = append(p.slots, inside.Parameter(param.ID).Slot)
	}
	p.special(at, sig, body, inside)
	inside.Analyze(sig.Defaults...)
	inside.Analyze(body...)
	loops := c.inLoop
	c.inLoop = false
	c.inScope(func() {
		p.enter = c.entry(inside)
		p.defaults = c.expressions(sig.Defaults, inside)
		p.body = c.body(body, inside)
	})
	c.inLoop = loops
	return p
}

// special declares caller, kwargs and varargs if the body uses them and no parameter has that name.
func (p *macroParts) special(at int, sig *syntax.Signature, body []syntax.Node, inside *scope.Scope) {
	if !sig.Special {
		return
	}
	used := syntax.Reads(body, "caller", "kwargs", "varargs")
	declare := func(id string, slot *int) {
		if used[id] && p.param(id) < 0 {
			*slot = inside.Parameter(id).Slot
		}
	}
	if i := p.param("caller"); used["caller"] && i >= 0 && i < len(p.params)-len(sig.Defaults) {
		failure.RejectAs("TemplateAssertionError", at, `When defining macros or call blocks the special "caller" argument must be omitted or be given a default.`)
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
func (p *macroParts) call(outer *frame, a library.Arguments) value.Value {
	r := outer.r
	r.Enter()
	r.GrowTimes(p.fn.Slots+4, 16)
	f := newFrame(p.fn, outer, r)
	p.bind(f, a)
	p.enter(f)
	for i, slot := range p.slots {
		if f.slots[slot] == nil {
			f.slots[slot] = p.fallback(f, i)
		}
	}
	mark := len(r.out)
	p.body(f)
	r.Leave()
	return value.String(r.taken(mark))
}

// fallback returns the value of a parameter without an argument.
func (p *macroParts) fallback(f *frame, i int) value.Value {
	if d := i - (len(p.params) - len(p.defaults)); d >= 0 {
		return p.defaults[d](f)
	}
	return &value.Undefined{Hint: "parameter '" + p.params[i] + "' was not provided", Name: value.String(p.params[i])}
}

// bind assigns arguments to parameters, and the rest to varargs, kwargs and caller.
func (p *macroParts) bind(f *frame, a library.Arguments) {
	given := min(len(a.Values), len(p.params))
	for i := range given {
		f.slots[p.slots[i]] = a.Values[i]
	}
	var rest *value.Object
	var caller value.Value
	for _, n := range a.Named {
		i := p.param(n.Name)
		switch {
		case i >= given:
			f.slots[p.slots[i]] = n.Value
		case i < 0 && n.Name == "caller" && p.caller >= 0:
			caller = n.Value
		default:
			if rest == nil {
				rest = f.r.NewObject(0)
			}
			rest.Put(&f.r.Heap, n.Key, n.Value)
		}
	}
	p.bindSpecial(f, a, given, rest, caller)
}

// bindSpecial sets caller, kwargs and varargs, and raises for arguments that are left.
func (p *macroParts) bindSpecial(f *frame, a library.Arguments, given int, rest *value.Object, caller value.Value) {
	if p.caller >= 0 {
		if caller == nil || value.IsNone(caller) {
			caller = &value.Undefined{Hint: "No caller defined", Name: value.String("caller")}
		}
		f.slots[p.caller] = caller
	}
	switch {
	case p.kwargs >= 0 && rest == nil:
		f.slots[p.kwargs] = f.r.NewObject(0)
	case p.kwargs >= 0:
		f.slots[p.kwargs] = rest
	case rest == nil:
	case rest.FindText("caller") >= 0:
		failure.Throw("TypeError", "macro %s was invoked with two values for the special caller argument. This is most likely a bug.", pystr.Quote(p.name))
	default:
		failure.Throw("TypeError", "macro %s takes no keyword argument %s", pystr.Quote(p.name), value.Printed(rest.KeyAt(0)))
	}
	switch {
	case p.varargs >= 0:
		f.slots[p.varargs] = value.TupleOf(a.Values[given:]...)
	case len(a.Values) > given:
		failure.Throw("TypeError", "macro %s takes not more than %d argument(s)", pystr.Quote(p.name), len(p.params))
	}
}
