package jinja

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/scope"
	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// binary compiles the arithmetic operators.
func (c *compiler) binary(n *syntax.Binary, s *scope.Scope) expr {
	if parts := sumOf(n); len(parts) > 2 {
		return c.sum(parts, s, n.Offset())
	}
	left, right := c.expression(n.Left, s), c.expression(n.Right, s)
	return func(f *frame) value.Value {
		a, b := left(f), right(f)
		f.r.Charge(1)
		f.r.at = n.Offset()
		return f.r.Binary(n.Op, a, b)
	}
}

// sumOf returns the operands of a + b + c, or nil for other operators.
func sumOf(n *syntax.Binary) []syntax.Node {
	if n.Op != "+" {
		return nil
	}
	if left, ok := n.Left.(*syntax.Binary); ok && left.Op == "+" {
		return append(sumOf(left), n.Right)
	}
	return []syntax.Node{n.Left, n.Right}
}

// sum adds from left to right. The strings at its start are joined at once.
func (c *compiler) sum(nodes []syntax.Node, s *scope.Scope, at int) expr {
	add := c.pieces(nodes, s, at)
	return func(f *frame) value.Value {
		mark, total := add(f)
		if total == nil {
			return value.String(f.r.joined(mark))
		}
		return total
	}
}

// pieces compiles a sum. If all operands are strings, it leaves them above mark in render.scratch;
// otherwise it returns the total.
func (c *compiler) pieces(nodes []syntax.Node, s *scope.Scope, at int) func(*frame) (mark int, total value.Value) {
	parts := c.expressions(nodes, s)
	return func(f *frame) (mark int, total value.Value) {
		r := f.r
		mark = len(r.scratch)
		for i, part := range parts {
			v := part(f)
			r.at = at
			r.Charge(1)
			t, ok := v.(value.String)
			switch {
			case ok && total == nil:
				r.scratch = append(r.scratch, string(t))
			case i == 0:
				total = v
			case total == nil:
				total = r.Arithmetic("+", value.String(r.joined(mark)), v)
			default:
				total = r.Arithmetic("+", total, v)
			}
		}
		return mark, total
	}
}

// comparison compiles a < b < c, which stops at the first comparison that is false.
func (c *compiler) comparison(n *syntax.Comparison, s *scope.Scope) expr {
	first, rest := c.expression(n.First, s), make([]expr, len(n.Rest))
	for i, op := range n.Ops {
		rest[i] = c.operand(op, n.Rest[i], s)
	}
	if len(rest) == 1 {
		op, second := n.Ops[0], rest[0]
		if op == "==" || op == "!=" {
			return c.equality(n.Offset(), op == "==", first, second)
		}
		return func(f *frame) value.Value {
			a, b := first(f), second(f)
			f.r.Charge(1)
			f.r.at = n.Offset()
			return value.Bool(f.r.Relate(op, a, b))
		}
	}
	return func(f *frame) value.Value {
		a := first(f)
		for i, op := range n.Ops {
			b := rest[i](f)
			f.r.Charge(1)
			f.r.at = n.Offset()
			if !f.r.Relate(op, a, b) {
				return value.False
			}
			a = b
		}
		return value.True
	}
}

// equality compiles == and !=, with a fast path for strings.
func (c *compiler) equality(at int, want bool, first, second expr) expr {
	return func(f *frame) value.Value {
		a, b := first(f), second(f)
		f.r.Charge(1)
		if x, ok := a.(value.String); ok {
			if y, ok := b.(value.String); ok {
				return value.Bool((x == y) == want)
			}
		}
		f.r.at = at
		return value.Bool(f.r.Equal(a, b) == want)
	}
}

// operand compiles the right side of a comparison. A list of constants after in is made once.
func (c *compiler) operand(op string, n syntax.Node, s *scope.Scope) expr {
	l, ok := n.(*syntax.List)
	if !ok || op != "in" && op != "not in" {
		return c.expression(n, s)
	}
	constants := &value.List{Tuple: l.Tuple}
	for _, item := range l.Items {
		constant, ok := item.(*syntax.Literal)
		if !ok {
			return c.expression(n, s)
		}
		constants.Items = append(constants.Items, constant.Value)
	}
	return func(*frame) value.Value { return constants }
}

// logical compiles and and or, which return the operand that decides.
func (c *compiler) logical(n *syntax.Logical, s *scope.Scope) expr {
	left, right := c.expression(n.Left, s), c.expression(n.Right, s)
	goOn := n.Op == "and"
	return func(f *frame) value.Value {
		if v := left(f); value.Truth(v) != goOn {
			return v
		}
		return right(f)
	}
}

// unary compiles not, + and -.
func (c *compiler) unary(n *syntax.Unary, s *scope.Scope) expr {
	if l, ok := n.Of.(*syntax.Literal); ok && n.Op == "-" && value.IsNumber(l.Value) {
		v := value.Negative(l.Value)
		return func(*frame) value.Value { return v }
	}
	of := c.expression(n.Of, s)
	apply := value.Negative
	switch n.Op {
	case "not":
		return func(f *frame) value.Value { return value.Bool(!value.Truth(of(f))) }
	case "+":
		apply = value.Positive
	}
	return func(f *frame) value.Value {
		v := of(f)
		f.r.at = n.Offset()
		return apply(v)
	}
}
