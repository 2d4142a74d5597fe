package jinja

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
	inside.visit(n.filter)
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
