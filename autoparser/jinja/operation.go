package jinja

// binary compiles the arithmetic operators.
func (c *compiler) binary(n *binary, s *scope) expr {
	if parts := sumOf(n); len(parts) > 2 {
		return c.sum(parts, s, n.offset())
	}
	left, right := c.expression(n.left, s), c.expression(n.right, s)
	return func(f *frame) Value {
		a, b := left(f), right(f)
		f.r.charge(1)
		f.r.at = n.offset()
		return f.r.binary(n.op, a, b)
	}
}

// sumOf flattens a + b + c.
func sumOf(n *binary) []node {
	if n.op != "+" {
		return nil
	}
	if left, ok := n.left.(*binary); ok && left.op == "+" {
		return append(sumOf(left), n.right)
	}
	return []node{n.left, n.right}
}

// sum adds from left to right; the strings at its start are joined in one go.
func (c *compiler) sum(nodes []node, s *scope, at int) expr {
	add := c.pieces(nodes, s, at)
	return func(f *frame) Value {
		mark, total := add(f)
		if total == nil {
			return text(f.r.joined(mark))
		}
		return total
	}
}

// pieces compiles a sum. If all its parts are strings it leaves them, unjoined, above a mark in the scratch of the
// rendering; otherwise it returns the total.
func (c *compiler) pieces(nodes []node, s *scope, at int) func(*frame) (mark int, total Value) {
	parts := c.expressions(nodes, s)
	return func(f *frame) (mark int, total Value) {
		r := f.r
		mark = len(r.scratch)
		for i, part := range parts {
			v := part(f)
			r.at = at
			r.charge(1)
			t, ok := v.(text)
			switch {
			case ok && total == nil:
				r.scratch = append(r.scratch, string(t))
			case i == 0:
				total = v
			case total == nil:
				total = r.binary("+", text(r.joined(mark)), v)
			default:
				total = r.binary("+", total, v)
			}
		}
		return mark, total
	}
}

// comparison compiles a < b < c, which stops at the first that does not hold.
func (c *compiler) comparison(n *comparison, s *scope) expr {
	first, rest := c.expression(n.first, s), make([]expr, len(n.rest))
	for i, op := range n.ops {
		rest[i] = c.operand(op, n.rest[i], s)
	}
	if len(rest) == 1 {
		op, second := n.ops[0], rest[0]
		if op == "==" || op == "!=" {
			return c.equality(n.offset(), op == "==", first, second)
		}
		return func(f *frame) Value {
			a, b := first(f), second(f)
			f.r.charge(1)
			f.r.at = n.offset()
			return boolean(f.r.relate(op, a, b))
		}
	}
	return func(f *frame) Value {
		a := first(f)
		for i, op := range n.ops {
			b := rest[i](f)
			f.r.charge(1)
			f.r.at = n.offset()
			if !f.r.relate(op, a, b) {
				return no
			}
			a = b
		}
		return yes
	}
}

// equality compiles == and !=, mostly of strings.
func (c *compiler) equality(at int, want bool, first, second expr) expr {
	return func(f *frame) Value {
		a, b := first(f), second(f)
		f.r.charge(1)
		if x, ok := a.(text); ok {
			if y, ok := b.(text); ok {
				return boolean((x == y) == want)
			}
		}
		f.r.at = at
		return boolean(f.r.equal(a, b) == want)
	}
}

// operand compiles the right side of a comparison. A list of constants that something is looked for in is made once.
func (c *compiler) operand(op string, n node, s *scope) expr {
	l, ok := n.(*listOf)
	if !ok || op != "in" && op != "not in" {
		return c.expression(n, s)
	}
	constants := &list{tuple: l.tuple}
	for _, item := range l.items {
		constant, ok := item.(*literal)
		if !ok {
			return c.expression(n, s)
		}
		constants.items = append(constants.items, constant.value)
	}
	return func(*frame) Value { return constants }
}

// logical compiles and and or, which return the operand that decided.
func (c *compiler) logical(n *logical, s *scope) expr {
	left, right := c.expression(n.left, s), c.expression(n.right, s)
	goOn := n.op == "and"
	return func(f *frame) Value {
		if v := left(f); truth(v) != goOn {
			return v
		}
		return right(f)
	}
}

// unary compiles not, + and -.
func (c *compiler) unary(n *unary, s *scope) expr {
	if l, ok := n.of.(*literal); ok && n.op == "-" && isNumber(l.value) {
		v := negative(l.value)
		return func(*frame) Value { return v }
	}
	of := c.expression(n.of, s)
	apply := negative
	switch n.op {
	case "not":
		return func(f *frame) Value { return boolean(!truth(of(f))) }
	case "+":
		apply = positive
	}
	return func(f *frame) Value {
		v := of(f)
		f.r.at = n.offset()
		return apply(v)
	}
}
