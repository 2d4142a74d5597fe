package rules

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// valueKey identifies a rule of the JSON grammar.
type valueKey struct {
	name string
	Spelling
}

// Spelling lists the spellings of values that are accepted besides JSON's.
type Spelling struct {
	Literals bool // True, False and None besides true, false and null
	Quotes   bool // single quotes besides double ones
}

// Value calls the rule of that name, such as "object", creating it on first use.
func (b *Set) Value(name string, s Spelling) *cfg.Expr {
	switch name {
	case "number", "integer", "integral-part", "decimal-part", "exponent", "date", "time", "date-time":
		s = Spelling{}
	case "boolean", "null":
		s.Quotes = false
	case "string", "char":
		s.Literals = false
	}
	key := valueKey{name, s}
	if r := b.values[key]; r != nil {
		return r.Call()
	}
	full := name
	if s != (Spelling{}) {
		full = "python-" + name
	}
	r := b.NewRule(full)
	b.values[key] = r
	r.Body = b.primitiveBody(name, s)
	return r.Call()
}

func (b *Set) primitiveBody(name string, s Spelling) *cfg.Expr {
	p := func(name string) *cfg.Expr { return b.Value(name, s) }
	space := b.Space.Call()
	digit := cfg.Chars(charset.Range{Lo: '0', Hi: '9'})
	switch name {
	case "value":
		return cfg.Alt(p("object"), p("array"), p("string"), p("number"), p("boolean"), p("null"))
	case "object":
		member := cfg.Seq(p("string"), cfg.Text(":"), space, p("value"))
		return cfg.Seq(cfg.Text("{"), space, cfg.Optional(member, cfg.Star(cfg.Seq(cfg.Text(","), space, member))), space, cfg.Text("}"))
	case "array":
		return cfg.Seq(cfg.Text("["), space, cfg.Optional(p("value"), cfg.Star(cfg.Seq(cfg.Text(","), space, p("value")))), space, cfg.Text("]"))
	case "string":
		return b.Quoted(s, func(single bool) *cfg.Expr { return cfg.Star(b.Char(single)) })
	case "number":
		exponent := cfg.Seq(cfg.Class(charset.Of("eE")), cfg.Optional(cfg.Class(charset.Of("+-"))), p("exponent"))
		return cfg.Seq(cfg.Optional(cfg.Text("-")), p("integral-part"), cfg.Optional(cfg.Text("."), p("decimal-part")), cfg.Optional(exponent))
	case "integer":
		return cfg.Seq(cfg.Optional(cfg.Text("-")), p("integral-part"))
	case "integral-part":
		return cfg.Alt(cfg.Text("0"), cfg.Seq(cfg.Chars(charset.Range{Lo: '1', Hi: '9'}), cfg.Times(0, 15, digit)))
	case "decimal-part":
		return cfg.Times(1, 16, digit)
	case "exponent": // as Python writes it, 1e-07, and no larger than readers have numbers for
		return cfg.Alt(cfg.Times(1, 2, digit), cfg.Seq(cfg.Class(charset.Of("12")), cfg.Times(2, 2, digit)))
	case "boolean":
		return cfg.Alt(b.Word("true", s), b.Word("false", s))
	case "null":
		return b.Word("null", s)
	}
	return b.formatBody(name)
}

// Word returns a word of JSON (true, false, null), with Python's spelling if s includes it.
func (b *Set) Word(json string, s Spelling) *cfg.Expr {
	kinds := peg.AnyJSON
	if s.Literals {
		kinds |= peg.PythonLiterals
	}
	var ways []*cfg.Expr
	for _, w := range kinds.Notation().Words {
		if w.JSON == json {
			ways = append(ways, cfg.Text(w.Text))
		}
	}
	return cfg.Alt(ways...)
}

// Quoted returns content in double quotes, or in either quotes if s includes single ones.
func (b *Set) Quoted(s Spelling, content func(single bool) *cfg.Expr) *cfg.Expr {
	double := cfg.Seq(cfg.Text(`"`), content(false), cfg.Text(`"`))
	if !s.Quotes {
		return double
	}
	return cfg.Alt(double, cfg.Seq(cfg.Text("'"), content(true), cfg.Text("'")))
}

// Char returns one character of a string, escaped or not; single is set between single quotes.
func (b *Set) Char(single bool) *cfg.Expr {
	name, quote := "char", `"`
	if single {
		name, quote = "python-char", "'"
	}
	return b.Shared(name, func() *cfg.Expr {
		return cfg.Alt(cfg.Class(StringChars.Minus(charset.Of(quote))), b.Escape(single))
	})
}

// PlainChar returns one character of a string in its canonical spelling.
func (b *Set) PlainChar(single bool) *cfg.Expr {
	name, quote, known := "plain-char", `"`, `"`+escapes
	if single {
		name, quote, known = "python-plain-char", "'", `'`+escapes
	}
	return b.Shared(name, func() *cfg.Expr {
		return cfg.Alt(cfg.Class(StringChars.Minus(charset.Of(quote))), cfg.Seq(cfg.Text(`\`), cfg.Class(charset.Of(known))))
	})
}

// escapes are the characters after a backslash, apart from quotes and u.
const escapes = `\bfnrt`

// Escape returns an escaped character of a string.
func (b *Set) Escape(single bool) *cfg.Expr {
	name, known := "escape", `"`+escapes
	if single {
		name, known = "python-escape", known+"'"
	}
	return b.Shared(name, func() *cfg.Expr {
		return cfg.Seq(cfg.Text(`\`), cfg.Alt(cfg.Class(charset.Of(known)), cfg.Seq(cfg.Text("u"), cfg.Times(4, 4, hexDigit()))))
	})
}

// Shared calls the rule of that name, creating it with body on first use.
func (b *Set) Shared(name string, body func() *cfg.Expr) *cfg.Expr {
	key := valueKey{name: name}
	r := b.values[key]
	if r == nil {
		r = b.NewRule(name)
		b.values[key] = r
		r.Body = body()
	}
	return r.Call()
}

// StringChars are the characters that may stand unescaped in a JSON string, quotes included.
var StringChars = charset.New(charset.Range{Hi: 0x1F}, charset.Range{Lo: '\\', Hi: '\\'}, charset.Range{Lo: 0x7F, Hi: 0x7F}).Complement()

func hexDigit() *cfg.Expr {
	return cfg.Chars(charset.Range{Lo: '0', Hi: '9'}, charset.Range{Lo: 'a', Hi: 'f'}, charset.Range{Lo: 'A', Hi: 'F'})
}
