package turn

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// The value of an argument in markup is text; only the schema tells its type. A value is a number,
// a boolean or null if the schema allows one and the whole text is one, and a string otherwise. So
// a value of the wrong type is delivered as text rather than lost.

// Scalars are the kinds of values that are short enough for bounded lookahead. Containers are the
// kinds that hold other values.
const (
	Scalars    = peg.NumberValue | peg.BoolValue | peg.NullValue
	Containers = peg.ObjectValue | peg.ArrayValue
)

// Short matches a number, a boolean or null before end, if s allows one, and the white space before
// it.
func (t *Turn) Short(s jsonschema.Schema, end string) peg.ID {
	return t.ShortBefore(s, peg.Values(s.Kinds()), t.Peek(t.Seq(t.Blanks(), t.Lit(end))))
}

// ShortBefore is Short for the given kinds of values, with a lookahead that must match after the
// value.
func (t *Turn) ShortBefore(s jsonschema.Schema, kinds peg.Values, end peg.ID) peg.ID {
	spelled := kinds & Scalars
	if kinds&peg.StringValue == 0 {
		spelled = Scalars // what looks like one cannot be anything else
	}
	whole := kinds&peg.StringValue != 0 && s.Whole() // then "1.5" is a string
	value := t.Schema(s.Only((kinds & Scalars).Kinds()), t.scalar(spelled, whole))
	return t.Seq(t.Space(), t.Atomic(t.Tag(peg.Scalar, value), end))
}

// Verbatim matches a string as it is, up to one of ends. Only grammars enforce the schema.
func (t *Turn) Verbatim(s jsonschema.Schema, ends ...string) peg.ID {
	return t.Tag(peg.String, t.RawSchema(s.Only(jsonschema.String), t.Until(ends...)))
}

// Typed matches a value that follows s, up to end, which it does not consume. A value that looks
// like one of the kinds that the schema allows besides strings is read as that, with the white
// space around it; text builds the node for any other value, which is a string.
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

// ContainerAhead matches the beginning of an object or an array, so that "[sic]" is text.
func (t *Turn) ContainerAhead() peg.ID {
	return t.Once("~container", func() peg.ID {
		array := t.Seq(t.Lit("["), t.Blanks(), t.Chars(1, 1, oneOfChars(`"'{[]-0123456789tfnTFN`)...))
		return t.Choice(t.ObjectAhead(), array)
	})
}

// ObjectAhead matches the beginning of an object.
func (t *Turn) ObjectAhead() peg.ID {
	return t.Seq(t.Lit("{"), t.Blanks(), t.Chars(1, 1, oneOfChars(`"'}`)...))
}

func oneOfChars(chars string) (ranges []peg.Range) {
	for _, c := range chars {
		ranges = append(ranges, peg.Range{Lo: c, Hi: c})
	}
	return ranges
}

// maxDigits bounds the digits of a number; longer ones are text.
const maxDigits = 400

// Scalar matches a number, a boolean or null as JSON or Python writes it, up to a bounded length.
func (t *Turn) Scalar() peg.ID { return t.scalar(Scalars, false) }

// scalar is Scalar for the given kinds, where numbers may have to be whole.
func (t *Turn) scalar(kinds peg.Values, whole bool) peg.ID {
	var ways []peg.ID
	if kinds&peg.NumberValue != 0 && whole {
		ways = append(ways, t.Once("integer", t.integer))
	} else if kinds&peg.NumberValue != 0 {
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

var digit = peg.Range{Lo: '0', Hi: '9'}

func (t *Turn) integer() peg.ID {
	whole := t.Choice(t.Lit("0"), t.Seq(t.Chars(1, 1, peg.Range{Lo: '1', Hi: '9'}), t.Chars(0, maxDigits, digit)))
	return t.Seq(t.Optional(t.Lit("-")), whole)
}

func (t *Turn) number() peg.ID {
	exponent := t.Seq(t.Chars(1, 1, peg.Range{Lo: 'e', Hi: 'e'}, peg.Range{Lo: 'E', Hi: 'E'}),
		t.Chars(0, 1, peg.Range{Lo: '+', Hi: '+'}, peg.Range{Lo: '-', Hi: '-'}), t.Chars(1, 4, digit))
	return t.Seq(t.Once("integer", t.integer), t.Optional(t.Lit("."), t.Chars(1, maxDigits, digit)), t.Optional(exponent))
}
