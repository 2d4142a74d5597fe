package turn

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// The value of an argument in markup is text; only the schema says what it is. It is a number, a boolean or null where the
// schema allows one and the whole text is one, and a string in every other case, so that a value that does not have the type
// it should have is delivered as text rather than lost.

// Scalars are the kinds of values that are short enough to be looked at whole, and Containers those that hold others.
const (
	Scalars    = peg.NumberValue | peg.BoolValue | peg.NullValue
	Containers = peg.ObjectValue | peg.ArrayValue
)

// Short is a number, a boolean or null that end follows, where s allows one. It takes the white space before it.
func (t *Turn) Short(s jsonschema.Schema, end string) peg.ID {
	return t.ShortBefore(s, peg.Values(s.Kinds()), t.Peek(t.Seq(t.Blanks(), t.Lit(end))))
}

// ShortBefore is Short for values of the given kinds, which the lookahead end must follow.
func (t *Turn) ShortBefore(s jsonschema.Schema, kinds peg.Values, end peg.ID) peg.ID {
	spelled := kinds & Scalars
	if kinds&peg.StringValue == 0 {
		spelled = Scalars // nothing else can be meant by what looks like one
	}
	value := t.Schema(s.Only((kinds & Scalars).Kinds()), t.scalar(spelled))
	return t.Seq(t.Space(), t.Atomic(t.Tag(peg.Scalar, value), end))
}

// Verbatim is a string as it stands, up to one of ends. A schema holds only grammars to it.
func (t *Turn) Verbatim(s jsonschema.Schema, ends ...string) peg.ID {
	return t.Tag(peg.String, t.RawSchema(s.Only(jsonschema.String), t.Until(ends...)))
}

// Typed is a value that follows s, up to end, which it does not consume: what the schema allows besides strings where the text
// looks like it, with the white space around it; otherwise what text makes of the schema, which is not asked for more than a
// string.
func (t *Turn) Typed(s jsonschema.Schema, end string, text func(jsonschema.Schema) peg.ID) peg.ID {
	kinds := peg.Values(s.Kinds())
	var ways []peg.ID
	if kinds&Scalars != 0 {
		ways = append(ways, t.Seq(t.Short(s, end), t.Space()))
	}
	if held := kinds & Containers; held != 0 {
		value := t.Schema(s.Only(held.Kinds()), t.Value(held|peg.PythonLiterals|peg.PythonQuotes))
		ways = append(ways, t.Seq(t.Space(), t.Peek(t.ContainerAhead()), t.Tag(peg.Scalar, value), t.Space()))
	}
	if kinds&peg.StringValue != 0 {
		return t.Choice(append(ways, text(s))...)
	}
	return t.Choice(append(ways, t.Once("~mistyped", func() peg.ID { return text(jsonschema.Schema{}) }))...)
}

// ContainerAhead matches what an object or an array can begin with, so that "[sic]" is text.
func (t *Turn) ContainerAhead() peg.ID {
	return t.Once("~container", func() peg.ID {
		array := t.Seq(t.Lit("["), t.Blanks(), t.Chars(1, 1, oneOfChars(`"'{[]-0123456789tfnTFN`)...))
		return t.Choice(t.ObjectAhead(), array)
	})
}

// ObjectAhead matches what an object can begin with.
func (t *Turn) ObjectAhead() peg.ID {
	return t.Seq(t.Lit("{"), t.Blanks(), t.Chars(1, 1, oneOfChars(`"'}`)...))
}

func oneOfChars(chars string) (ranges []peg.Range) {
	for _, c := range chars {
		ranges = append(ranges, peg.Range{Lo: c, Hi: c})
	}
	return ranges
}

// maxDigits is how many digits a number may have; more are text.
const maxDigits = 400

// Scalar is the spelling of a number, a boolean or null, as JSON or Python has it. What is longer than any is text.
func (t *Turn) Scalar() peg.ID { return t.scalar(Scalars) }

// scalar is that of the kinds given.
func (t *Turn) scalar(kinds peg.Values) peg.ID {
	var ways []peg.ID
	if kinds&peg.NumberValue != 0 {
		ways = append(ways, t.Once("number", t.number))
	}
	if kinds&peg.BoolValue != 0 {
		ways = append(ways, t.Once("boolean", func() peg.ID { return t.OneOf("true", "True", "false", "False") }))
	}
	if kinds&peg.NullValue != 0 {
		ways = append(ways, t.Once("null", func() peg.ID { return t.OneOf("null", "None") }))
	}
	return t.Choice(ways...)
}

func (t *Turn) number() peg.ID {
	digit := peg.Range{Lo: '0', Hi: '9'}
	whole := t.Choice(t.Lit("0"), t.Seq(t.Chars(1, 1, peg.Range{Lo: '1', Hi: '9'}), t.Chars(0, maxDigits, digit)))
	exponent := t.Seq(t.Chars(1, 1, peg.Range{Lo: 'e', Hi: 'e'}, peg.Range{Lo: 'E', Hi: 'E'}),
		t.Chars(0, 1, peg.Range{Lo: '+', Hi: '+'}, peg.Range{Lo: '-', Hi: '-'}), t.Chars(1, 4, digit))
	return t.Seq(t.Optional(t.Lit("-")), whole, t.Optional(t.Lit("."), t.Chars(1, maxDigits, digit)), t.Optional(exponent))
}
