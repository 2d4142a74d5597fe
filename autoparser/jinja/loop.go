package jinja

// loop is the variable of that name inside a for block. What comes next is only fetched when it is asked for: the
// elements may depend on what the body does.
type loop struct {
	r       *render
	over    iterator
	index   int // from 0; -1 before the first
	known   int // number of elements, where it is known; -1 else
	current Value
	before  Value
	after   Value // fetched ahead, or nil
	depth   int   // of recursion, from 0
	again   func(r *render, over Value, depth int) Value
	changed []Value
	seen    bool // changed was called
}

// newLoop makes the loop variable of a loop over v; filtered elements have to be counted.
func newLoop(r *render, v Value, over iterator, filtered bool) *loop {
	r.grow(128)
	l := &loop{r: r, over: over, index: -1, known: -1}
	if !filtered && sized(v) {
		l.known = r.length(v)
	}
	return l
}

// advance moves to the next element.
func (l *loop) advance() (Value, bool) {
	v, ok := l.after, true
	if l.after = nil; v == nil {
		v, ok = l.over.step()
	}
	if !ok {
		return nil, false
	}
	l.index++
	l.before, l.current = l.current, v
	return v, true
}

// peek fetches the next element, or nil.
func (l *loop) peek() Value {
	if l.after == nil {
		l.after, _ = l.over.step()
	}
	return l.after
}

// length is the number of all elements; to know it the rest may have to be fetched.
func (l *loop) length() int {
	if l.known >= 0 {
		return l.known
	}
	var rest []Value
	for {
		v, ok := l.over.step()
		if !ok {
			break
		}
		l.r.charge(1)
		l.r.grow(16)
		rest = append(rest, v)
	}
	l.over = iterator{list: &list{items: rest}}
	l.known = len(rest) + l.index + 1
	if l.after != nil {
		l.known++
	}
	return l.known
}

// property is an attribute of the loop variable, or nil.
func (l *loop) property(name string) Value {
	switch name {
	case "index":
		return integer(l.index + 1)
	case "index0":
		return integer(l.index)
	case "first":
		return boolean(l.index == 0)
	case "last":
		return boolean(l.peek() == nil)
	case "length":
		return integer(l.length())
	case "revindex":
		return integer(l.length() - l.index)
	case "revindex0":
		return integer(l.length() - l.index - 1)
	case "depth":
		return integer(l.depth + 1)
	case "depth0":
		return integer(l.depth)
	case "previtem":
		if l.index == 0 {
			return &undefined{hint: "there is no previous item"}
		}
		return l.before
	case "nextitem":
		if v := l.peek(); v != nil {
			return v
		}
		return &undefined{hint: "there is no next item"}
	case "cycle":
		return &function{name: name, call: l.cycle}
	case "changed":
		return &function{name: name, call: l.hasChanged}
	}
	return nil
}

// cycle is loop.cycle.
func (l *loop) cycle(_ *render, a arguments) Value {
	if len(a.values) == 0 {
		throw("TypeError", "no items for cycling given")
	}
	return a.values[l.index%len(a.values)]
}

// hasChanged reports whether its arguments differ from those of the last call.
func (l *loop) hasChanged(r *render, a arguments) Value {
	if l.seen && r.equalLists(l.changed, a.values, 0) {
		return no
	}
	l.seen, l.changed = true, a.values
	return yes
}

// recurse is loop(…) inside a recursive for block.
func (l *loop) recurse(r *render, a arguments) Value {
	if l.again == nil {
		throw("TypeError", "The loop must have the 'recursive' marker to be called recursively.")
	}
	if len(a.values) != 1 || len(a.named) > 0 {
		throw("TypeError", "loop() takes exactly one argument")
	}
	return l.again(r, a.values[0], l.depth+1)
}

