package format

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// formatSpec is Python's format specification:
// [[fill]align][sign][#][0][width][grouping][.precision][type].
type formatSpec struct {
	fill      string
	align     byte // < > ^ = or 0
	sign      byte // + - or blank, or 0
	alternate bool
	width     int
	group     byte // , or _ or 0
	precision int  // -1 when absent
	kind      byte // 0 when absent
}

// maxWidth limits the width and the precision of formats.
const maxWidth = 100_000

// parseSpec parses a format specification for a value of a class.
func parseSpec(spec, class string) formatSpec {
	s := formatSpec{fill: " ", precision: -1}
	invalid := func() {
		failure.Throw("ValueError", "Invalid format specifier '%s' for object of type '%s'", spec, class)
	}
	rest := spec
	if _, n := utf8.DecodeRuneInString(rest); n < len(rest) && strings.IndexByte("<>^=", rest[n]) >= 0 {
		s.fill, s.align, rest = rest[:n], rest[n], rest[n+1:]
	} else if rest != "" && strings.IndexByte("<>^=", rest[0]) >= 0 {
		s.align, rest = rest[0], rest[1:]
	}
	s.sign, rest = oneOf(rest, "+- ")
	var flag byte
	if flag, rest = oneOf(rest, "#"); flag != 0 {
		s.alternate = true
	}
	if flag, rest = oneOf(rest, "0"); flag != 0 && s.align == 0 {
		s.fill, s.align = "0", '='
		if class == "str" {
			s.align = '<'
		}
	}
	s.width, rest = leadingNumber(rest)
	s.group, rest = oneOf(rest, ",_")
	if strings.HasPrefix(rest, ".") {
		digits := rest[1:]
		s.precision, rest = leadingNumber(digits)
		if len(digits) == len(rest) {
			failure.Throw("ValueError", "Format specifier missing precision")
		}
	}
	if len(rest) > 1 {
		invalid()
	}
	if rest != "" {
		s.kind = rest[0]
	}
	return s
}

// oneOf splits off the first byte of s if it is in set, and returns 0 otherwise.
func oneOf(s, set string) (byte, string) {
	if s != "" && strings.IndexByte(set, s[0]) >= 0 {
		return s[0], s[1:]
	}
	return 0, s
}

// leadingNumber splits a leading number off s, 0 if there is none.
func leadingNumber(s string) (int, string) {
	end := len(s) - len(strings.TrimLeft(s, "0123456789"))
	n, _ := strconv.Atoi(s[:end])
	if n > maxWidth || end > 9 {
		failure.Throw("ValueError", "a format must not be wider than %d", maxWidth)
	}
	return n, s[end:]
}

// Value is Python's format(v, spec).
func Value(h *value.Heap, v value.Value, spec string) string {
	if spec == "" {
		return h.Str(v)
	}
	if s, ok := value.Text(v); ok {
		return formatText(h, s, parseSpec(spec, "str"))
	}
	switch v := v.(type) {
	case value.Float:
		return formatFloat(h, float64(v), parseSpec(spec, "float"))
	case value.Int, value.Bool, *value.BigInt:
		return formatInteger(h, v, parseSpec(spec, "int"))
	}
	failure.Throw("TypeError", "unsupported format string passed to %s.__format__", v.Class())
	return ""
}

// formatText formats a string.
func formatText(h *value.Heap, s string, f formatSpec) string {
	switch {
	case f.kind != 0 && f.kind != 's':
		failure.Throw("ValueError", "Unknown format code '%c' for object of type 'str'", f.kind)
	case f.sign != 0:
		failure.Throw("ValueError", "Sign not allowed in string format specifier")
	case f.group != 0:
		failure.Throw("ValueError", "Cannot specify '%c' with 's'.", f.group)
	case f.align == '=':
		failure.Throw("ValueError", "'=' alignment not allowed in string format specifier")
	}
	if f.precision >= 0 {
		s = h.Substring(s, value.None{}, value.Int(f.precision), value.None{})
	}
	return aligned(h, "", s, f, '<')
}

// formatInteger formats an integer. Some types convert it to a float first.
func formatInteger(h *value.Heap, v value.Value, f formatSpec) string {
	if f.kind != 0 && strings.IndexByte("eEfFgG%", f.kind) >= 0 {
		x, _ := value.Float64(v)
		return formatFloat(h, x, f)
	}
	n, _ := value.Big(v)
	digits, prefix := new(big.Int).Abs(n), ""
	var s string
	switch f.kind {
	case 0, 'd', 'n':
		s = value.NewBigInt(digits).Digits()
	case 'x', 'X':
		s, prefix = digits.Text(16), "0x"
	case 'o':
		s, prefix = digits.Text(8), "0o"
	case 'b':
		s, prefix = digits.Text(2), "0b"
	case 'c':
		return aligned(h, "", characterOf(n), f, '<')
	default:
		failure.Throw("ValueError", "Unknown format code '%c' for object of type 'int'", f.kind)
	}
	if f.precision >= 0 {
		failure.Throw("ValueError", "Precision not allowed in integer format specifier")
	}
	if !f.alternate {
		prefix = ""
	}
	if f.kind == 'X' {
		s, prefix = strings.ToUpper(s), strings.ToUpper(prefix)
	}
	size := 3
	if f.kind != 0 && f.kind != 'd' {
		size = 4
	}
	return aligned(h, signOf(n.Sign() < 0, f)+prefix, grouped(s, f, size, len(prefix)), f, '>')
}

