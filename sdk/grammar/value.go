package grammar

import "github.com/dragoman-project/dragoman/sdk/peg"

// valueKey names a rule of the JSON grammar: its name in JSON, and the spelling.
type valueKey struct {
	name string
	spelling
}

// spelling says how values are written besides as JSON.
type spelling struct {
	literals bool // True, False and None besides true, false and null
	quotes   bool // single quotes besides double ones
}

func spellingOf(v peg.Values) spelling {
	return spelling{literals: v&peg.PythonLiterals != 0, quotes: v&peg.PythonQuotes != 0}
}

// valueNames are the rules of JSON by the kind of value, in the order in which a choice lists them.
var valueNames = []struct {
	kind peg.Values
	name string
}{
	{peg.ObjectValue, "object"},
	{peg.ArrayValue, "array"},
	{peg.StringValue, "string"},
	{peg.NumberValue, "number"},
	{peg.BoolValue, "boolean"},
	{peg.NullValue, "null"},
}

// value is a value of one of the kinds v.
func (b *builder) value(v peg.Values) *expr {
	s := spellingOf(v)
	if v&peg.AnyJSON == peg.AnyJSON {
		return b.primitive("value", s)
	}
	var kids []*expr
	for _, k := range valueNames {
		if v&k.kind != 0 {
			kids = append(kids, b.primitive(k.name, s))
		}
	}
	return alt(kids...)
}

// primitive calls the rule of that name, which it makes on first use.
func (b *builder) primitive(name string, s spelling) *expr {
	switch name {
	case "number", "integer", "integral-part", "decimal-part", "date", "time", "date-time":
		s = spelling{}
	case "boolean", "null":
		s.quotes = false
	case "string", "char":
		s.literals = false
	}
	key := valueKey{name, s}
	if r := b.values[key]; r != nil {
		return r.call()
	}
	full := name
	if s != (spelling{}) {
		full = "python-" + name
	}
	r := b.named(full)
	b.values[key] = r
	r.body = b.primitiveBody(name, s)
	return r.call()
}

func (b *builder) primitiveBody(name string, s spelling) *expr {
	p := func(name string) *expr { return b.primitive(name, s) }
	space := b.space.call()
	digit := chars(peg.Range{Lo: '0', Hi: '9'})
	switch name {
	case "value":
		return alt(p("object"), p("array"), p("string"), p("number"), p("boolean"), p("null"))
	case "object":
		member := seq(p("string"), text(":"), space, p("value"))
		return seq(text("{"), space, optional(member, star(seq(text(","), space, member))), space, text("}"))
	case "array":
		return seq(text("["), space, optional(p("value"), star(seq(text(","), space, p("value")))), space, text("]"))
	case "string":
		return b.quoted(s, func(single bool) *expr { return star(b.char(single)) })
	case "number":
		exponent := seq(oneOf(charsOf("eE")), optional(oneOf(charsOf("+-"))), p("integral-part"))
		return seq(optional(text("-")), p("integral-part"), optional(text("."), p("decimal-part")), optional(exponent))
	case "integer":
		return seq(optional(text("-")), p("integral-part"))
	case "integral-part":
		return alt(text("0"), seq(chars(peg.Range{Lo: '1', Hi: '9'}), times(0, 15, digit)))
	case "decimal-part":
		return times(1, 16, digit)
	case "boolean":
		return alt(b.word("true", s), b.word("false", s))
	case "null":
		return b.word("null", s)
	}
	return b.formatBody(name)
}

// word is one of JSON's words, in Python too if it is spelled so.
func (b *builder) word(json string, s spelling) *expr {
	kinds := peg.AnyJSON
	if s.literals {
		kinds |= peg.PythonLiterals
	}
	var ways []*expr
	for _, w := range kinds.Notation().Words {
		if w.JSON == json {
			ways = append(ways, text(w.Text))
		}
	}
	return alt(ways...)
}

// quoted is content in double quotes, or also in single ones.
func (b *builder) quoted(s spelling, content func(single bool) *expr) *expr {
	double := seq(text(`"`), content(false), text(`"`))
	if !s.quotes {
		return double
	}
	return alt(double, seq(text("'"), content(true), text("'")))
}

// char is one character of a string, escaped or not; single says that single quotes surround it.
func (b *builder) char(single bool) *expr {
	name, quote := "char", `"`
	if single {
		name, quote = "python-char", "'"
	}
	return b.shared(name, func() *expr {
		return alt(oneOf(stringChars.minus(charsOf(quote))), b.escape(single))
	})
}

// plainChar is one character of a string that is written in one way alone.
func (b *builder) plainChar(single bool) *expr {
	name, quote, known := "plain-char", `"`, `"`+escapes
	if single {
		name, quote, known = "python-plain-char", "'", `'`+escapes
	}
	return b.shared(name, func() *expr {
		return alt(oneOf(stringChars.minus(charsOf(quote))), seq(text(`\`), oneOf(charsOf(known))))
	})
}

// escapes are the letters of escapes, the quotes aside.
const escapes = `\bfnrt`

// escape is an escaped character of a string.
func (b *builder) escape(single bool) *expr {
	name, known := "escape", `"`+escapes
	if single {
		name, known = "python-escape", known+"'"
	}
	return b.shared(name, func() *expr {
		return seq(text(`\`), alt(oneOf(charsOf(known)), seq(text("u"), times(4, 4, hexDigit()))))
	})
}

// shared calls the rule of that name, which body makes on first use.
func (b *builder) shared(name string, body func() *expr) *expr {
	key := valueKey{name: name}
	r := b.values[key]
	if r == nil {
		r = b.named(name)
		b.values[key] = r
		r.body = body()
	}
	return r.call()
}

// stringChars are the characters that may stand in a JSON string as they are, its quotes aside.
var stringChars = newCharset(peg.Range{Hi: 0x1F}, peg.Range{Lo: '\\', Hi: '\\'}, peg.Range{Lo: 0x7F, Hi: 0x7F}).complement()

func hexDigit() *expr {
	return chars(peg.Range{Lo: '0', Hi: '9'}, peg.Range{Lo: 'a', Hi: 'f'}, peg.Range{Lo: 'A', Hi: 'F'})
}
