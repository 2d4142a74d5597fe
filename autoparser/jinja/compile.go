package jinja

// compiler turns the tree into closures.
type compiler struct {
	lib    *library
	names  map[string]int // places of context variables
	order  []string
	soft   bool // inside an if or a conditional expression, where unknown filters fail only when they run
	source string
	inLoop bool // break and continue have a loop in this function
}

// compileProgram compiles the body of a template.
func compileProgram(body []node, source string, lib *library) *program {
	c := &compiler{lib: lib, source: source, names: map[string]int{}}
	s := newScope(nil, &functionScope{})
	s.analyse(body...)
	enter, run := c.entry(s), c.body(body, s)
	return &program{fn: s.fn, names: c.order, lib: lib, run: func(f *frame) signal {
		enter(f)
		return run(f)
	}}
}

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
		if v := o.refs[id]; v != nil {
			return v, o.loads[v] == fromContext && !o.stores[id]
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
	for v, from := range s.loads {
		switch {
		case from == given, from == fromContext && !s.stores[v.id]:
		case from == unset:
			copies = append(copies, copyOf{v.slot, func(*frame) Value { return nil }})
		case from == fromOutside:
			copies = append(copies, copyOf{v.slot, c.reader(-1, s.outer(), v.id)})
		default:
			i := c.contextPlace(-1, v.id)
			copies = append(copies, copyOf{v.slot, func(f *frame) Value { return f.r.context[i] }})
		}
	}
	return func(f *frame) {
		for i := range copies {
			f.slots[copies[i].slot] = copies[i].from(f)
		}
	}
}

// outer returns a scope that sees what is around s, from inside the function of s.
func (s *scope) outer() *scope { return &scope{parent: s.parent, fn: s.fn} }

// body compiles statements that share a scope.
func (c *compiler) body(nodes []node, s *scope) step {
	steps := make([]step, len(nodes))
	for i, n := range nodes {
		steps[i] = c.statement(n, s)
	}
	if len(steps) == 1 {
		return steps[0]
	}
	return inOrder(steps)
}

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

func (c *compiler) outputs(nodes []node, s *scope) step {
	steps := make([]step, len(nodes))
	for i, n := range nodes {
		steps[i] = c.output(n, s)
	}
	return inOrder(steps)
}

func (c *compiler) output(n node, s *scope) step {
	switch n := n.(type) {
	case *concatenation:
		return c.outputs(n.parts, s)
	case *binary:
		if parts := sumOf(n); parts != nil {
			return c.outputSum(n, parts, s)
		}
	}
	of := c.expression(n, s)
	return func(f *frame) signal {
		f.r.print(of(f), n.offset())
		return proceed
	}
}

// print writes what a value prints as; at is its place.
func (r *render) print(v Value, at int) {
	switch v := v.(type) {
	case text:
		r.write(string(v))
	case *undefined:
	default:
		r.at = at
		r.write(r.str(v))
	}
}

// outputSum writes the strings of a sum one after the other, without joining them first.
func (c *compiler) outputSum(n *binary, parts []node, s *scope) step {
	add := c.pieces(parts, s, n.offset())
	return func(f *frame) signal {
		mark, total := add(f)
		if total != nil {
			f.r.print(total, n.offset())
			return proceed
		}
		for _, piece := range f.r.scratch[mark:] {
			f.r.write(piece)
		}
		f.r.scratch = f.r.scratch[:mark]
		return proceed
	}
}

func (c *compiler) jump(n *jump) step {
	if !c.inLoop {
		rejectAs("SyntaxError", n.offset(), "break and continue need a loop around them, in the same macro")
	}
	return func(*frame) signal { return n.to }
}

func (c *compiler) ifBlock(n *ifBlock, s *scope) step {
	defer c.softly()()
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

// capture compiles {% set x %}…{% endset %}.
func (c *compiler) capture(n *capture, s *scope) step {
	inside := s.inner()
	inside.analyse(n.body...)
	inside.analyse(n.filters()...)
	var take func(*frame, int) Value
	c.within(func() { take = c.taken(n.filter, inside) })
	run, assign := c.block(n.body, inside), c.assign(n.target, s)
	return func(f *frame) signal {
		mark := len(f.r.out)
		if to := run(f); to != proceed {
			f.r.out = f.r.out[:mark]
			return to
		}
		assign(f, take(f, mark))
		return proceed
	}
}

// block compiles a body with a scope of its own in the same function.
func (c *compiler) block(nodes []node, s *scope) step {
	enter := c.entry(s)
	var run step
	c.within(func() { run = c.body(nodes, s) })
	return func(f *frame) signal {
		enter(f)
		return run(f)
	}
}

// taken compiles the value of a captured block: its text, filtered.
func (c *compiler) taken(chain *filter, s *scope) func(f *frame, mark int) Value {
	if chain == nil {
		return func(f *frame, mark int) Value { return text(f.r.taken(mark)) }
	}
	slot := s.fn.slots
	s.fn.slots++
	apply := c.expression(onCaptured(chain, slot), s)
	return func(f *frame, mark int) Value {
		f.slots[slot] = text(f.r.taken(mark))
		return apply(f)
	}
}

// slotOf reads a slot: the text that a block captured.
type slotOf struct {
	place
	slot int
}

// onCaptured returns the chain of filters with the captured text at its start.
func onCaptured(chain *filter, slot int) *filter {
	f := *chain
	if f.of == nil {
		f.of = &slotOf{chain.place, slot}
		return &f
	}
	f.of = onCaptured(f.of.(*filter), slot)
	return &f
}

func (c *compiler) filterBlock(n *filterBlock, s *scope) step {
	inside := s.inner()
	inside.analyse(n.body...)
	inside.note(n.filter)
	var take func(*frame, int) Value
	c.within(func() { take = c.taken(n.filter, inside) })
	run := c.block(n.body, inside)
	return func(f *frame) signal {
		mark := len(f.r.out)
		if to := run(f); to != proceed {
			f.r.out = f.r.out[:mark]
			return to
		}
		f.r.write(f.r.str(take(f, mark)))
		return proceed
	}
}

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
