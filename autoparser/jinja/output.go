package jinja

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/scope"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// outputs compiles the printing of several expressions.
func (c *compiler) outputs(nodes []syntax.Node, s *scope.Scope) step {
	steps := make([]step, len(nodes))
	for i, n := range nodes {
		steps[i] = c.output(n, s)
	}
	return inOrder(steps)
}

// output compiles {{ … }}. Operands that are only joined to be printed are printed one by one.
func (c *compiler) output(n syntax.Node, s *scope.Scope) step {
	switch n := n.(type) {
	case *syntax.Concatenation:
		return c.outputs(n.Parts, s)
	case *syntax.Binary:
		if parts := sumOf(n); parts != nil {
			return c.outputSum(n, parts, s)
		}
	}
	of := c.expression(n, s)
	return c.written(n, func(f *frame) signal {
		f.r.print(of(f), n.Offset())
		return proceed
	})
}

// print writes the string of a value. at is its place.
func (r *render) print(v value.Value, at int) {
	switch v := v.(type) {
	case value.String:
		r.write(string(v))
	case *value.Undefined:
	default:
		r.at = at
		r.write(r.Str(v))
	}
}

// outputSum compiles the printing of a sum, whose strings are not joined first.
func (c *compiler) outputSum(n *syntax.Binary, parts []syntax.Node, s *scope.Scope) step {
	add := c.pieces(parts, s, n.Offset())
	return c.written(n, func(f *frame) signal {
		mark, total := add(f)
		if total != nil {
			f.r.print(total, n.Offset())
			return proceed
		}
		for i, text := range f.r.scratch[mark:] {
			from := len(f.r.out)
			f.r.write(text)
			if f.r.trace != nil {
				f.r.trace.note(f.r.out, from, c.origin(parts[i]))
			}
		}
		f.r.scratch = f.r.scratch[:mark]
		return proceed
	})
}
