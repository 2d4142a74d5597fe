package jinja

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/scope"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// compiler translates the tree to closures.
type compiler struct {
	lib     *library.Library
	names   map[string]int              // places of context variables
	missing map[string]*value.Undefined // results of absent, by name
	order   []string                    // names of context variables, by place
	lenient bool                        // inside an if or a conditional expression, where unknown filters fail at run time
	source  string
	inLoop  bool // there is a loop around in this function
	traced  bool // see Traced
}

func newCompiler(source string, lib *library.Library) *compiler {
	return &compiler{lib: lib, source: source, names: map[string]int{}, missing: map[string]*value.Undefined{}}
}

// program compiles the body of a template.
func (c *compiler) program(body []syntax.Node) *program {
	s := scope.New(nil, &scope.Function{})
	s.Analyze(body...)
	p := &program{fn: s.Function, lib: c.lib, enter: c.entry(s), slots: s.Slots()}
	for _, n := range body {
		p.steps = append(p.steps, c.statement(n, s))
	}
	p.names, p.functions = c.order, make([]value.Value, len(c.order))
	for i, id := range c.order {
		p.functions[i] = c.lib.Functions[id]
	}
	return p
}

// body compiles statements that share a scope.
func (c *compiler) body(nodes []syntax.Node, s *scope.Scope) step {
	switch len(nodes) {
	case 0:
		return func(*frame) signal { return proceed }
	case 1:
		return c.statement(nodes[0], s)
	}
	steps := make([]step, len(nodes))
	for i, n := range nodes {
		steps[i] = c.statement(n, s)
	}
	return inOrder(steps)
}

// inOrder runs steps until one of them jumps.
func inOrder(steps []step) step {
	return func(f *frame) signal { return run(steps, f) }
}

// statement compiles one statement.
func (c *compiler) statement(n syntax.Node, s *scope.Scope) step {
	switch n := n.(type) {
	case *syntax.Data:
		return c.written(n, func(f *frame) signal { f.r.write(n.Text); return proceed })
	case *syntax.Output:
		if len(n.Of) == 1 {
			return c.output(n.Of[0], s)
		}
		return c.outputs(n.Of, s)
	case *syntax.If:
		return c.ifBlock(n, s)
	case *syntax.For:
		return c.forBlock(n, s)
	case *syntax.Set:
		return c.assignment(n, s)
	case *syntax.SetBlock:
		return c.capture(n, s)
	case *syntax.FilterBlock:
		return c.written(n, c.filterBlock(n, s))
	case *syntax.Macro:
		return c.macro(n, s)
	case *syntax.CallBlock:
		return c.written(n, c.callBlock(n, s))
	case *syntax.With:
		return c.withBlock(n, s)
	case *syntax.Do:
		of := c.expression(n.Of, s)
		return func(f *frame) signal { of(f); return proceed }
	}
	return c.jump(n.(*syntax.Jump))
}

// jump compiles break and continue.
func (c *compiler) jump(n *syntax.Jump) step {
	if !c.inLoop {
		failure.RejectAs("SyntaxError", n.Offset(), "break and continue need a loop around them, in the same macro")
	}
	to := continueLoop
	if n.Leaves {
		to = breakLoop
	}
	return func(*frame) signal { return to }
}

func (c *compiler) ifBlock(n *syntax.If, s *scope.Scope) step {
	defer c.branch()()
	if len(n.Tests) == 1 {
		test, then, otherwise := c.expression(n.Tests[0], s), c.body(n.Bodies[0], s), c.body(n.Otherwise, s)
		return func(f *frame) signal {
			if value.Truth(test(f)) {
				return then(f)
			}
			return otherwise(f)
		}
	}
	tests := make([]expr, len(n.Tests))
	bodies := make([]step, len(n.Bodies))
	for i := range n.Tests {
		tests[i], bodies[i] = c.expression(n.Tests[i], s), c.body(n.Bodies[i], s)
	}
	otherwise := c.body(n.Otherwise, s)
	return func(f *frame) signal {
		for i, test := range tests {
			if value.Truth(test(f)) {
				return bodies[i](f)
			}
		}
		return otherwise(f)
	}
}

