package jinja

// outputs prints one expression after the other.
func (c *compiler) outputs(nodes []node, s *scope) step {
	steps := make([]step, len(nodes))
	for i, n := range nodes {
		steps[i] = c.output(n, s)
	}
	return inOrder(steps)
}

// output compiles {{ … }}. What is joined only to be printed is printed piece by piece.
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
