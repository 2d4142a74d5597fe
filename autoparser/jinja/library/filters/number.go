package filters

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// absolute is the filter abs.
func absolute(_ *library.Env, in value.Value, _ library.Arguments) value.Value {
	if f, ok := in.(value.Float); ok {
		return value.Float(math.Abs(float64(f)))
	}
	n, ok := value.Big(in)
	if !ok {
		failure.Throw("TypeError", "bad operand type for abs(): '%s'", in.Class())
	}
	return value.IntOf(new(big.Int).Abs(n))
}

// intFilter converts to an integer, if necessary via a float. The argument default is for what
// cannot be converted.
func intFilter(e *library.Env, in value.Value, a library.Arguments) value.Value {
	value.MustExist(in)
	if s, ok := value.Text(in); ok {
		e.Scan(8 * len(s))
		if n := parseInt(s, value.Index(a.Values[1])); n != nil {
			return n
		}
		if f, ok := parseFloat(s); ok {
			return value.Truncate(f, a.Values[0])
		}
		return a.Values[0]
	}
	if f, ok := in.(value.Float); ok {
		if math.IsInf(float64(f), 0) {
			failure.Throw("OverflowError", "cannot convert float infinity to integer")
		}
		return value.Truncate(float64(f), a.Values[0])
	}
	if n, ok := value.Big(in); ok {
		return value.IntOf(n)
	}
	return a.Values[0]
}

// parseInt is Python's int(s, base). It returns nil for invalid numbers.
func parseInt(s string, base int) value.Value {
	if base != 0 && (base < 2 || base > 36) {
		return nil
	}
	s = strings.TrimFunc(s, pystr.IsSpace)
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || len(s) > value.MaxDigits {
		return nil
	}
	digits = withoutPrefix(digits, base)
	if base != 0 && (strings.HasPrefix(digits, "_") || strings.HasSuffix(digits, "_") || strings.Contains(digits, "__")) {
		return nil
	}
	if base != 0 {
		digits = strings.ReplaceAll(digits, "_", "")
	}
	n, ok := new(big.Int).SetString(asciiDigits(digits), base)
	if !ok || strings.ContainsAny(digits, "+-") {
		return nil
	}
	if strings.HasPrefix(s, "-") {
		n.Neg(n)
	}
	return value.IntOf(n)
}

// withoutPrefix removes 0x, 0o or 0b if it fits the base.
func withoutPrefix(digits string, base int) string {
	prefix := map[int]string{2: "0b", 8: "0o", 16: "0x"}[base]
	if prefix != "" && len(digits) > 2 && strings.EqualFold(digits[:2], prefix) {
		return strings.TrimPrefix(digits[2:], "_")
	}
	return digits
}

// asciiDigits replaces decimal digits of other scripts.
func asciiDigits(s string) string {
	if pystr.IsASCII(s) {
		return s
	}
	return strings.Map(func(c rune) rune {
		if c < 0x80 || !pystr.Every(string(c), pystr.IsDigit) {
			return c
		}
		zero := c
		for pystr.Every(string(zero-1), pystr.IsDigit) && c-zero < 9 {
			zero--
		}
		return '0' + (c - zero)
	}, s)
}

