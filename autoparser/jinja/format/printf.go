package format

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// conversion is one conversion of a format: %[(name)][flags][width][.precision]type.
type conversion struct {
	name    string
	named   bool
	left    bool
	spec    formatSpec
	verb    byte
	literal string // the text before the conversion
}

// Printf is format % values. If like is marked safe, strings are escaped.
func Printf(h *value.Heap, format string, values, like value.Value) string {
	p := &printfRun{heap: h, rest: format, values: values}
	_, p.marked = like.(value.Markup)
	if l, ok := values.(*value.List); ok && l.Tuple {
		p.items = l.Items
	} else {
		p.items = []value.Value{values}
	}
	return p.run()
}

// printfRun is one call of Printf.
type printfRun struct {
	heap   *value.Heap
	rest   string // of the format
	values value.Value
	items  []value.Value // the positional values not used yet
	marked bool
	b      strings.Builder
}

// run expands the format.
func (p *printfRun) run() string {
	used := false
	for {
		c, ok := p.next()
		p.heap.Grow(len(c.literal) + 1)
		p.b.WriteString(c.literal)
		if !ok {
			break
		}
		if c.verb == '%' {
			p.b.WriteByte('%')
			continue
		}
		used = used || c.named
		p.b.WriteString(p.convert(c, p.value(c)))
	}
	if len(p.items) > 0 && !used && !subscriptable(p.values) {
		failure.Throw("TypeError", "not all arguments converted during string formatting")
	}
	return p.b.String()
}

// subscriptable reports whether Python takes v for a mapping, which a format may use in part.
func subscriptable(v value.Value) bool {
	switch v.(type) {
	case *value.Object, *value.Undefined, *value.Range:
		return true
	}
	return value.IsList(v)
}

// next parses the text up to a conversion, and the conversion. ok is false at the end.
func (p *printfRun) next() (c conversion, ok bool) {
	literal, rest, found := strings.Cut(p.rest, "%")
	c.literal = literal
	if !found {
		return c, false
	}
	if strings.HasPrefix(rest, "(") {
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			failure.Throw("ValueError", "incomplete format key")
		}
		c.name, c.named, rest = rest[1:end], true, rest[end+1:]
	}
	c.spec = formatSpec{fill: " ", precision: -1}
	rest = c.flags(rest)
	c.spec.width, rest = p.size(rest)
	if c.spec.width < 0 {
		c.left, c.spec.width = true, -c.spec.width
	}
	if strings.HasPrefix(rest, ".") {
		c.spec.precision, rest = p.size(rest[1:])
	}
	rest = strings.TrimLeft(rest, "hlL")
	if rest == "" {
		failure.Throw("ValueError", "incomplete format")
	}
	c.verb, p.rest = rest[0], rest[1:]
	return c, true
}

// flags parses the flags of a conversion and returns what follows them.
func (c *conversion) flags(s string) string {
	zero := false
	for ; s != ""; s = s[1:] {
		switch s[0] {
		case '-':
			c.left = true
		case '+':
			c.spec.sign = '+'
		case ' ':
			if c.spec.sign == 0 {
				c.spec.sign = ' '
			}
		case '#':
			c.spec.alternate = true
		case '0':
			zero = true
		default:
			if zero {
				c.spec.fill, c.spec.align = "0", '='
			}
			return s
		}
	}
	return s
}

// size parses a number, or takes it from the values if the format has *.
func (p *printfRun) size(s string) (int, string) {
	if !strings.HasPrefix(s, "*") {
		return leadingNumber(s)
	}
	n := value.Index(p.take())
	if n > maxWidth || n < -maxWidth {
		failure.Throw("ValueError", "a format must not be wider than %d", maxWidth)
	}
	return n, s[1:]
}

// take returns the next positional value.
func (p *printfRun) take() value.Value {
	if len(p.items) == 0 {
		failure.Throw("TypeError", "not enough arguments for format string")
	}
	v := p.items[0]
	p.items = p.items[1:]
	return v
}