// characterOf returns the character of a code point.
func characterOf(n *big.Int) string {
	if !n.IsInt64() || n.Int64() < 0 || n.Int64() > utf8.MaxRune {
		failure.Throw("OverflowError", "%%c arg not in range(0x110000)")
	}
	return string(rune(n.Int64()))
}

// signOf returns the sign to write.
func signOf(negative bool, f formatSpec) string {
	switch {
	case negative:
		return "-"
	case f.sign == '+' || f.sign == ' ':
		return string(f.sign)
	}
	return ""
}

// grouped inserts separators into the integer digits, after padding them with zeros if the format
// demands it.
func grouped(s string, f formatSpec, size, prefix int) string {
	if f.group == 0 {
		return s
	}
	end := strings.IndexAny(s, ".e%")
	if end < 0 || size == 4 {
		end = len(s)
	}
	whole, rest := s[:end], s[end:]
	if f.fill == "0" && f.align == '=' {
		for len(whole)+(len(whole)-1)/size+len(rest)+prefix < f.width {
			whole = "0" + whole
		}
	}
	var b strings.Builder
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%size == 0 {
			b.WriteByte(f.group)
		}
		b.WriteByte(whole[i])
	}
	return b.String() + rest
}

// formatFloat formats a float.
func formatFloat(h *value.Heap, x float64, f formatSpec) string {
	if f.kind != 0 && strings.IndexByte("eEfFgGn%", f.kind) < 0 {
		failure.Throw("ValueError", "Unknown format code '%c' for object of type 'float'", f.kind)
	}
	negative := math.Signbit(x) && !math.IsNaN(x)
	return aligned(h, signOf(negative, f), grouped(floatDigits(math.Abs(x), f), f, 3, len(signOf(negative, f))), f, '>')
}

// floatDigits formats a float that is not negative.
func floatDigits(x float64, f formatSpec) string {
	switch {
	case math.IsNaN(x), math.IsInf(x, 0):
		s := strings.TrimPrefix(value.FloatText(x), "-")
		if f.kind == 'E' || f.kind == 'F' || f.kind == 'G' {
			s = strings.ToUpper(s)
		}
		if f.kind == '%' {
			s += "%"
		}
		return s
	case f.kind == 0 && f.precision < 0:
		return value.FloatText(x)
	case f.kind == 0:
		return generalWithPoint(x, max(f.precision, 1))
	case f.kind == '%':
		f.kind = 'f'
		return floatDigits(x*100, f) + "%"
	}
	precision := f.precision
	if precision < 0 {
		precision = 6
	}
	verb := f.kind
	switch verb {
	case 'F':
		verb = 'f'
	case 'n':
		verb = 'g'
	}
	if (verb == 'g' || verb == 'G') && precision == 0 {
		precision = 1
	}
	if f.alternate {
		return fmt.Sprintf("%#."+strconv.Itoa(precision)+string(verb), x)
	}
	return strconv.FormatFloat(x, verb, precision, 64)
}

// generalWithPoint is the format with a precision and no type: like g, but the result never looks
// like an integer.
func generalWithPoint(x float64, precision int) string {
	s := strconv.FormatFloat(x, 'e', precision-1, 64)
	exponent, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	if exponent < -4 || exponent >= precision-1 && x != 0 {
		mantissa, tail, _ := strings.Cut(s, "e")
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
		}
		return mantissa + "e" + tail
	}
	s = strconv.FormatFloat(x, 'g', precision, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// aligned pads to the width. With the alignment = the padding is between the sign and the digits.
func aligned(h *value.Heap, sign, s string, f formatSpec, usual byte) string {
	align := f.align
	if align == 0 {
		align = usual
	}
	missing := f.width - utf8.RuneCountInString(sign) - utf8.RuneCountInString(s)
	if missing <= 0 {
		return sign + s
	}
	padding := h.Times(f.fill, missing)
	half := len(f.fill) * (missing / 2)
	switch align {
	case '<':
		return sign + s + padding
	case '^':
		return padding[:half] + sign + s + padding[half:]
	case '=':
		return sign + padding + s
	}
	return padding + sign + s
}