// branch makes unknown filters fail at run time until the returned function is called.
func (c *compiler) branch() func() {
	before := c.lenient
	c.lenient = true
	return func() { c.lenient = before }
}

// inScope calls f in a scope of its own, where unknown filters fail at compile time.
func (c *compiler) inScope(f func()) {
	before := c.lenient
	c.lenient = false
	f()
	c.lenient = before
}

func (c *compiler) assignment(n *syntax.Set, s *scope.Scope) step {
	if t, ok := n.Target.(*syntax.NameTarget); ok {
		value, v := c.expression(n.Value, s), s.Own(t.ID)
		return func(f *frame) signal {
			f.slots[v.Slot] = value(f)
			return proceed
		}
	}
	check := c.namespaces(n.Target, s)
	value, assign := c.expression(n.Value, s), c.assign(n.Target, s)
	return func(f *frame) signal {
		check(f)
		assign(f, value(f))
		return proceed
	}
}

// namespaces compiles the check that the attributes in a target belong to namespaces.
func (c *compiler) namespaces(target syntax.Node, s *scope.Scope) func(*frame) {
	var checks []func(*frame)
	var visit func(syntax.Node)
	visit = func(n syntax.Node) {
		t, ok := n.(*syntax.AttributeTarget)
		if !ok {
			syntax.Children(n, visit)
			return
		}
		of := c.reader(t.Offset(), s, t.Of.ID)
		checks = append(checks, func(f *frame) {
			if attributesOf(f, of(f)) == nil {
				f.r.at = t.Offset()
				failure.Throw("TemplateRuntimeError", "cannot assign attribute on non-namespace object")
			}
		})
	}
	visit(target)
	return func(f *frame) {
		for _, check := range checks {
			check(f)
		}
	}
}

// attributesOf returns the attributes that a template may set: of namespaces and, in tolerant rendering, of objects, which are
// copies of those that the caller passed.
func attributesOf(f *frame, of value.Value) *value.Object {
	switch of := of.(type) {
	case *value.Namespace:
		return of.Attributes
	case *value.Object:
		if f.r.Tolerant && value.IsMutable(of) {
			return of
		}
	}
	return nil
}

// assign compiles the assignment of a value to a target.
func (c *compiler) assign(target syntax.Node, s *scope.Scope) func(*frame, value.Value) {
	switch t := target.(type) {
	case *syntax.NameTarget:
		slot := s.Own(t.ID).Slot
		return func(f *frame, v value.Value) { f.slots[slot] = v }
	case *syntax.AttributeTarget:
		of, id := c.reader(t.Offset(), s, t.Of.ID), value.Value(value.String(t.ID))
		return func(f *frame, v value.Value) {
			attributes := attributesOf(f, of(f))
			if i := attributes.FindText(t.ID); i >= 0 {
				attributes.SetAt(i, v)
				return
			}
			f.r.Grow(32)
			attributes.Put(&f.r.Heap, id, v)
		}
	}
	t := target.(*syntax.TupleTarget)
	parts := make([]func(*frame, value.Value), len(t.Items))
	for i := range t.Items {
		parts[i] = c.assign(t.Items[i], s)
	}
	return func(f *frame, v value.Value) {
		f.r.at = t.Offset()
		for i, x := range f.r.Unpack(v, len(parts)) {
			parts[i](f, x)
		}
	}
}

// withBlock compiles {% with %}, whose values are evaluated outside of its scope.
func (c *compiler) withBlock(n *syntax.With, s *scope.Scope) step {
	inside := s.NewBlock()
	for _, t := range n.Targets {
		inside.Parameters(t)
	}
	inside.Analyze(n.Body...)
	values := c.expressions(n.Values, s)
	assign := make([]func(*frame, value.Value), len(n.Targets))
	for i, t := range n.Targets {
		assign[i] = c.assign(t, inside)
	}
	enter := c.entry(inside)
	var run step
	c.inScope(func() { run = c.body(n.Body, inside) })
	return func(f *frame) signal {
		enter(f)
		for i := range assign {
			assign[i](f, values[i](f))
		}
		return run(f)
	}
}
