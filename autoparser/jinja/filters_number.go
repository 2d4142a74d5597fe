package jinja

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// absolute is the filter abs.
func absolute(_ *render, in Value, _ arguments) Value {
	if f, ok := in.(float); ok {
		return float(math.Abs(float64(f)))
	}
	n, ok := wide(in)
	if !ok {
		throw("TypeError", "bad operand type for abs(): '%s'", in.class())
	}
	return whole(new(big.Int).Abs(n))
}

// intFilter converts to an integer, by way of a float if need be; default is for what cannot be converted.
func intFilter(_ *render, in Value, a arguments) Value {
	mustExist(in)
	if s, ok := str(in); ok {
		if n := parseInt(s, index(a.values[1])); n != nil {
			return n
		}
		if f, ok := parseFloat(s); ok {
			return truncated(f, a.values[0])
		}
		return a.values[0]
	}
	if f, ok := in.(float); ok {
		if math.IsInf(float64(f), 0) {
			throw("OverflowError", "cannot convert float infinity to integer")
		}
		return truncated(float64(f), a.values[0])
	}
	if n, ok := wide(in); ok {
		return whole(n)
	}
	return a.values[0]
}

// truncated is the integer part of f.
func truncated(f float64, fallback Value) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fallback
	}
	n, _ := big.NewFloat(f).Int(nil)
	return whole(n)
}

// parseInt is Python's int(s, base), or nil.
func parseInt(s string, base int) Value {
	if base != 0 && (base < 2 || base > 36) {
		return nil
	}
	s = strings.TrimFunc(s, space)
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || len(s) > maxDigits {
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
	return whole(n)
}

// withoutPrefix takes 0x and its kin off, where they fit the base.
func withoutPrefix(digits string, base int) string {
	prefix := map[int]string{2: "0b", 8: "0o", 16: "0x"}[base]
	if prefix != "" && len(digits) > 2 && strings.EqualFold(digits[:2], prefix) {
		return strings.TrimPrefix(digits[2:], "_")
	}
	return digits
}

// asciiDigits replaces the decimal digits of other scripts.
func asciiDigits(s string) string {
	if isASCII(s) {
		return s
	}
	return strings.Map(func(c rune) rune {
		if c < 0x80 || !every(string(c), digit) {
			return c
		}
		zero := c
		for every(string(zero-1), digit) && c-zero < 9 {
			zero--
		}
		return '0' + (c - zero)
	}, s)
}

// parseFloat is Python's float(s).
func parseFloat(s string) (float64, bool) {
	s = asciiDigits(strings.TrimFunc(s, space))
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

// floatFilter converts to a float; default is for what cannot be converted.
func floatFilter(_ *render, in Value, a arguments) Value {
	mustExist(in)
	if s, ok := str(in); ok {
		if f, ok := parseFloat(s); ok {
			return float(f)
		}
		return a.values[0]
	}
	if f, ok := number(in); ok {
		return float(f)
	}
	return a.values[0]
}

// round is the filter of that name.
func round(r *render, in Value, a arguments) Value {
	precision := index(a.values[0])
	switch method := r.str(a.values[1]); method {
	case "common":
		return rounded(in, precision)
	case "ceil", "floor":
		return roundedTo(r, in, precision, method)
	}
	throw("FilterArgumentError", "method must be common, ceil or floor")
	return nil
}

// rounded is Python's round(v, n): to even where both neighbours are equally near.
func rounded(in Value, precision int) Value {
	if f, ok := in.(float); ok {
		return float(roundFloat(float64(f), precision))
	}
	n, ok := wide(in)
	if !ok {
		throw("TypeError", "type %s doesn't define __round__ method", in.class())
	}
	if precision >= 0 {
		return whole(n)
	}
	if -precision > maxDigits {
		return integer(0)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-precision)), nil)
	quotient, rest := new(big.Int).DivMod(n, unit, new(big.Int))
	if order := rest.Lsh(rest, 1).Cmp(unit); order > 0 || order == 0 && quotient.Bit(0) == 1 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return whole(quotient.Mul(quotient, unit))
}

// roundFloat rounds the exact value of f, to even where it lies in the middle.
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

// roundedTo is ceil or floor of value * 10**precision, divided again.
func roundedTo(r *render, in Value, precision int, method string) Value {
	unit := r.binary("**", integer(10), integer(precision))
	scaled := r.binary("*", in, unit)
	if f, ok := scaled.(float); ok {
		cut := math.Floor(float64(f))
		if method == "ceil" {
			cut = math.Ceil(float64(f))
		}
		if math.IsNaN(cut) || math.IsInf(cut, 0) {
			throw("OverflowError", "cannot convert float infinity to integer")
		}
		scaled = truncated(cut, integer(0))
	}
	return r.binary("/", scaled, unit)
}

// fileSize is the filter filesizeformat.
func fileSize(r *render, in Value, a arguments) Value {
	size, ok := number(floatFilter(r, in, arguments{values: []Value{none{}}}))
	if _, isText := str(in); !ok && isText {
		throw("ValueError", "could not convert string to float: %s", printed(in))
	}
	if !ok {
		throw("TypeError", "float() argument must be a string or a real number, not '%s'", in.class())
	}
	base, units := 1000.0, []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	if truth(a.values[0]) {
		base, units = 1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	}
	switch {
	case size == 1:
		return text("1 Byte")
	case size < base:
		return text(strconv.FormatFloat(math.Trunc(size), 'f', 0, 64) + " Bytes")
	}
	unit := base * base
	for _, name := range units[:len(units)-1] {
		if size < unit {
			return text(strconv.FormatFloat(base*size/unit, 'f', 1, 64) + " " + name)
		}
		unit *= base
	}
	return text(strconv.FormatFloat(base*size/unit, 'f', 1, 64) + " " + units[len(units)-1])
}
