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

// str is a string: held to all that s says of it, as far as that can be said together in a few rules.
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
	limits := c.textLimits(s, path)
	switch {
	case len(limits) > 0:
		return c.limited(limits, lo, hi, path), nil
	case lo > 0 || hi >= 0:
		return func(single bool) *expr { return c.b.repeat(lo, hi, c.b.char(single)) }, nil
	}
	return nil, nil
}

// limited is a string of lo to hi characters that keeps to all of limits, as far as that can be said in a few rules. What is
// left out is noted: the lengths first, the first limit never.
func (c *converter) limited(limits []textLimit, lo, hi int, path string) func(single bool) *expr {
	limits = c.needed(limits)
	for _, l := range limits {
		lo, hi = l.left(lo, hi)
	}
	if e := c.together(limits, lo, hi); e != nil {
		return e
	}
	first, last := limits[0].keyword, limits[len(limits)-1].keyword
	switch {
	case limits[0].not:
		c.note(path, "%q is not held to", first)
		return func(single bool) *expr { return c.b.repeat(lo, hi, c.b.char(single)) }
	case hi >= 0:
		c.note(at(path, "maxLength"), "not held to beside %q", first)
		return c.limited(limits, lo, -1, path)
	case lo > 0:
		c.note(at(path, "minLength"), "not held to beside %q", first)
		return c.limited(limits, 0, -1, path)
	case last == first:
		c.note(at(path, last), "what it looks ahead for is not held to: it takes too many rules to say")
	default:
		c.note(at(path, last), "not held to beside %q", first)
	}
	return c.limited(limits[:len(limits)-1], 0, -1, path)
}

// together is a string of lo to hi characters that keeps to all of limits; nil if that cannot be said in a few rules.
func (c *converter) together(limits []textLimit, lo, hi int) func(single bool) *expr {
	if len(limits) == 1 && !limits[0].not && lo == 0 && hi < 0 {
		return func(single bool) *expr { return limits[0].of(c.b.inside(single)) }
	}
	if max(lo, hi) > maxProduct {
		return nil
	}
	made := map[bool]*expr{}
	for _, single := range []bool{false, true} {
		if single && !c.spelling.quotes {
			continue
		}
		in, out := texts(limits, c.b.inside(single))
		if len(out) > 0 {
			in = append(in, star(c.b.plainChar(single)))
		}
		if lo > 0 || hi >= 0 {
			in = append(in, times(lo, hi, c.b.char(single)))
		}
		if made[single] = c.b.product(c.b.scope+"-text", in, out); made[single] == nil {
			return nil
		}
	}
	return func(single bool) *expr { return made[single] }
}

func (c *converter) unheldFormat(format, path string) {
	if !slices.Contains(anyText, format) {
		c.note(at(path, "format"), "%q is not held to", format)
	}
}

// format is the rule for a format's text.
func (p patternWriter) format(name string) *expr {
	if patternFormats[name] == "" {
		return p.b.formatRule(name)
	}
	rule := map[rune]string{'\'': "python-", 0: "bare-"}[p.quote] + name
	return p.b.shared(rule, func() *expr { return p.expr(formatPattern(name)) })
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