// parseFloat is Python's float(s).
func parseFloat(s string) (float64, bool) {
	s = asciiDigits(strings.TrimFunc(s, pystr.IsSpace))
	lowered := strings.ToLower(strings.TrimLeft(s, "+-"))
	if strings.HasPrefix(lowered, "0x") || strings.Contains(s, "__") || strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// floatFilter converts to a float. The argument default is for what cannot be converted.
func floatFilter(e *library.Env, in value.Value, a library.Arguments) value.Value {
	value.MustExist(in)
	if s, ok := value.Text(in); ok {
		e.Scan(8 * len(s))
		if f, ok := parseFloat(s); ok {
			return value.Float(f)
		}
		return a.Values[0]
	}
	if f, ok := value.Float64(in); ok {
		return value.Float(f)
	}
	return a.Values[0]
}

// round is the filter of that name.
func round(e *library.Env, in value.Value, a library.Arguments) value.Value {
	precision := value.Index(a.Values[0])
	switch method := e.Str(a.Values[1]); method {
	case "common":
		return rounded(in, precision)
	case "ceil", "floor":
		return roundedTo(e, in, precision, method)
	}
	failure.Throw("FilterArgumentError", "method must be common, ceil or floor")
	return nil
}

// rounded is Python's round(v, n), which rounds halves to even.
func rounded(in value.Value, precision int) value.Value {
	if f, ok := in.(value.Float); ok {
		return value.Float(roundFloat(float64(f), precision))
	}
	n, ok := value.Big(in)
	if !ok {
		failure.Throw("TypeError", "type %s doesn't define __round__ method", in.Class())
	}
	if precision >= 0 {
		return value.IntOf(n)
	}
	if -precision > value.MaxDigits {
		return value.Int(0)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-precision)), nil)
	quotient, rest := new(big.Int).DivMod(n, unit, new(big.Int))
	if order := rest.Lsh(rest, 1).Cmp(unit); order > 0 || order == 0 && quotient.Bit(0) == 1 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return value.IntOf(quotient.Mul(quotient, unit))
}

// roundFloat rounds the exact value of f, halves to even.
func roundFloat(f float64, precision int) float64 {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || precision > 323:
		return f
	case precision < -308:
		return math.Copysign(0, f)
	case precision >= 0:
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', precision, 64), 64)
		return rounded
	}
	exact, _ := new(big.Float).SetFloat64(f).Rat(nil)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-precision)), nil)
	scaled := new(big.Rat).Quo(exact, new(big.Rat).SetInt(unit))
	n, _ := new(big.Int).SetString(scaled.FloatString(0), 10)
	if new(big.Rat).Sub(new(big.Rat).SetInt(n), scaled).Cmp(big.NewRat(1, 2)) == 0 && n.Bit(0) == 1 {
		n.Sub(n, big.NewInt(1))
	}
	rounded, _ := new(big.Float).SetInt(n.Mul(n, unit)).Float64()
	return rounded
}

// roundedTo applies ceil or floor to value * 10**precision, and divides again.
func roundedTo(e *library.Env, in value.Value, precision int, method string) value.Value {
	unit := e.Arithmetic("**", value.Int(10), value.Int(precision))
	scaled := e.Arithmetic("*", in, unit)
	if f, ok := scaled.(value.Float); ok {
		cut := math.Floor(float64(f))
		if method == "ceil" {
			cut = math.Ceil(float64(f))
		}
		if math.IsNaN(cut) || math.IsInf(cut, 0) {
			failure.Throw("OverflowError", "cannot convert float infinity to integer")
		}
		scaled = value.Truncate(cut, value.Int(0))
	}
	return e.Arithmetic("/", scaled, unit)
}

// fileSize is the filter filesizeformat.
func fileSize(e *library.Env, in value.Value, a library.Arguments) value.Value {
	size, ok := value.Float64(floatFilter(e, in, library.Arguments{Values: []value.Value{value.None{}}}))
	if _, isText := value.Text(in); !ok && isText {
		failure.Throw("ValueError", "could not convert string to float: %s", value.Printed(in))
	}
	if !ok {
		failure.Throw("TypeError", "float() argument must be a string or a real number, not '%s'", in.Class())
	}
	base, units := 1000.0, []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	if value.Truth(a.Values[0]) {
		base, units = 1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	}
	switch {
	case size == 1:
		return value.String("1 Byte")
	case size < base:
		return value.String(strconv.FormatFloat(math.Trunc(size), 'f', 0, 64) + " Bytes")
	}
	unit := base * base
	for _, name := range units[:len(units)-1] {
		if size < unit {
			return value.String(strconv.FormatFloat(base*size/unit, 'f', 1, 64) + " " + name)
		}
		unit *= base
	}
	return value.String(strconv.FormatFloat(base*size/unit, 'f', 1, 64) + " " + units[len(units)-1])
}
