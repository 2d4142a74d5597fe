package main

import (
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/schema"
)

// scalars are the kinds of values that are spelled as in JSON.
const scalars = peg.NumberValue | peg.BoolValue | peg.NullValue

// value is a value that follows s, as a member of an object or as an item of an array. The parser reads values of other kinds,
// too; one without any quotes is what it looks like, unless only a string is allowed.
func (p *program) value(s schema.Schema, member bool) peg.ID {
	name := "item " + s.Key()
	if member {
		name = "value " + s.Key()
	}
	return p.Once(name, func() peg.ID {
		kinds := s.Kinds()
		ways := []peg.ID{
			p.kind(kinds, peg.StringValue, p.quoted, s),
			p.kind(kinds, peg.ObjectValue, p.object, s),
			p.kind(kinds, peg.ArrayValue, p.array, s),
		}
		if kinds != peg.StringValue {
			ways = append(ways, p.kind(kinds, scalars, p.scalar, s))
		}
		return p.Choice(append(ways, p.jsonString(), p.bare(member))...)
	})
}

// kind is a value of one of some kinds. Where s allows none of them, it is read all the same.
func (p *program) kind(allowed, kinds peg.Values, value func(schema.Schema) peg.ID, s schema.Schema) peg.ID {
	if allowed&kinds == 0 {
		return p.loose(value(schema.Schema{}))
	}
	return value(s)
}

func (p *program) object(s schema.Schema) peg.ID {
	return p.Once("object "+s.Key(), func() peg.ID {
		return p.Seq(p.Lit("{"), p.gap(), p.Tag(peg.Object, p.members(s)), p.gap(), p.Lit("}"))
	})
}

func (p *program) array(s schema.Schema) peg.ID {
	return p.Once("array "+s.Key(), func() peg.ID {
		items := p.Optional(p.list(p.value(s.Items(), false)))
		return p.Seq(p.Lit("["), p.gap(), p.Tag(peg.Array, items), p.gap(), p.Lit("]"))
	})
}

// quoted is a string in the quotes of the notation. It goes on over quotes behind which nothing follows that may follow a
// value.
func (p *program) quoted(s schema.Schema) peg.ID {
	more := p.Once("~quote-in-text", func() peg.ID {
		end := p.Seq(p.Lit(quote), p.blanks(), p.Choice(p.Lit(","), p.Lit("}"), p.Lit("]"), p.boundary()))
		return p.Seq(p.Not(end), p.Lit(quote), p.Until(quote))
	})
	return p.Seq(p.Lit(quote), p.Tag(peg.String, p.RawSchema(s.Only(peg.StringValue), p.Until(quote)), p.Star(more)), p.Lit(quote))
}

// scalar is a number, a boolean or null. It is looked at whole before it is taken for what it looks like.
func (p *program) scalar(s schema.Schema) peg.ID {
	end := p.Once("~scalar-end", func() peg.ID {
		return p.Seq(p.blanks(), p.Choice(p.Lit(","), p.Lit("}"), p.Lit("]"), p.boundary()))
	})
	return p.Atomic(p.Tag(peg.Scalar, p.Schema(s.Only(scalars), p.literal())), p.Peek(end))
}

// maxDigits is how many digits a part of a number may have; what has more is text.
const maxDigits = 400

func (p *program) literal() peg.ID {
	return p.Once("scalar", func() peg.ID {
		digit := peg.Range{Lo: '0', Hi: '9'}
		whole := p.Choice(p.Lit("0"), p.Seq(p.Chars(1, 1, peg.Range{Lo: '1', Hi: '9'}), p.Chars(0, maxDigits, digit)))
		exponent := p.Seq(p.Chars(1, 1, peg.Range{Lo: 'e', Hi: 'e'}, peg.Range{Lo: 'E', Hi: 'E'}),
			p.Chars(0, 1, peg.Range{Lo: '+', Hi: '+'}, peg.Range{Lo: '-', Hi: '-'}), p.Chars(1, 4, digit))
		number := p.Seq(p.Optional(p.Lit("-")), whole, p.Optional(p.Lit("."), p.Chars(1, maxDigits, digit)), p.Optional(exponent))
		return p.Choice(number, p.Lit("true"), p.Lit("false"), p.Lit("null"),
			p.loose(p.Choice(p.Lit("True"), p.Lit("False"), p.Lit("None"))))
	})
}

// jsonString is a string as JSON has it.
func (p *program) jsonString() peg.ID {
	return p.Once("~json-string", func() peg.ID {
		return p.Seq(p.Lit(`"`), p.Tag(peg.QuotedString, p.StringContent(`"`)), p.Lit(`"`))
	})
}

// bare is a string without any quotes. A member of an object goes on over commas and brackets behind which no other member and
// no end follows; an item of an array does not.
func (p *program) bare(member bool) peg.ID {
	name, delimiters, end := "~bare-item", []string{",", "]", "<"}, p.bareItemEnd
	if member {
		name, delimiters, end = "~bare-value", []string{",", "}", "<"}, p.bareValueEnd
	}
	return p.Once(name, func() peg.ID {
		more := p.Seq(p.Not(end()), p.Any(), p.Until(delimiters...))
		return p.Seq(p.Not(end()), p.Tag(peg.String, p.Any(), p.Until(delimiters...), p.Star(more)))
	})
}

func (p *program) bareItemEnd() peg.ID {
	return p.Once("~bare-item-end", func() peg.ID { return p.Choice(p.Lit(","), p.Lit("]"), p.boundary()) })
}

func (p *program) bareValueEnd() peg.ID {
	return p.Once("~bare-value-end", func() peg.ID {
		key := p.Choice(p.Lit(quote), p.Lit(`"`), p.Seq(p.Chars(1, maxName, nameRanges...), p.blanks(), p.Lit(":")))
		next := p.Seq(p.Lit(","), p.blanks(), p.Choice(key, p.Lit("}")))
		last := p.Seq(p.Lit("}"), p.blanks(), p.Choice(p.Lit(","), p.Lit("}"), p.Lit("]"), p.boundary()))
		return p.Choice(next, last, p.boundary())
	})
}

// boundary is what no value goes over: the end of a call, or of the output.
func (p *program) boundary() peg.ID {
	return p.Once("~boundary", func() peg.ID {
		return p.Choice(p.Lit(callEnd), p.Lit(callStart), p.Lit(turnEnd), p.Lit(responseStart), p.End())
	})
}
