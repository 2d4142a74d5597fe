package grammar

import (
	"slices"
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
func (c *converter) str(s *value, path string) (*expr, error) {
	content, err := c.content(s, path)
	if err != nil || content == nil {
		return c.b.primitive("string", c.spelling), err
	}
	return c.b.quoted(c.spelling, content), nil
}

// content makes the inside of a string that s describes, between single or double quotes; nil is any string.
func (c *converter) content(s *value, path string) (func(single bool) *expr, error) {
	lo, hi := count(s.get("minLength"), 0), count(s.get("maxLength"), -1)
	if hi >= 0 && lo > hi {
		return nil, bad(path, "at least %d and at most %d characters cannot both hold", lo, hi)
	}
	if p := s.get("pattern"); p != nil {
		expr, err := c.pattern(p.text)
		if err == nil && (lo > 0 || hi >= 0) && !s.has("format") {
			if both := c.lengthOf(expr, lo, hi); both != nil {
				return both, nil
			}
		}
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

// lengthOf is a string of lo to hi characters that follows a pattern; nil if that cannot be said in a few rules.
func (c *converter) lengthOf(pattern func(single bool) *expr, lo, hi int) func(single bool) *expr {
	if max(lo, hi) > maxProduct {
		return nil
	}
	made := map[bool]*expr{}
	for _, single := range []bool{false, true} {
		if single && !c.spelling.quotes {
			continue
		}
		if made[single] = c.b.together(c.b.scope+"-text", pattern(single), times(lo, hi, c.b.char(single))); made[single] == nil {
			return nil
		}
	}
	return func(single bool) *expr { return made[single] }
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