// forParts are the compiled parts of a for block.
type forParts struct {
	assign    func(*frame, Value)
	enter     func(*frame)
	body      step
	otherwise step                          // or nil
	filter    func(*frame) func(Value) bool // or nil
	loopSlot  int                           // -1 when the body does not use it
}

// forBlock compiles a loop. A recursive one is a function of its own, which the loop variable calls.
func (c *compiler) forBlock(n *forBlock, s *scope) step {
	over := c.expression(n.over, s)
	if !n.recursive {
		p := c.forParts(n, s)
		return func(f *frame) signal {
			v := over(f)
			f.r.at = n.offset()
			return p.run(f, v, 0, nil)
		}
	}
	outside := c.inLoop
	inside := s.function()
	p := c.forParts(n, inside)
	c.inLoop = outside
	return func(f *frame) signal {
		v := over(f)
		f.r.at = n.offset()
		f.r.write(f.r.str(p.recursion(f, inside.fn)(f.r, v, 0)))
		return proceed
	}
}

// recursion makes the function that a recursive loop calls for each level.
func (p *forParts) recursion(outer *frame, fn *functionScope) func(*render, Value, int) Value {
	var again func(r *render, over Value, depth int) Value
	again = func(r *render, over Value, depth int) Value {
		r.enter()
		defer r.leave()
		mark := len(r.out)
		p.run(fn.frame(outer, r), over, depth, again)
		return text(r.taken(mark))
	}
	return again
}

// forParts compiles the parts of a loop in the scope around it.
func (c *compiler) forParts(n *forBlock, s *scope) *forParts {
	p := &forParts{loopSlot: -1}
	inside := s.inner()
	if n.recursive || n.special && reads(n.body, "loop")["loop"] {
		p.loopSlot = inside.parameter("loop").slot
	}
	inside.parameters(n.target)
	inside.analyse(n.body...)
	p.filter = c.forFilter(n, s)
	p.assign, p.enter = c.assign(n.target, inside), c.entry(inside)
	outside := c.inLoop
	c.inLoop = true
	c.within(func() { p.body = c.body(n.body, inside) })
	c.inLoop = outside && !n.recursive
	if len(n.otherwise) > 0 {
		rest := s.inner()
		rest.analyse(n.otherwise...)
		p.otherwise = c.block(n.otherwise, rest)
	}
	return p
}

// forFilter compiles the condition of a for block. It has a scope of its own and is asked as the loop goes on.
func (c *compiler) forFilter(n *forBlock, s *scope) func(*frame) func(Value) bool {
	if n.test == nil {
		return nil
	}
	inside := s.inner()
	inside.parameters(n.target)
	inside.analyse(n.test)
	assign, enter := c.assign(n.target, inside), c.entry(inside)
	var test expr
	c.within(func() { test = c.expression(n.test, inside) })
	return func(f *frame) func(Value) bool {
		entered := false
		return func(v Value) bool {
			if !entered {
				enter(f)
				entered = true
			}
			f.r.charge(1)
			assign(f, v)
			return truth(test(f))
		}
	}
}

// run goes through v. As in Jinja2, the else part runs unless the body came to its end at least once.
func (p *forParts) run(f *frame, v Value, depth int, again func(*render, Value, int) Value) signal {
	r := f.r
	over := r.iterate(v)
	if p.filter != nil {
		over.keep = p.filter(f)
	}
	var l *loop
	if p.loopSlot >= 0 {
		l = newLoop(r, v, over, p.filter != nil)
		l.depth, l.again = depth, again
	}
	finished := false
	for {
		var x Value
		var ok bool
		if l != nil {
			x, ok = l.advance()
			f.slots[p.loopSlot] = l
		} else {
			x, ok = over.step()
		}
		if !ok {
			break
		}
		r.charge(1)
		p.assign(f, x)
		p.enter(f)
		to := p.body(f)
		if to == breakLoop {
			break
		}
		finished = finished || to == proceed
	}
	if p.otherwise != nil && !finished {
		return p.otherwise(f)
	}
	return proceed
}
