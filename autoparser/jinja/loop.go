package jinja

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/scope"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// forParts are the compiled parts of a for block.
type forParts struct {
	assign    func(*frame, value.Value)
	enter     func(*frame)
	body      step
	otherwise step                                // or nil
	filter    func(*frame) func(value.Value) bool // or nil
	loopSlot  int                                 // -1 if the body does not use it
}

// forBlock compiles a loop. A recursive one is a function of its own, which the loop variable
// calls.
func (c *compiler) forBlock(n *syntax.For, s *scope.Scope) step {
	over := c.expression(n.Over, s)
	if !n.Recursive {
		p := c.forParts(n, s)
		return func(f *frame) signal {
			v := over(f)
			f.r.at = n.Offset()
			return p.run(f, v, 0, nil)
		}
	}
	outside := c.inLoop
	inside := s.NewFunction()
	p := c.forParts(n, inside)
	c.inLoop = outside
	return c.written(n, func(f *frame) signal {
		v := over(f)
		f.r.at = n.Offset()
		f.r.write(f.r.Str(p.recursion(f, inside.Function)(v, 0)))
		return proceed
	})
}

// recursion returns the function that a recursive loop calls for each level.
func (p *forParts) recursion(outer *frame, fn *scope.Function) func(value.Value, int) value.Value {
	r := outer.r
	var again func(over value.Value, depth int) value.Value
	again = func(over value.Value, depth int) value.Value {
		r.Enter()
		defer r.Leave()
		mark := len(r.out)
		p.run(newFrame(fn, outer, r), over, depth, again)
		return value.String(r.taken(mark))
	}
	return again
}

// forParts compiles the parts of a loop in the scope around it.
func (c *compiler) forParts(n *syntax.For, s *scope.Scope) *forParts {
	p := &forParts{loopSlot: -1}
	inside := s.NewBlock()
	if n.Recursive || n.Special && syntax.Reads(n.Body, "loop")["loop"] {
		p.loopSlot = inside.Parameter("loop").Slot
	}
	inside.Parameters(n.Target)
	inside.Analyze(n.Body...)
	p.filter = c.forFilter(n, s)
	p.assign, p.enter = c.assign(n.Target, inside), c.entry(inside)
	outside := c.inLoop
	c.inLoop = true
	c.inScope(func() { p.body = c.body(n.Body, inside) })
	c.inLoop = outside && !n.Recursive
	if len(n.Otherwise) > 0 {
		rest := s.NewBlock()
		rest.Analyze(n.Otherwise...)
		p.otherwise = c.block(n.Otherwise, rest)
	}
	return p
}

// forFilter compiles the condition of a for block. It has a scope of its own and is evaluated as
// the loop proceeds.
func (c *compiler) forFilter(n *syntax.For, s *scope.Scope) func(*frame) func(value.Value) bool {
	if n.Test == nil {
		return nil
	}
	inside := s.NewBlock()
	inside.Parameters(n.Target)
	inside.Analyze(n.Test)
	assign, enter := c.assign(n.Target, inside), c.entry(inside)
	var test expr
	c.inScope(func() { test = c.expression(n.Test, inside) })
	return func(f *frame) func(value.Value) bool {
		entered := false
		return func(v value.Value) bool {
			if !entered {
				enter(f)
				entered = true
			}
			f.r.Charge(1)
			assign(f, v)
			return value.Truth(test(f))
		}
	}
}

// run iterates over v. As in Jinja2, the else part runs unless the body was completed at least
// once.
func (p *forParts) run(f *frame, v value.Value, depth int, again func(value.Value, int) value.Value) signal {
	r := f.r
	over := r.Iterate(v)
	if p.filter != nil {
		over = over.Filtered(p.filter(f))
	}
	var l *library.Loop
	if p.loopSlot >= 0 {
		l = library.NewLoop(&r.Heap, v, over, p.filter != nil)
		l.Depth, l.Again = depth, again
	}
	finished := false
	for {
		var x value.Value
		var ok bool
		if l != nil {
			x, ok = l.Advance()
			f.slots[p.loopSlot] = l
		} else {
			x, ok = over.Step()
		}
		if !ok {
			break
		}
		r.Charge(1)
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