// value returns the value to convert.
func (p *printfRun) value(c conversion) value.Value {
	if !c.named {
		return p.take()
	}
	o, ok := p.values.(*value.Object)
	if !ok {
		failure.Throw("TypeError", "format requires a mapping")
	}
	v, ok := o.Get(c.name)
	if !ok {
		failure.Throw("KeyError", "'%s'", c.name)
	}
	return v
}

// convert applies a conversion to a value.
func (p *printfRun) convert(c conversion, v value.Value) string {
	if c.left {
		c.spec.align, c.spec.fill = '<', " "
	}
	switch c.verb {
	case 's', 'r', 'a':
		return p.text(c, v)
	case 'd', 'i', 'u':
		return formatDigits(p.heap, wholePart(v, c.verb), c.spec, 'd')
	case 'x', 'X', 'o':
		if !value.IsAnyInteger(v) {
			failure.Throw("TypeError", "%%%c format: an integer is required, not %s", c.verb, v.Class())
		}
		return formatDigits(p.heap, v, c.spec, c.verb)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		value.MustExist(v)
		x, ok := value.Float64(v)
		if !ok {
			failure.Throw("TypeError", "must be real number, not %s", v.Class())
		}
		c.spec.kind = c.verb
		return formatFloat(p.heap, x, c.spec)
	case 'c':
		return p.character(c, v)
	}
	failure.Throw("ValueError", "unsupported format character '%c'", c.verb)
	return ""
}

// text applies %s, %r or %a.
func (p *printfRun) text(c conversion, v value.Value) string {
	var s string
	if c.verb == 's' {
		s = p.heap.Str(v)
	} else {
		s = p.heap.Repr(v)
	}
	if _, safe := v.(value.Markup); p.marked && !safe {
		s = value.Escape(p.heap, s)
	}
	if c.spec.precision >= 0 {
		s = p.heap.Substring(s, value.None{}, value.Int(c.spec.precision), value.None{})
	}
	c.spec.fill = " "
	if !c.left {
		c.spec.align = '>'
	}
	return aligned(p.heap, "", s, c.spec, '>')
}

// character applies %c.
func (p *printfRun) character(c conversion, v value.Value) string {
	c.spec.fill = " "
	if !c.left {
		c.spec.align = '>'
	}
	if s, ok := value.Text(v); ok && p.heap.Length(value.String(s)) == 1 {
		return aligned(p.heap, "", s, c.spec, '>')
	}
	n, ok := value.Big(v)
	if !ok {
		failure.Throw("TypeError", "%%c requires int or char")
	}
	return aligned(p.heap, "", characterOf(n), c.spec, '>')
}

// wholePart returns the integer that %d prints: floats lose their fraction.
func wholePart(v value.Value, verb byte) value.Value {
	value.MustExist(v)
	if f, ok := v.(value.Float); ok {
		if n := value.Truncate(float64(f), nil); n != nil {
			return n
		}
		failure.Throw("OverflowError", "cannot convert float infinity to integer")
	}
	if !value.IsAnyInteger(v) {
		failure.Throw("TypeError", "%%%c format: a real number is required, not %s", verb, v.Class())
	}
	return v
}

// formatDigits formats an integer with a minimum number of digits, the precision.
func formatDigits(h *value.Heap, v value.Value, f formatSpec, verb byte) string {
	least := f.precision
	f.precision, f.kind = -1, verb
	if least <= 0 {
		return formatInteger(h, v, f)
	}
	bare := f
	bare.width, bare.sign, bare.alternate = 0, 0, false
	n, _ := value.Big(v)
	digits := strings.TrimPrefix(formatInteger(h, v, bare), "-")
	prefix := ""
	if f.alternate && verb != 'd' {
		prefix = "0" + string(verb)
	}
	return aligned(h, signOf(n.Sign() < 0, f)+prefix, h.Pad(digits, least, "0", 1, 0), f, '>')
}
