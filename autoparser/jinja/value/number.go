package value

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
)

// BigInt is an integer that does not fit 64 bits.
type BigInt struct{ n *big.Int }

// NewBigInt returns n as a value.
func NewBigInt(n *big.Int) *BigInt { return &BigInt{n} }

// maxBits limits big integers. MaxDigits is Python's own limit on converting them to decimal.
const (
	maxBits   = 1 << 17
	MaxDigits = 4300
)

// integerOf returns 1 for true and 0 for false.
func integerOf(b Bool) Int {
	if b {
		return 1
	}
	return 0
}

// Int64 returns an integer of 64 bits. Booleans are integers.
func Int64(v Value) (int64, bool) {
	switch v := v.(type) {
	case Int:
		return int64(v), true
	case Bool:
		return int64(integerOf(v)), true
	}
	return 0, false
}

// Big returns an integer of any size. Booleans are integers.
func Big(v Value) (*big.Int, bool) {
	if v, ok := v.(*BigInt); ok {
		return v.n, true
	}
	if n, ok := Int64(v); ok {
		return big.NewInt(n), true
	}
	return nil, false
}

// IsAnyInteger reports whether Big accepts v.
func IsAnyInteger(v Value) bool {
	switch v.(type) {
	case Int, Bool, *BigInt:
		return true
	}
	return false
}

// Float64 returns any number as a float.
func Float64(v Value) (float64, bool) {
	switch v := v.(type) {
	case Float:
		return float64(v), true
	case *BigInt:
		f, _ := new(big.Float).SetInt(v.n).Float64()
		if math.IsInf(f, 0) {
			failure.Throw("OverflowError", "int too large to convert to float")
		}
		return f, true
	}
	n, ok := Int64(v)
	return float64(n), ok
}

// IntOf returns n as an Int, or as a BigInt if it does not fit.
func IntOf(n *big.Int) Value {
	if n.IsInt64() {
		return Int(n.Int64())
	}
	if n.BitLen() > maxBits {
		failure.Exceed("an integer has more than %d bits", maxBits)
	}
	return &BigInt{n}
}

// Index converts v for use as a length or a position. What is out of range stays far out of range.
func Index(v Value) int {
	MustExist(v)
	if n, ok := Int64(v); ok {
		return int(max(min(n, math.MaxInt32), -math.MaxInt32))
	}
	if b, ok := v.(*BigInt); ok {
		return b.n.Sign() * math.MaxInt32
	}
	failure.Throw("TypeError", "'%s' object cannot be interpreted as an integer", v.Class())
	return 0
}

// integers applies an operator to two integers. ok is false if one operand is not an integer.
func integers(h *Heap, op string, a, b Value) (v Value, ok bool) {
	x, xok := Int64(a)
	y, yok := Int64(b)
	if xok && yok {
		if v := smallIntegers(op, x, y); v != nil {
			return v, true
		}
	}
	p, pok := Big(a)
	q, qok := Big(b)
	if !pok || !qok {
		return nil, false
	}
	words := (p.BitLen() + q.BitLen()) / 64
	h.Charge(1 + words*words/512)
	return wideIntegers(op, p, q), true
}

