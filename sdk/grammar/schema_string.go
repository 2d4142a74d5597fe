package grammar

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// formats are the formats of strings that are held to.
var formats = []string{"date", "time", "date-time", "uuid", "uuid1", "uuid2", "uuid3", "uuid4", "uuid5"}

func knownFormat(format *value) bool {
	return format.is(stringKind) && (slices.Contains(formats, format.text) || slices.Contains(otherFormats, format.text))
}

// otherFormats are formats of strings that are not held to.
var otherFormats = []string{
	"email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri", "uri-reference", "uri-template", "iri",
	"iri-reference", "duration", "json-pointer", "relative-json-pointer", "regex", "password", "byte", "binary", "char",
}

// str is a string: held to a pattern, or a format, or a length, the first of them that s has.
func (c *converter) str(s *value, path, name string) (*expr, error) {
	content, err := c.content(s, path, name, true)
	if err != nil || content == nil {
		return c.b.primitive("string", c.spelling), err
	}
	return c.b.quoted(c.spelling, content), nil
}

// content is the inside of a string that s describes, or nil for any; quoted says that quotes surround it, so that some
// characters must be escaped.
func (c *converter) content(s *value, path, name string, quoted bool) (func(single bool) *expr, error) {
	lo, hi := count(s.get("minLength"), 0), count(s.get("maxLength"), -1)
	if hi >= 0 && lo > hi {
		return nil, bad(path, "at least %d and at most %d characters cannot both hold", lo, hi)
	}
	if p := s.get("pattern"); p != nil {
		expr, err := c.pattern(p.text, quoted)
		if err == nil {
			c.onlyFirst(s, path, "pattern", "format", "minLength", "maxLength")
			return expr, nil
		}
		c.note(at(path, "pattern"), "not held to: %v", err)
	}
	if f := s.get("format"); f != nil {
		if slices.Contains(formats, f.text) {
			c.onlyFirst(s, path, "format", "minLength", "maxLength")
			return func(bool) *expr { return c.b.format(f.text) }, nil
		}
		c.note(at(path, "format"), "%q is not held to", f.text)
	}
	if lo == 0 && hi < 0 {
		return nil, nil
	}
	return func(single bool) *expr { return c.b.repeat(lo, hi, c.b.char(single)) }, nil
}

// onlyFirst notes that of keys, only the first is held to.
func (c *converter) onlyFirst(s *value, path, first string, others ...string) {
	for _, k := range others {
		if s.has(k) {
			c.note(at(path, k), "not held to beside %q", first)
		}
	}
}

// format is the rule for a format's text.
func (b *builder) format(name string) *expr {
	if strings.HasPrefix(name, "uuid") {
		name = "uuid"
	}
	return b.primitive(name, spelling{})
}

func (b *builder) formatBody(name string) *expr {
	digits := func(lo, hi rune) *expr { return chars(peg.Range{Lo: lo, Hi: hi}) }
	digit := digits('0', '9')
	switch name {
	case "date":
		month := alt(seq(text("0"), digits('1', '9')), seq(text("1"), digits('0', '2')))
		day := alt(seq(text("0"), digits('1', '9')), seq(digits('1', '2'), digit), seq(text("3"), digits('0', '1')))
		return seq(times(4, 4, digit), text("-"), month, text("-"), day)
	case "time":
		hour := alt(seq(digits('0', '1'), digit), seq(text("2"), digits('0', '3')))
		sixty := seq(digits('0', '5'), digit)
		zone := alt(text("Z"), seq(oneOf(charsOf("+-")), hour, text(":"), sixty))
		return seq(hour, text(":"), sixty, text(":"), sixty, optional(text("."), times(3, 3, digit)), zone)
	case "date-time":
		return seq(b.format("date"), text("T"), b.format("time"))
	case "uuid":
		hex := func(n int) *expr { return times(n, n, hexDigit()) }
		return seq(hex(8), text("-"), hex(4), text("-"), hex(4), text("-"), hex(4), text("-"), hex(12))
	}
	return nothing
}

