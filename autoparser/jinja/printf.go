package jinja

import (
	"strings"
)

// conversion is one % of a format: %[(name)][flags][width][.precision]type.
type conversion struct {
	name    string
	named   bool
	left    bool
	spec    formatSpec
	verb    byte
	literal string // the text before it
}

// printf is format % values. Where like is marked safe, strings are escaped.
func (r *render) printf(format string, values, like Value) string {
	p := &printfRun{r: r, rest: format, values: values}
	_, p.marked = like.(markup)
	if l, ok := values.(*list); ok && l.tuple {
		p.items = l.items
	} else {
		p.items = []Value{values}
	}
	return p.run()
}

type printfRun struct {
	r      *render
	rest   string // of the format
	values Value
	items  []Value // those not used yet
	marked bool
	b      strings.Builder
}

// run expands the format.
func (p *printfRun) run() string {
	used := false
	for {
		c, ok := p.next()
		p.r.grow(len(c.literal) + 1)
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
		throw("TypeError", "not all arguments converted during string formatting")
	}
	return p.b.String()
}

// subscriptable reports whether Python takes v for a mapping, of which a format need not use everything.
func subscriptable(v Value) bool {
	switch v.(type) {
	case *Object, *undefined, *span:
		return true
	}
	return isList(v)
}

func isList(v Value) bool {
	l, ok := v.(*list)
	return ok && !l.tuple
}

// next reads the text up to a conversion, and the conversion. ok is false at the end.
func (p *printfRun) next() (c conversion, ok bool) {
	literal, rest, found := strings.Cut(p.rest, "%")
	c.literal = literal
	if !found {
		return c, false
	}
	if strings.HasPrefix(rest, "(") {
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			throw("ValueError", "incomplete format key")
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
		throw("ValueError", "incomplete format")
	}
	c.verb, p.rest = rest[0], rest[1:]
	return c, true
}

// flags reads the flags of a conversion and returns what follows them.
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

// size reads a number, or takes it from the values where the format has *.
func (p *printfRun) size(s string) (int, string) {
	if !strings.HasPrefix(s, "*") {
		return leadingNumber(s)
	}
	n := index(p.take())
	if n > maxWidth || n < -maxWidth {
		throw("ValueError", "a format must not be wider than %d", maxWidth)
	}
	return n, s[1:]
}

// take returns the next positional value.
func (p *printfRun) take() Value {
	if len(p.items) == 0 {
		throw("TypeError", "not enough arguments for format string")
	}
	v := p.items[0]
	p.items = p.items[1:]
	return v
}

// value returns what a conversion converts.
func (p *printfRun) value(c conversion) Value {
	if !c.named {
		return p.take()
	}
	o, ok := p.values.(*Object)
	if !ok {
		throw("TypeError", "format requires a mapping")
	}
	v, ok := o.Get(c.name)
	if !ok {
		throw("KeyError", "'%s'", c.name)
	}
	return v
}

// convert converts one value.
func (p *printfRun) convert(c conversion, v Value) string {
	if c.left {
		c.spec.align, c.spec.fill = '<', " "
	}
	switch c.verb {
	case 's', 'r', 'a':
		return p.text(c, v)
	case 'd', 'i', 'u':
		return p.r.formatDigits(wholePart(v, c.verb), c.spec, 'd')
	case 'x', 'X', 'o':
		if !isAnyInteger(v) {
			throw("TypeError", "%%%c format: an integer is required, not %s", c.verb, v.class())
		}
		return p.r.formatDigits(v, c.spec, c.verb)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		mustExist(v)
		x, ok := number(v)
		if !ok {
			throw("TypeError", "must be real number, not %s", v.class())
		}
		c.spec.kind = c.verb
		return p.r.formatFloat(x, c.spec)
	case 'c':
		return p.character(c, v)
	}
	throw("ValueError", "unsupported format character '%c'", c.verb)
	return ""
}

// text converts %s, %r and %a.
func (p *printfRun) text(c conversion, v Value) string {
	var s string
	if c.verb == 's' {
		s = p.r.str(v)
	} else {
		s = p.r.repr(v)
	}
	if _, safe := v.(markup); p.marked && !safe {
		s = escape(p.r, s)
	}
	if c.spec.precision >= 0 {
		s = p.r.substring(s, none{}, integer(c.spec.precision), none{})
	}
	c.spec.fill = " "
	if !c.left {
		c.spec.align = '>'
	}
	return p.r.aligned("", s, c.spec, '>')
}

// character converts %c.
func (p *printfRun) character(c conversion, v Value) string {
	c.spec.fill = " "
	if !c.left {
		c.spec.align = '>'
	}
	if s, ok := str(v); ok && p.r.length(text(s)) == 1 {
		return p.r.aligned("", s, c.spec, '>')
	}
	n, ok := wide(v)
	if !ok {
		throw("TypeError", "%%c requires int or char")
	}
	return p.r.aligned("", characterOf(n), c.spec, '>')
}

// wholePart is what %d prints: floats lose their fraction.
func wholePart(v Value, verb byte) Value {
	mustExist(v)
	if f, ok := v.(float); ok {
		if n := truncated(float64(f), nil); n != nil {
			return n
		}
		throw("OverflowError", "cannot convert float infinity to integer")
	}
	if !isAnyInteger(v) {
		throw("TypeError", "%%%c format: a real number is required, not %s", verb, v.class())
	}
	return v
}

// formatDigits formats an integer with a least number of digits, the precision.
func (r *render) formatDigits(v Value, f formatSpec, verb byte) string {
	least := f.precision
	f.precision, f.kind = -1, verb
	if least <= 0 {
		return r.formatInteger(v, f)
	}
	bare := f
	bare.width, bare.sign, bare.alternate = 0, 0, false
	n, _ := wide(v)
	digits := strings.TrimPrefix(r.formatInteger(v, bare), "-")
	prefix := ""
	if f.alternate && verb != 'd' {
		prefix = "0" + string(verb)
	}
	return r.aligned(signOf(n.Sign() < 0, f)+prefix, r.pad(digits, least, "0", 1, 0), f, '>')
}
