package jinja

import (
	"strconv"
	"strings"
)

// braceRun is one call of str.format.
type braceRun struct {
	r      *render
	a      arguments
	named  *Object
	auto   int  // the next automatic number
	manual bool // numbers are written out
	marked bool
}

// formatMethod is str.format.
func formatMethod(r *render, in Value, a arguments) Value {
	named := &Object{}
	r.fill(named, arguments{named: a.named})
	return runBraces(r, in, a, named)
}

// formatMap is str.format_map.
func formatMap(r *render, in Value, a arguments) Value {
	named, ok := a.values[0].(*Object)
	if !ok {
		throw("TypeError", "format_map() argument must be a mapping, not %s", a.values[0].class())
	}
	return runBraces(r, in, arguments{}, named)
}

// runBraces expands a format with positional and named values.
func runBraces(r *render, in Value, a arguments, named *Object) Value {
	s, _ := str(in)
	p := &braceRun{r: r, a: a, named: named}
	_, p.marked = in.(markup)
	return text(p.expand(s, 2))
}

// expand replaces the fields of s. Fields may stand in the format of a field, once.
func (p *braceRun) expand(s string, depth int) string {
	if depth == 0 {
		throw("ValueError", "Max string recursion exceeded")
	}
	var b strings.Builder
	for s != "" {
		p.r.charge(1)
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		switch {
		case i+1 < len(s) && s[i+1] == s[i]:
			b.WriteByte(s[i])
			s = s[i+2:]
		case s[i] == '}':
			throw("ValueError", "Single '}' encountered in format string")
		default:
			field, rest := cutField(s[i+1:])
			b.WriteString(p.field(field, depth))
			s = rest
		}
		p.r.grow(i + 1)
	}
	return b.String()
}

// cutField splits at the brace that ends a field.
func cutField(s string) (field, rest string) {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return s[:i], s[i+1:]
			}
		}
	}
	throw("ValueError", "expected '}' before end of string")
	return "", ""
}

// field expands one field: {name!conversion:format}.
func (p *braceRun) field(field string, depth int) string {
	name, spec := field, ""
	if i := strings.IndexByte(field, ':'); i >= 0 {
		name, spec = field[:i], field[i+1:]
	}
	name, how, converted := strings.Cut(name, "!")
	v := p.value(name)
	if converted {
		v = p.converted(v, how)
	}
	s := p.r.format(v, p.expand(spec, depth-1+boolInt(spec == "")))
	if _, safe := v.(markup); p.marked && !safe {
		return escape(p.r, s)
	}
	return s
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// converted applies !s, !r and !a.
func (p *braceRun) converted(v Value, how string) Value {
	switch how {
	case "s":
		return text(p.r.str(v))
	case "r", "a":
		return text(p.r.repr(v))
	}
	throw("ValueError", "Unknown conversion specifier '%s'", how)
	return nil
}

// value finds what a field names: an argument, then attributes and elements of it.
func (p *braceRun) value(name string) Value {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	v := p.argument(name[:end])
	for rest := name[end:]; rest != ""; {
		switch rest[0] {
		case '.':
			end := strings.IndexAny(rest[1:], ".[") + 1
			if end == 0 {
				end = len(rest)
			}
			v, rest = p.r.attribute(v, rest[1:end]), rest[end:]
		case '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				throw("ValueError", "Missing ']' in format string")
			}
			v, rest = p.r.element(v, fieldKey(rest[1:end])), rest[end+1:]
		default:
			throw("ValueError", "Only '.' or '[' may follow ']' in format field specifier")
		}
	}
	return v
}

// fieldKey reads what stands in brackets: a number, or a string without quotes.
func fieldKey(s string) Value {
	if n, err := strconv.Atoi(s); err == nil && every(s, digit) {
		return integer(n)
	}
	return text(s)
}

// argument finds the value that a field begins with: by its number, by the next number, or by its name.
func (p *braceRun) argument(name string) Value {
	if name == "" {
		if p.manual {
			throw("ValueError", "cannot switch from manual field specification to automatic field numbering")
		}
		p.auto++
		name = strconv.Itoa(p.auto - 1)
	} else if every(name, digit) {
		if p.auto > 0 {
			throw("ValueError", "cannot switch from automatic field numbering to manual field specification")
		}
		p.manual = true
	}
	if n, err := strconv.Atoi(name); err == nil && every(name, digit) {
		if n >= len(p.a.values) {
			throw("IndexError", "tuple index out of range")
		}
		return p.a.values[n]
	}
	v, ok := p.named.Get(name)
	if !ok {
		throw("KeyError", "'%s'", name)
	}
	return v
}
