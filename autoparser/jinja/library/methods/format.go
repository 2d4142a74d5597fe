package methods

import (
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/format"
	"github.com/dragoman-project/dragoman/autoparser/jinja/library"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// braceRun is one call of str.format.
type braceRun struct {
	env    *library.Env
	a      library.Arguments
	named  *value.Object
	auto   int  // next automatic number
	manual bool // fields have explicit numbers
	marked bool
}

// formatMethod is str.format.
func formatMethod(e *library.Env, in value.Value, a library.Arguments) value.Value {
	named := &value.Object{}
	e.Fill(named, library.Arguments{Named: a.Named})
	return runBraces(e, in, a, named)
}

// formatMap is str.format_map.
func formatMap(e *library.Env, in value.Value, a library.Arguments) value.Value {
	named, ok := a.Values[0].(*value.Object)
	if !ok {
		failure.Throw("TypeError", "format_map() argument must be a mapping, not %s", a.Values[0].Class())
	}
	return runBraces(e, in, library.Arguments{}, named)
}

// runBraces expands a format with positional and named values.
func runBraces(e *library.Env, in value.Value, a library.Arguments, named *value.Object) value.Value {
	s, _ := value.Text(in)
	p := &braceRun{env: e, a: a, named: named}
	_, p.marked = in.(value.Markup)
	return value.String(p.expand(s, 2))
}

// expand replaces the fields of s. The format of a field may contain fields, too.
func (p *braceRun) expand(s string, depth int) string {
	if depth == 0 {
		failure.Throw("ValueError", "Max string recursion exceeded")
	}
	var b strings.Builder
	for s != "" {
		p.env.Charge(1)
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
			failure.Throw("ValueError", "Single '}' encountered in format string")
		default:
			field, rest := cutField(s[i+1:])
			b.WriteString(p.field(field, depth))
			s = rest
		}
		p.env.Grow(i + 1)
	}
	return b.String()
}

// cutField splits after the brace that ends a field.
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
	failure.Throw("ValueError", "expected '}' before end of string")
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
	s := format.Value(&p.env.Heap, v, p.expand(spec, depth-1+boolInt(spec == "")))
	if _, safe := v.(value.Markup); p.marked && !safe {
		return value.Escape(&p.env.Heap, s)
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
func (p *braceRun) converted(v value.Value, how string) value.Value {
	switch how {
	case "s":
		return value.String(p.env.Str(v))
	case "r", "a":
		return value.String(p.env.Repr(v))
	}
	failure.Throw("ValueError", "Unknown conversion specifier '%s'", how)
	return nil
}

// value returns the value of a field: an argument, then attributes and elements of it.
func (p *braceRun) value(name string) value.Value {
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
			v, rest = p.env.Attribute(v, rest[1:end]), rest[end:]
		case '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				failure.Throw("ValueError", "Missing ']' in format string")
			}
			v, rest = p.env.Element(v, fieldKey(rest[1:end])), rest[end+1:]
		default:
			failure.Throw("ValueError", "Only '.' or '[' may follow ']' in format field specifier")
		}
	}
	return v
}

// fieldKey converts the key in brackets: a number, or a string without quotes.
func fieldKey(s string) value.Value {
	if n, err := strconv.Atoi(s); err == nil && pystr.Every(s, pystr.IsDigit) {
		return value.Int(n)
	}
	return value.String(s)
}

// argument returns the argument of a field: by number, by the next automatic number, or by name.
func (p *braceRun) argument(name string) value.Value {
	if name == "" {
		if p.manual {
			failure.Throw("ValueError", "cannot switch from manual field specification to automatic field numbering")
		}
		p.auto++
		name = strconv.Itoa(p.auto - 1)
	} else if pystr.Every(name, pystr.IsDigit) {
		if p.auto > 0 {
			failure.Throw("ValueError", "cannot switch from automatic field numbering to manual field specification")
		}
		p.manual = true
	}
	if n, err := strconv.Atoi(name); err == nil && pystr.Every(name, pystr.IsDigit) {
		if n >= len(p.a.Values) {
			failure.Throw("IndexError", "tuple index out of range")
		}
		return p.a.Values[n]
	}
	v, ok := p.named.Get(name)
	if !ok {
		failure.Throw("KeyError", "'%s'", name)
	}
	return v
}
