package gemma4

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// value matches a value that follows s, as a member of an object or an item of an array. The parser
// accepts values of other kinds, too; an unquoted value is read as what it looks like, unless only
// a string is allowed.
func (p program) value(s jsonschema.Schema, member bool) peg.ID {
	name := "item " + s.Key()
	if member {
		name = "value " + s.Key()
	}
	return p.Once(name, func() peg.ID {
		kinds := peg.Values(s.Kinds())
		ways := []peg.ID{
			p.kind(kinds, peg.StringValue, p.quoted, s),
			p.kind(kinds, peg.ObjectValue, p.object, s),
			p.kind(kinds, peg.ArrayValue, p.array, s),
		}
		if kinds != peg.StringValue {
			ways = append(ways, p.kind(kinds, turn.Scalars, p.scalar, s))
		}
		return p.Choice(append(ways, p.jsonString(), p.bare(member))...)
	})
}

// kind matches a value of the given kinds; for the parser alone if s allows none of them.
func (p program) kind(allowed, kinds peg.Values, value func(jsonschema.Schema) peg.ID, s jsonschema.Schema) peg.ID {
	if allowed&kinds == 0 {
		return p.loose(value(jsonschema.Schema{}))
	}
	return value(s)
}

func (p program) object(s jsonschema.Schema) peg.ID {
	return p.Once("object "+s.Key(), func() peg.ID {
		return p.Seq(p.Lit("{"), p.Gap(), p.Tag(peg.Object, p.members(s)), p.Gap(), p.Lit("}"))
	})
}

func (p program) array(s jsonschema.Schema) peg.ID {
	return p.Once("array "+s.Key(), func() peg.ID {
		items := p.Items(s, ",", p.Seq(p.value(s.Items(), false), p.Gap()))
		return p.Seq(p.Lit("["), p.Gap(), p.Tag(peg.Array, items), p.Gap(), p.Lit("]"))
	})
}

// quoted matches a string in the quotes of the notation. It continues past quotes that are not
// followed by what may follow a value.
func (p program) quoted(s jsonschema.Schema) peg.ID {
	end := p.Once("~quote-end", func() peg.ID { return p.Seq(p.Lit(p.quote), p.valueEnd()) })
	return p.Seq(p.Lit(p.quote), p.Tag(peg.String, p.RawSchema(s.Only(jsonschema.String), p.Until(p.quote)), p.Beyond(end, p.quote)), p.Lit(p.quote))
}

// valueEnd matches what may follow a value.
func (p program) valueEnd() peg.ID {
	return p.Once("~value-end", func() peg.ID {
		return p.Seq(p.SmallGap(), p.Choice(p.Lit(","), p.Lit("}"), p.Lit("]"), p.boundary()))
	})
}

// scalar matches a number, a boolean or null, if the whole text is one.
func (p program) scalar(s jsonschema.Schema) peg.ID {
	return p.Atomic(p.Tag(peg.Scalar, p.Schema(s.Only(turn.Scalars.Kinds()), p.Scalar())), p.Peek(p.valueEnd()))
}

// jsonString matches a string as JSON writes it.
func (p program) jsonString() peg.ID {
	return p.Once("~json-string", func() peg.ID {
		return p.Seq(p.Lit(`"`), p.Tag(peg.QuotedString, p.StringContent(`"`)), p.Lit(`"`))
	})
}

// bare matches an unquoted string. In an object it continues past commas and brackets that are not
// followed by another member or an end; in an array it does not.
func (p program) bare(member bool) peg.ID {
	name, delimiters, end := "~bare-item", []string{",", "]", "<"}, p.bareItemEnd
	if member {
		name, delimiters, end = "~bare-value", []string{",", "}", "<"}, p.bareValueEnd
	}
	return p.Once(name, func() peg.ID {
		return p.Seq(p.Not(end()), p.Tag(peg.String, p.Any(), p.Until(delimiters...), p.Beyond(end(), delimiters...)))
	})
}

func (p program) bareItemEnd() peg.ID {
	return p.Once("~bare-item-end", func() peg.ID { return p.Choice(p.Lit(","), p.Lit("]"), p.boundary()) })
}

func (p program) bareValueEnd() peg.ID {
	return p.Once("~bare-value-end", func() peg.ID {
		key := p.Choice(p.Lit(p.quote), p.Lit(`"`), p.Seq(p.AnyName(), p.SmallGap(), p.Lit(":")))
		next := p.Seq(p.Lit(","), p.SmallGap(), p.Choice(key, p.Lit("}")))
		last := p.Seq(p.Lit("}"), p.valueEnd())
		return p.Choice(next, last, p.boundary())
	})
}

// boundary matches what ends any value: the end of a call, or of the output.
func (p program) boundary() peg.ID {
	return p.Once("~boundary", func() peg.ID {
		return p.Choice(p.Lit(p.callEnd), p.Lit(p.callStart), p.Lit(p.turnEnd), p.Lit(p.responseStart), p.End())
	})
}
