package jinja

// compiler turns the tree into closures.
type compiler struct {
	lib     *library
	names   map[string]int        // places of context variables
	missing map[string]*undefined // what absent made
	order   []string
	soft    bool // inside an if or a conditional expression, where unknown filters fail only when they run
	source  string
	inLoop  bool // break and continue have a loop in this function
}

// compileProgram compiles the body of a template.
func compileProgram(body []node, source string, lib *library) *program {
	c := &compiler{lib: lib, source: source, names: map[string]int{}, missing: map[string]*undefined{}}
	s := newScope(nil, &functionScope{})
	s.analyse(body...)
	enter, run := c.entry(s), c.body(body, s)
	functions := make([]Value, len(c.order))
	for i, id := range c.order {
		functions[i] = lib.functions[id]
	}
	return &program{fn: s.fn, names: c.order, functions: functions, lib: lib, run: func(f *frame) signal {
		enter(f)
		return run(f)
	}}
}

// body compiles statements that share a scope.
func (c *compiler) body(nodes []node, s *scope) step {
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
	return func(f *frame) signal {
		for _, run := range steps {
			if to := run(f); to != proceed {
				return to
			}
		}
		return proceed
	}
}

// statement compiles one statement in the scope that it stands in.
func (c *compiler) statement(n node, s *scope) step {
	switch n := n.(type) {
	case *data:
		return func(f *frame) signal { f.r.write(n.text); return proceed }
	case *output:
		if len(n.of) == 1 {
			return c.output(n.of[0], s)
		}
		return c.outputs(n.of, s)
	case *ifBlock:
		return c.ifBlock(n, s)
	case *forBlock:
		return c.forBlock(n, s)
	case *assignment:
		return c.assignment(n, s)
	case *capture:
		return c.capture(n, s)
	case *filterBlock:
		return c.filterBlock(n, s)
	case *macro:
		return c.macro(n, s)
	case *callBlock:
		return c.callBlock(n, s)
	case *withBlock:
		return c.withBlock(n, s)
	case *evaluation:
		of := c.expression(n.of, s)
		return func(f *frame) signal { of(f); return proceed }
	}
	return c.jump(n.(*jump))
}

// jump compiles break and continue.
func (c *compiler) jump(n *jump) step {
	if !c.inLoop {
		rejectAs("SyntaxError", n.offset(), "break and continue need a loop around them, in the same macro")
	}
	return func(*frame) signal { return n.to }
}

func (c *compiler) ifBlock(n *ifBlock, s *scope) step {
	defer c.softly()()
	if len(n.tests) == 1 {
		test, then, otherwise := c.expression(n.tests[0], s), c.body(n.bodies[0], s), c.body(n.otherwise, s)
		return func(f *frame) signal {
			if truth(test(f)) {
				return then(f)
			}
			return otherwise(f)
		}
	}
	tests := make([]expr, len(n.tests))
	bodies := make([]step, len(n.bodies))
	for i := range n.tests {
		tests[i], bodies[i] = c.expression(n.tests[i], s), c.body(n.bodies[i], s)
	}
	otherwise := c.body(n.otherwise, s)
	return func(f *frame) signal {
		for i, test := range tests {
			if truth(test(f)) {
				return bodies[i](f)
			}
		}
		return otherwise(f)
	}
}

// softly makes unknown filters a failure of the run until the returned function is called.
func (c *compiler) softly() func() {
	before := c.soft
	c.soft = true
	return func() { c.soft = before }
}

// within compiles in a scope of its own, where unknown filters fail at once.
func (c *compiler) within(f func()) {
	before := c.soft
	c.soft = false
	f()
	c.soft = before
}

func (c *compiler) assignment(n *assignment, s *scope) step {
	if t, ok := n.target.(*nameTarget); ok {
		value, v := c.expression(n.value, s), s.own(t.id)
		return func(f *frame) signal {
			f.slots[v.slot] = value(f)
			return proceed
		}
	}
	check := c.namespaces(n.target, s)
	value, assign := c.expression(n.value, s), c.assign(n.target, s)
	return func(f *frame) signal {
		check(f)
		assign(f, value(f))
		return proceed
	}
}

// namespaces compiles the check that what a target takes attributes of are namespaces.
func (c *compiler) namespaces(target node, s *scope) func(*frame) {
	var checks []func(*frame)
	var visit func(node)
	visit = func(n node) {
		t, ok := n.(*attributeTarget)
		if !ok {
			children(n, visit)
			return
		}
		of := c.reader(t.offset(), s, t.of.id)
		checks = append(checks, func(f *frame) {
			if _, ok := of(f).(*namespace); !ok {
				f.r.at = t.offset()
				throw("TemplateRuntimeError", "cannot assign attribute on non-namespace object")
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

// assign compiles the storing of a value.
func (c *compiler) assign(target node, s *scope) func(*frame, Value) {
	switch t := target.(type) {
	case *nameTarget:
		slot := s.own(t.id).slot
		return func(f *frame, v Value) { f.slots[slot] = v }
	case *attributeTarget:
		of, id := c.reader(t.offset(), s, t.of.id), Value(text(t.id))
		return func(f *frame, v Value) {
			attributes := of(f).(*namespace).attributes
			if i := attributes.findText(t.id); i >= 0 {
				attributes.values[i] = v
				return
			}
			f.r.grow(32)
			attributes.put(f.r, id, v)
		}
	}
	t := target.(*tupleTarget)
	parts := make([]func(*frame, Value), len(t.items))
	for i := range t.items {
		parts[i] = c.assign(t.items[i], s)
	}
	return func(f *frame, v Value) {
		f.r.at = t.offset()
		for i, x := range f.r.unpack(v, len(parts)) {
			parts[i](f, x)
		}
	}
}

// withBlock compiles {% with %}, whose values are computed outside of the scope that they open.
func (c *compiler) withBlock(n *withBlock, s *scope) step {
	inside := s.inner()
	for _, t := range n.targets {
		inside.parameters(t)
	}
	inside.analyse(n.body...)
	values := c.expressions(n.values, s)
	assign := make([]func(*frame, Value), len(n.targets))
	for i, t := range n.targets {
		assign[i] = c.assign(t, inside)
	}
	enter := c.entry(inside)
	var run step
	c.within(func() { run = c.body(n.body, inside) })
	return func(f *frame) signal {
		enter(f)
		for i := range assign {
			assign[i](f, values[i](f))
		}
		return run(f)
	}
}
