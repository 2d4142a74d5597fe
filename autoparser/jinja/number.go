package jinja

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// bigInteger is an integer that does not fit 64 bits.
type bigInteger struct{ n *big.Int }

// maxBits bounds big integers; maxDigits is Python's own bound on writing them out.
const (
	maxBits   = 1 << 17
	maxDigits = 4300
)

// integerOf makes 1 of true and 0 of false.
func integerOf(b boolean) integer {
	if b {
		return 1
	}
	return 0
}

// small returns an integer of 64 bits; booleans are integers.
func small(v Value) (int64, bool) {
	switch v := v.(type) {
	case integer:
		return int64(v), true
	case boolean:
		return int64(integerOf(v)), true
	}
	return 0, false
}

// wide returns any integer.
func wide(v Value) (*big.Int, bool) {
	if v, ok := v.(*bigInteger); ok {
		return v.n, true
	}
	if n, ok := small(v); ok {
		return big.NewInt(n), true
	}
	return nil, false
}

// isAnyInteger reports whether wide accepts v.
func isAnyInteger(v Value) bool {
	switch v.(type) {
	case integer, boolean, *bigInteger:
		return true
	}
	return false
}

// number returns any number as a float.
func number(v Value) (float64, bool) {
	switch v := v.(type) {
	case float:
		return float64(v), true
	case *bigInteger:
		f, _ := new(big.Float).SetInt(v.n).Float64()
		if math.IsInf(f, 0) {
			throw("OverflowError", "int too large to convert to float")
		}
		return f, true
	}
	n, ok := small(v)
	return float64(n), ok
}

// whole makes a value of n, small where it fits.
func whole(n *big.Int) Value {
	if n.IsInt64() {
		return integer(n.Int64())
	}
	if n.BitLen() > maxBits {
		exceed("an integer has more than %d bits", maxBits)
	}
	return &bigInteger{n}
}

// index returns v as an int for lengths and positions; what is out of range stays far out of range.
func index(v Value) int {
	mustExist(v)
	if n, ok := small(v); ok {
		return int(max(min(n, math.MaxInt32), -math.MaxInt32))
	}
	if b, ok := v.(*bigInteger); ok {
		return b.n.Sign() * math.MaxInt32
	}
	throw("TypeError", "'%s' object cannot be interpreted as an integer", v.class())
	return 0
}

// integers applies an operator to two integers. ok is false when one of them is none.
func integers(r *render, op string, a, b Value) (v Value, ok bool) {
	x, xok := small(a)
	y, yok := small(b)
	if xok && yok {
		if v := smallIntegers(op, x, y); v != nil {
			return v, true
		}
	}
	p, pok := wide(a)
	q, qok := wide(b)
	if !pok || !qok {
		return nil, false
	}
	words := (p.BitLen() + q.BitLen()) / 64
	r.charge(1 + words*words/512)
	return wideIntegers(op, p, q), true
}

