package value

import (
	"math"
	"math/big"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
)

// Arithmetic is a op b for the arithmetic operators, except for % of strings.
func (h *Heap) Arithmetic(op string, a, b Value) Value {
	if x, ok := a.(Int); ok {
		if y, ok := b.(Int); ok {
			if v := smallIntegers(op, int64(x), int64(y)); v != nil {
				return v
			}
		}
	}
	if h.Tolerant {
		a, b = textForMissing(a), textForMissing(b)
	}
	MustExist(a, b)
	switch op {
	case "+":
		if v := h.concatenate(a, b); v != nil {
			return v
		}
	case "*":
		if v := h.repeat(a, b); v != nil {
			return v
		}
	}
	if v, ok := integers(h, op, a, b); ok {
		return v
	}
	x, xok := Float64(a)
	y, yok := Float64(b)
	if xok && yok {
		return floats(op, x, y)
	}
	failure.Throw("TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", op, a.Class(), b.Class())
	return nil
}

// textForMissing returns an empty string in place of an undefined value.
func textForMissing(v Value) Value {
	if u, ok := v.(*Undefined); ok && !u.Unsafe {
		return String("")
	}
	return v
}

// concatenate is + of strings and of lists. It returns nil for other operands.
func (h *Heap) concatenate(a, b Value) Value {
	if x, ok := Text(a); ok {
		y, ok := Text(b)
		if !ok {
			failure.Throw("TypeError", "can only concatenate str (not \"%s\") to str", b.Class())
		}
		return h.join2(a, b, x, y)
	}
	x, ok := a.(*List)
	if !ok {
		return nil
	}
	y, ok := b.(*List)
	if !ok || x.Tuple != y.Tuple {
		failure.Throw("TypeError", "can only concatenate %s (not \"%s\") to %s", a.Class(), b.Class(), a.Class())
	}
	l := h.NewList(make([]Value, 0, len(x.Items)+len(y.Items)))
	h.GrowTimes(cap(l.Items), 16)
	l.Items = append(append(l.Items, x.Items...), y.Items...)
	l.Tuple = x.Tuple
	return l
}

// join2 concatenates the strings x of a and y of b. If one is marked safe, the other is escaped and
// the result is marked.
func (h *Heap) join2(a, b Value, x, y string) Value {
	_, marked := a.(Markup)
	_, other := b.(Markup)
	if marked != other {
		if marked {
			y = Escape(h, y)
		} else {
			x = Escape(h, x)
		}
	}
	h.Grow(len(x) + len(y))
	if marked || other {
		return Markup(x + y)
	}
	return String(x + y)
}

// repeat is * of a string or a list and an integer. It returns nil for other operands.
func (h *Heap) repeat(a, b Value) Value {
	if IsAnyInteger(a) {
		a, b = b, a
	}
	if !IsAnyInteger(b) {
		return nil
	}
	if s, ok := Text(a); ok {
		return MarkedLike(a, h.Times(s, Index(b)))
	}
	l, ok := a.(*List)
	if !ok {
		return nil
	}
	n := max(Index(b), 0)
	h.GrowTimes(n, 16*len(l.Items))
	out := make([]Value, 0, n*len(l.Items))
	for range n {
		out = append(out, l.Items...)
	}
	return &List{Items: out, Tuple: l.Tuple, mutable: true}
}

// MarkedLike returns s, marked safe if like is.
func MarkedLike(like Value, s string) Value {
	if _, ok := like.(Markup); ok {
		return Markup(s)
	}
	return String(s)
}

// Negative is the unary operator -.
func Negative(v Value) Value {
	MustExist(v)
	switch v := v.(type) {
	case Float:
		return -v
	case Int:
		if v != math.MinInt64 {
			return -v
		}
		return IntOf(new(big.Int).Neg(big.NewInt(int64(v))))
	case Bool, *BigInt:
		n, _ := Big(v)
		return IntOf(new(big.Int).Neg(n))
	}
	failure.Throw("TypeError", "bad operand type for unary -: '%s'", v.Class())
	return nil
}

// Positive is the unary operator +.
func Positive(v Value) Value {
	MustExist(v)
	switch v := v.(type) {
	case Float, Int, *BigInt:
		return v
	case Bool:
		return integerOf(v)
	}
	failure.Throw("TypeError", "bad operand type for unary +: '%s'", v.Class())
	return nil
}