// raw is the bare text of a value that follows s: strings without quotes, everything else as JSON.
func (c *converter) raw(s *value, path, name string, depth int) (*expr, error) {
	if depth > maxReferences {
		return nil, bad(path, "references lead in a circle")
	}
	if !s.is(objectKind) || len(s.keys) == 0 {
		return c.rawOther(s, path, name)
	}
	if err := c.wellFormed(s, path); err != nil {
		return nil, err
	}
	switch {
	case s.has("$ref"):
		target, err := c.resolved(s, path)
		if err != nil {
			return nil, err
		}
		if target.has("$ref") {
			return c.rawOther(target, path, name)
		}
		return c.raw(target, path, name, depth+1)
	case s.has("const"):
		return c.rawConstants([]*value{s.get("const")}, path), nil
	case s.has("enum"):
		return c.rawConstants(s.get("enum").items, path), nil
	case s.has("anyOf"):
		return c.rawUnion(s.get("anyOf").items, at(path, "anyOf"), name, depth)
	case s.has("oneOf"):
		return c.rawUnion(s.get("oneOf").items, at(path, "oneOf"), name, depth)
	case s.get("type").is(arrayKind):
		var kids []*value
		for _, t := range s.get("type").items {
			one := s.but("type")
			one.set("type", t)
			kids = append(kids, one)
		}
		return c.rawUnion(kids, path, name, depth)
	case impliedType(s) == "string":
		return c.rawString(s, path, name)
	}
	return c.rawOther(s, path, name)
}

// rawOther is a value that is no string; any text where strings are among what is allowed.
func (c *converter) rawOther(s *value, path, name string) (*expr, error) {
	e, err := c.visit(s, path, name)
	if err == nil && c.allowsString(s) {
		return c.bare, nil
	}
	return e, err
}

func (c *converter) allowsString(s *value) bool {
	switch {
	case !s.is(objectKind):
		return s.isTrue()
	case len(s.keys) == 0:
		return true
	}
	return resolvesToString(c.root, s, 0) || impliedType(s) == "" && !s.hasAny("allOf")
}

func (c *converter) rawUnion(kids []*value, path, name string, depth int) (*expr, error) {
	var out []*expr
	for i, k := range kids {
		e, err := c.raw(k, path+"/"+strconv.Itoa(i), name+"-"+strconv.Itoa(i), depth+1)
		if err != nil {
			return nil, err
		}
		if e == c.bare {
			return e, nil
		}
		out = append(out, e)
	}
	return alt(out...), nil
}

// rawConstants are literal values, strings bare. What the program could not read, because it contains the delimiter that
// ends the text, is left out and noted.
func (c *converter) rawConstants(values []*value, path string) *expr {
	var kids []*expr
	for _, v := range values {
		switch {
		case v.kind != stringKind:
			kids = append(kids, c.constant(v))
		case c.escaped:
			kids = append(kids, text(escape(v.text, '"')))
		default:
			kids = append(kids, text(v.text))
		}
		if last := kids[len(kids)-1]; last.op == literal {
			if d := c.delimiterIn(last.text); d != "" {
				c.note(path, "%s is left out: it contains %q, which ends the text", clip(v.compact()), d)
				kids = kids[:len(kids)-1]
			}
		}
	}
	return alt(kids...)
}

func (c *converter) delimiterIn(s string) string {
	for _, d := range c.delims {
		if d != "" && strings.Contains(s, d) {
			return d
		}
	}
	return ""
}

// rawString is a string without quotes. Formats are held to; patterns and lengths are not, since the delimiter that ends
// the text would have to be kept out of them.
func (c *converter) rawString(s *value, path, name string) (*expr, error) {
	if !c.escaped {
		if f := s.get("format"); f != nil && slices.Contains(formats, f.text) {
			return c.b.format(f.text), nil
		}
		c.onlyFirst(s, path, "type", "pattern", "format", "minLength", "maxLength")
		return c.bare, nil
	}
	content, err := c.content(s, path, name, true)
	if err != nil || content == nil {
		return c.bare, err
	}
	return content(false), nil
}
