package jinja

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/scope"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// capture compiles {% set x %}…{% endset %}.
func (c *compiler) capture(n *syntax.SetBlock, s *scope.Scope) step {
	inside := s.NewBlock()
	inside.Analyze(n.Body...)
	inside.Analyze(n.Filters()...)
	var take func(*frame, int) value.Value
	c.inScope(func() { take = c.taken(n.Filter, inside) })
	run, assign := c.block(n.Body, inside), c.assign(n.Target, s)
	return func(f *frame) signal {
		mark := len(f.r.out)
		if to := run(f); to != proceed {
			f.r.drop(mark)
			return to
		}
		assign(f, take(f, mark))
		return proceed
	}
}

// block compiles a body that has a scope of its own in the same function.
func (c *compiler) block(nodes []syntax.Node, s *scope.Scope) step {
	enter := c.entry(s)
	var run step
	c.inScope(func() { run = c.body(nodes, s) })
	return func(f *frame) signal {
		enter(f)
		return run(f)
	}
}

// taken compiles the value of a captured block: its filtered text.
func (c *compiler) taken(chain *syntax.Filter, s *scope.Scope) func(f *frame, mark int) value.Value {
	if chain == nil {
		return func(f *frame, mark int) value.Value { return value.String(f.r.taken(mark)) }
	}
	slot := s.Function.NewSlot()
	apply := c.expression(onCaptured(chain, slot), s)
	return func(f *frame, mark int) value.Value {
		f.slots[slot] = value.String(f.r.taken(mark))
		return apply(f)
	}
}

// slotOf is an expression that reads a slot: the text of a captured block.
type slotOf struct {
	syntax.Pos
	slot int
}

// onCaptured returns a chain of filters that starts with the captured text.
func onCaptured(chain *syntax.Filter, slot int) *syntax.Filter {
	f := *chain
	if f.Of == nil {
		f.Of = &slotOf{chain.Pos, slot}
		return &f
	}
	f.Of = onCaptured(f.Of.(*syntax.Filter), slot)
	return &f
}

func (c *compiler) filterBlock(n *syntax.FilterBlock, s *scope.Scope) step {
	inside := s.NewBlock()
	inside.Analyze(n.Body...)
	inside.Visit(n.Filter)
	var take func(*frame, int) value.Value
	c.inScope(func() { take = c.taken(n.Filter, inside) })
	run := c.block(n.Body, inside)
	return func(f *frame) signal {
		mark := len(f.r.out)
		if to := run(f); to != proceed {
			f.r.drop(mark)
			return to
		}
		f.r.write(f.r.Str(take(f, mark)))
		return proceed
	}
}
