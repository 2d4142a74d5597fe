package jinja

import (
	"math"
	"math/big"
)

// binary is a op b for the arithmetic operators.
func (r *render) binary(op string, a, b Value) Value {
	if x, ok := a.(integer); ok {
		if y, ok := b.(integer); ok {
			if v := smallIntegers(op, int64(x), int64(y)); v != nil {
				return v
			}
		}
	}
	if s, ok := str(a); ok && op == "%" {
		return asMarked(a, r.printf(s, b, a))
	}
	if r.tolerant {
		a, b = textForMissing(a), textForMissing(b)
	}
	mustExist(a, b)
	switch op {
	case "+":
		if v := r.concatenate(a, b); v != nil {
			return v
		}
	case "*":
		if v := r.repeat(a, b); v != nil {
			return v
		}
	}
	if v, ok := integers(r, op, a, b); ok {
		return v
	}
	x, xok := number(a)
	y, yok := number(b)
	if xok && yok {
		return floats(op, x, y)
	}
	throw("TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", op, a.class(), b.class())
	return nil
}

// textForMissing is an empty text in place of what is undefined.
func textForMissing(v Value) Value {
	if u, ok := v.(*undefined); ok && !u.unsafe {
		return text("")
	}
	return v
}

// concatenate is + of strings and of lists, or nil.
func (r *render) concatenate(a, b Value) Value {
	if x, ok := str(a); ok {
		y, ok := str(b)
		if !ok {
			throw("TypeError", "can only concatenate str (not \"%s\") to str", b.class())
		}
		return r.join2(a, b, x, y)
	}
	x, ok := a.(*list)
	if !ok {
		return nil
	}
	y, ok := b.(*list)
	if !ok || x.tuple != y.tuple {
		throw("TypeError", "can only concatenate %s (not \"%s\") to %s", a.class(), b.class(), a.class())
	}
	l := r.made(make([]Value, 0, len(x.items)+len(y.items)))
	r.growTimes(cap(l.items), 16)
	l.items = append(append(l.items, x.items...), y.items...)
	l.tuple = x.tuple
	return l
}

// join2 concatenates two strings; when one is marked safe, the other is escaped and the result is marked.
func (r *render) join2(a, b Value, x, y string) Value {
	_, marked := a.(markup)
	_, other := b.(markup)
	if marked != other {
		if marked {
			y = escape(r, y)
		} else {
			x = escape(r, x)
		}
	}
	r.grow(len(x) + len(y))
	if marked || other {
		return markup(x + y)
	}
	return text(x + y)
}

// repeat is * of a string or a list and a number, or nil.
func (r *render) repeat(a, b Value) Value {
	if isAnyInteger(a) {
		a, b = b, a
	}
	if !isAnyInteger(b) {
		return nil
	}
	if s, ok := str(a); ok {
		return asMarked(a, r.times(s, index(b)))
	}
	l, ok := a.(*list)
	if !ok {
		return nil
	}
	n := max(index(b), 0)
	r.growTimes(n, 16*len(l.items))
	out := make([]Value, 0, n*len(l.items))
	for range n {
		out = append(out, l.items...)
	}
	return &list{items: out, tuple: l.tuple, mutable: true}
}

// asMarked marks s as safe when like is.
func asMarked(like Value, s string) Value {
	if _, ok := like.(markup); ok {
		return markup(s)
	}
	return text(s)
}

// negative and positive are the unary operators.
func negative(v Value) Value {
	mustExist(v)
	switch v := v.(type) {
	case float:
		return -v
	case integer:
		if v != math.MinInt64 {
			return -v
		}
		return whole(new(big.Int).Neg(big.NewInt(int64(v))))
	case boolean, *bigInteger:
		n, _ := wide(v)
		return whole(new(big.Int).Neg(n))
	}
	throw("TypeError", "bad operand type for unary -: '%s'", v.class())
	return nil
}

func positive(v Value) Value {
	mustExist(v)
	switch v := v.(type) {
	case float, integer, *bigInteger:
		return v
	case boolean:
		return integerOf(v)
	}
	throw("TypeError", "bad operand type for unary +: '%s'", v.class())
	return nil
}