// smallIntegers returns nil where the result may not fit 64 bits.
func smallIntegers(op string, x, y int64) Value {
	switch op {
	case "+":
		if s := x + y; (s > x) == (y > 0) {
			return integer(s)
		}
	case "-":
		if d := x - y; (d < x) == (y > 0) {
			return integer(d)
		}
	case "*":
		if hi, lo := bits.Mul64(magnitude(x), magnitude(y)); hi == 0 && lo <= math.MaxInt64 {
			return integer(x * y)
		}
	case "//", "%":
		if y == 0 {
			throw("ZeroDivisionError", "integer division or modulo by zero")
		}
		if y == -1 {
			return nil
		}
		q, m := x/y, x%y
		if m != 0 && (m < 0) != (y < 0) {
			q, m = q-1, m+y
		}
		if op == "%" {
			return integer(m)
		}
		return integer(q)
	}
	return nil
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// wideIntegers computes with integers of any size.
func wideIntegers(op string, p, q *big.Int) Value {
	n := new(big.Int)
	switch op {
	case "+":
		return whole(n.Add(p, q))
	case "-":
		return whole(n.Sub(p, q))
	case "*":
		if p.BitLen()+q.BitLen() > maxBits+64 {
			exceed("an integer has more than %d bits", maxBits)
		}
		return whole(n.Mul(p, q))
	case "**":
		return power(p, q)
	}
	switch {
	case q.Sign() == 0 && op == "/":
		throw("ZeroDivisionError", "division by zero")
	case q.Sign() == 0:
		throw("ZeroDivisionError", "integer division or modulo by zero")
	}
	if op == "/" {
		return quotient(p, q)
	}
	m := new(big.Int)
	n.DivMod(p, q, m) // Euclidean: the remainder is not negative
	if m.Sign() != 0 && q.Sign() < 0 {
		n.Sub(n, big.NewInt(1))
		m.Add(m, q)
	}
	if op == "%" {
		return whole(m)
	}
	return whole(n)
}

// quotient is the true division of integers, correctly rounded.
func quotient(p, q *big.Int) Value {
	if p.IsInt64() && q.IsInt64() && magnitude(p.Int64()) < 1<<53 && magnitude(q.Int64()) < 1<<53 {
		return float(float64(p.Int64()) / float64(q.Int64()))
	}
	f, _ := new(big.Rat).SetFrac(p, q).Float64()
	if math.IsInf(f, 0) {
		throw("OverflowError", "integer division result too large for a float")
	}
	return float(f)
}

// power raises p to q. A negative exponent makes a float, as in Python.
func power(p, q *big.Int) Value {
	if q.Sign() < 0 {
		f, _ := number(whole(p))
		g, _ := number(whole(q))
		return floats("**", f, g)
	}
	if p.BitLen() > 1 && (!q.IsInt64() || q.Int64() > int64(maxBits/(p.BitLen()-1))) {
		exceed("an integer has more than %d bits", maxBits)
	}
	if p.BitLen() <= 1 && q.Sign() > 0 { // -1, 0 and 1, whatever the exponent
		if p.Sign() < 0 && q.Bit(0) == 0 {
			return integer(1)
		}
		return whole(p)
	}
	return whole(new(big.Int).Exp(p, q, nil))
}

// floats applies an operator to two floats.
func floats(op string, x, y float64) Value {
	switch op {
	case "+":
		return float(x + y)
	case "-":
		return float(x - y)
	case "*":
		return float(x * y)
	case "**":
		return floatPower(x, y)
	}
	if y == 0 {
		throw("ZeroDivisionError", "float division or modulo by zero")
	}
	switch op {
	case "/":
		return float(x / y)
	case "%":
		_, m := floatDivision(x, y)
		return float(m)
	}
	q, _ := floatDivision(x, y)
	return float(q)
}

// floatDivision is Python's divmod of floats: the remainder has the sign of the divisor.
func floatDivision(x, y float64) (quotient, remainder float64) {
	m := math.Mod(x, y)
	d := (x - m) / y
	switch {
	case m == 0:
		m = math.Copysign(0, y)
	case (y < 0) != (m < 0):
		m += y
		d--
	}
	if d == 0 {
		return math.Copysign(0, x/y), m
	}
	q := math.Floor(d)
	if d-q > 0.5 {
		q++
	}
	return q, m
}

// floatPower is ** of floats, which fails where the result is no float.
func floatPower(x, y float64) Value {
	if x == 0 && y < 0 {
		throw("ZeroDivisionError", "0.0 cannot be raised to a negative power")
	}
	p := math.Pow(x, y)
	switch {
	case math.IsNaN(p) && !math.IsNaN(x) && !math.IsNaN(y):
		throw("ValueError", "a negative number raised to a fractional power is a complex number, and those are not supported")
	case math.IsInf(p, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0):
		throw("OverflowError", "(34, 'Numerical result out of range')")
	}
	return float(p)
}

// compareNumbers orders two numbers exactly. ok is false when one is no number; ordered is false for NaN.
func compareNumbers(a, b Value) (order int, ordered, ok bool) {
	x, xok := small(a)
	y, yok := small(b)
	if xok && yok {
		return compareOrdered(x, y), true, true
	}
	f, fok := a.(float)
	g, gok := b.(float)
	switch {
	case fok && gok:
		return compareOrdered(f, g), !math.IsNaN(float64(f)) && !math.IsNaN(float64(g)), true
	case fok:
		if n, ok := wide(b); ok {
			order, ordered = compareFloat(float64(f), n)
			return order, ordered, true
		}
	case gok:
		if n, ok := wide(a); ok {
			order, ordered = compareFloat(float64(g), n)
			return -order, ordered, true
		}
	}
	p, pok := wide(a)
	q, qok := wide(b)
	if pok && qok {
		return p.Cmp(q), true, true
	}
	return 0, false, false
}

func compareOrdered[T int64 | float](x, y T) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// compareFloat compares without rounding the integer to a float.
func compareFloat(f float64, n *big.Int) (order int, ordered bool) {
	switch {
	case math.IsNaN(f):
		return 0, false
	case math.IsInf(f, 1):
		return 1, true
	case math.IsInf(f, -1):
		return -1, true
	}
	return new(big.Float).SetFloat64(f).Cmp(new(big.Float).SetInt(n)), true
}

// digits writes an integer out in base 10.
func (b *bigInteger) digits() string {
	if b.n.BitLen() > maxDigits*10/3 {
		if s := b.n.Text(10); len(strings.TrimPrefix(s, "-")) > maxDigits {
			throw("ValueError", "Exceeds the limit (%d digits) for integer string conversion", maxDigits)
		}
	}
	return b.n.Text(10)
}

// floatText is Python's repr of a float: the shortest digits that read back the same.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
