package grammar

import (
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// formats are the formats of strings that are held to by rules of their own.
var formats = []string{"date", "time", "date-time", "uuid", "uuid1", "uuid2", "uuid3", "uuid4", "uuid5"}

// Parts of the formats that are held to by regular expressions.
const (
	ipv4Part     = `(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`
	ipv6Part     = `[0-9A-Fa-f]{1,4}`
	mailHost     = `[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*`
	hostPart     = `[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
	hostname     = hostPart + `(?:\.` + hostPart + `)*`
	mailWord     = `[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+`
	uriChar      = `(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})`
	uriText      = uriChar + `*`
	pointerSteps = `(?:/(?:[^~/]|~[01])*)*`
	dayTime      = `T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)`
	yearsToDays  = `(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)`
)

// patternFormats are the formats of strings that are held to by regular expressions: all that these match has the form, and
// most that has it they match.
var patternFormats = map[string]string{
	"ipv4": ipv4Part + `(?:\.` + ipv4Part + `){3}`,
	"ipv6": `(?:` + ipv6Part + `:){7}` + ipv6Part + `|(?:` + ipv6Part + `:){1,7}:|(?:` + ipv6Part + `:){1,6}:` + ipv6Part +
		`|(?:` + ipv6Part + `:){1,5}(?::` + ipv6Part + `){1,2}|(?:` + ipv6Part + `:){1,4}(?::` + ipv6Part + `){1,3}|(?:` + ipv6Part + `:){1,3}(?::` + ipv6Part +
		`){1,4}|(?:` + ipv6Part + `:){1,2}(?::` + ipv6Part + `){1,5}|` + ipv6Part + `:(?::` + ipv6Part + `){1,6}|:(?:(?::` + ipv6Part + `){1,7}|:)`,
	"hostname":              hostname,
	"email":                 mailWord + `(?:\.` + mailWord + `)*@` + mailHost + `(?:\.` + mailHost + `)+`,
	"uri":                   `[A-Za-z][A-Za-z0-9+.-]*:` + uriChar + `+(?:#` + uriText + `)?`,
	"uri-reference":         uriText + `(?:#` + uriText + `)?`,
	"json-pointer":          pointerSteps,
	"relative-json-pointer": `(?:0|[1-9][0-9]*)(?:#|` + pointerSteps + `)`,
	"duration":              `P(?:` + yearsToDays + `(?:` + dayTime + `)?|` + dayTime + `|[0-9]+W)`,
	"byte":                  `(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?`,
}

// anyText are formats that every string has, and otherFormats those that are not held to.
var (
	anyText      = []string{"password", "binary"}
	otherFormats = []string{"idn-email", "idn-hostname", "uri-template", "iri", "iri-reference", "regex", "char"}
)

func knownFormat(format *value) bool {
	return format.is(stringKind) && (held(format) || slices.Contains(anyText, format.text) || slices.Contains(otherFormats, format.text))
}

// held says whether strings are held to a format.
func held(format *value) bool {
	return slices.Contains(formats, format.text) || patternFormats[format.text] != ""
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
		return nil, contradiction(path, "at least %d and at most %d characters cannot both hold", lo, hi)
	}
	if p := s.get("pattern"); p != nil {
		ways, err := parsePattern(p.text)
		if err == nil {
			c.onlyFirst(s, path, "pattern", "format")
			return c.sized(c.standing(ways), patternSpan(ways), lo, hi, path, "pattern"), nil
		}
		c.note(at(path, "pattern"), "not held to: %v", err)
	}
	if f := s.get("format"); f != nil {
		if held(f) {
			of := func(single bool) *expr { return c.b.format(f.text, single) }
			return c.sized(of, formatSpan(f.text), lo, hi, path, "format"), nil
		}
		c.unheldFormat(f.text, path)
	}
	if lo == 0 && hi < 0 {
		return nil, nil
	}
	return func(single bool) *expr { return c.b.repeat(lo, hi, c.b.char(single)) }, nil
}

// sized is content of lo to hi characters, as far as its own span does not imply that and it can be said in a few rules.
func (c *converter) sized(content func(single bool) *expr, own span, lo, hi int, path, first string) func(single bool) *expr {
	if lo, hi = own.left(lo, hi); lo == 0 && hi < 0 {
		return content
	}
	if both := c.lengthOf(content, lo, hi); both != nil {
		return both
	}
	if hi >= 0 {
		c.note(at(path, "maxLength"), "not held to beside %q", first)
		return c.sized(content, own, lo, -1, path, first)
	}
	c.note(at(path, "minLength"), "not held to beside %q", first)
	return content
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

func (c *converter) unheldFormat(format, path string) {
	if !slices.Contains(anyText, format) {
		c.note(at(path, "format"), "%q is not held to", format)
	}
}

// format is the rule for a format's text between quotes.
func (b *builder) format(name string, single bool) *expr {
	if patternFormats[name] == "" {
		return b.formatRule(name)
	}
	rule := name
	if single {
		rule = "python-" + name
	}
	return b.shared(rule, func() *expr {
		p := patternWriter{b: b, quote: '"'}
		if single {
			p.quote = '\''
		}
		return p.expr(formatPattern(name))
	})
}

// rawFormat is a format's text without quotes.
func (b *builder) rawFormat(name string) *expr {
	if patternFormats[name] == "" {
		return b.formatRule(name)
	}
	return b.shared("bare-"+name, func() *expr { return patternWriter{b: b}.expr(formatPattern(name)) })
}

func formatPattern(name string) *syntax.Regexp {
	re, err := syntax.Parse(patternFormats[name], syntax.Perl)
	if err != nil {
		return &syntax.Regexp{Op: syntax.OpNoMatch} // a test reads all of them
	}
	return re
}

func (b *builder) formatRule(name string) *expr {
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
		return seq(b.formatRule("date"), text("T"), b.formatRule("time"))
	case "uuid":
		hex := func(n int) *expr { return times(n, n, hexDigit()) }
		return seq(hex(8), text("-"), hex(4), text("-"), hex(4), text("-"), hex(4), text("-"), hex(12))
	}
	return nothing
}