// smallIntegers applies an operator to integers of 64 bits. It returns nil if the result may not
// fit.
func smallIntegers(op string, x, y int64) Value {
	switch op {
	case "+":
		if s := x + y; (s > x) == (y > 0) {
			return Int(s)
		}
	case "-":
		if d := x - y; (d < x) == (y > 0) {
			return Int(d)
		}
	case "*":
		if hi, lo := bits.Mul64(magnitude(x), magnitude(y)); hi == 0 && lo <= math.MaxInt64 {
			return Int(x * y)
		}
	case "//", "%":
		if y == 0 {
			failure.Throw("ZeroDivisionError", "integer division or modulo by zero")
		}
		if y == -1 {
			return nil
		}
		q, m := x/y, x%y
		if m != 0 && (m < 0) != (y < 0) {
			q, m = q-1, m+y
		}
		if op == "%" {
			return Int(m)
		}
		return Int(q)
	}
	return nil
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// wideIntegers applies an operator to integers of any size.
func wideIntegers(op string, p, q *big.Int) Value {
	n := new(big.Int)
	switch op {
	case "+":
		return IntOf(n.Add(p, q))
	case "-":
		return IntOf(n.Sub(p, q))
	case "*":
		if p.BitLen()+q.BitLen() > maxBits+64 {
			failure.Exceed("an integer has more than %d bits", maxBits)
		}
		return IntOf(n.Mul(p, q))
	case "**":
		return power(p, q)
	}
	switch {
	case q.Sign() == 0 && op == "/":
		failure.Throw("ZeroDivisionError", "division by zero")
	case q.Sign() == 0:
		failure.Throw("ZeroDivisionError", "integer division or modulo by zero")
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
		return IntOf(m)
	}
	return IntOf(n)
}

// quotient is the true division of integers, correctly rounded.
func quotient(p, q *big.Int) Value {
	if p.IsInt64() && q.IsInt64() && magnitude(p.Int64()) < 1<<53 && magnitude(q.Int64()) < 1<<53 {
		return Float(float64(p.Int64()) / float64(q.Int64()))
	}
	f, _ := new(big.Rat).SetFrac(p, q).Float64()
	if math.IsInf(f, 0) {
		failure.Throw("OverflowError", "integer division result too large for a float")
	}
	return Float(f)
}

// power raises p to q. As in Python, a negative exponent yields a float.
func power(p, q *big.Int) Value {
	if q.Sign() < 0 {
		f, _ := Float64(IntOf(p))
		g, _ := Float64(IntOf(q))
		return floats("**", f, g)
	}
	if p.BitLen() > 1 && (!q.IsInt64() || q.Int64() > int64(maxBits/(p.BitLen()-1))) {
		failure.Exceed("an integer has more than %d bits", maxBits)
	}
	if p.BitLen() <= 1 && q.Sign() > 0 { // -1, 0 and 1, whatever the exponent
		if p.Sign() < 0 && q.Bit(0) == 0 {
			return Int(1)
		}
		return IntOf(p)
	}
	return IntOf(new(big.Int).Exp(p, q, nil))
}

// floats applies an operator to two floats.
func floats(op string, x, y float64) Value {
	switch op {
	case "+":
		return Float(x + y)
	case "-":
		return Float(x - y)
	case "*":
		return Float(x * y)
	case "**":
		return floatPower(x, y)
	}
	if y == 0 {
		failure.Throw("ZeroDivisionError", "float division or modulo by zero")
	}
	switch op {
	case "/":
		return Float(x / y)
	case "%":
		_, m := floatDivision(x, y)
		return Float(m)
	}
	q, _ := floatDivision(x, y)
	return Float(q)
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

// floatPower is ** of floats. It raises if the result is not a real number or overflows.
func floatPower(x, y float64) Value {
	if x == 0 && y < 0 {
		failure.Throw("ZeroDivisionError", "0.0 cannot be raised to a negative power")
	}
	p := math.Pow(x, y)
	switch {
	case math.IsNaN(p) && !math.IsNaN(x) && !math.IsNaN(y):
		failure.Throw("ValueError", "a negative number raised to a fractional power is a complex number, and those are not supported")
	case math.IsInf(p, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0):
		failure.Throw("OverflowError", "(34, 'Numerical result out of range')")
	}
	return Float(p)
}

// compareNumbers compares two numbers exactly. ok is false if one is not a number, ordered is false
// for NaN.
func compareNumbers(a, b Value) (order int, ordered, ok bool) {
	x, xok := Int64(a)
	y, yok := Int64(b)
	if xok && yok {
		return compareOrdered(x, y), true, true
	}
	f, fok := a.(Float)
	g, gok := b.(Float)
	switch {
	case fok && gok:
		return compareOrdered(f, g), !math.IsNaN(float64(f)) && !math.IsNaN(float64(g)), true
	case fok:
		if n, ok := Big(b); ok {
			order, ordered = compareFloat(float64(f), n)
			return order, ordered, true
		}
	case gok:
		if n, ok := Big(a); ok {
			order, ordered = compareFloat(float64(g), n)
			return -order, ordered, true
		}
	}
	p, pok := Big(a)
	q, qok := Big(b)
	if pok && qok {
		return p.Cmp(q), true, true
	}
	return 0, false, false
}

func compareOrdered[T int64 | Float](x, y T) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// compareFloat compares a float with an integer without rounding the integer.
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

// Digits returns the integer in decimal. It raises beyond MaxDigits, as Python does.
func (b *BigInt) Digits() string {
	if b.n.BitLen() > MaxDigits*10/3 {
		if s := b.n.Text(10); len(strings.TrimPrefix(s, "-")) > MaxDigits {
			failure.Throw("ValueError", "Exceeds the limit (%d digits) for integer string conversion", MaxDigits)
		}
	}
	return b.n.Text(10)
}

// FloatText is Python's repr of a float: the shortest digits that read back the same.
func FloatText(f float64) string {
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

// Truncate returns the integer part of f, or fallback if f is not finite.
func Truncate(f float64, fallback Value) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fallback
	}
	n, _ := big.NewFloat(f).Int(nil)
	return IntOf(n)
}

// Class implements Value.
func (*BigInt) Class() string { return "int" }
