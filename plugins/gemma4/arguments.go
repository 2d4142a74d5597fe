package gemma4

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// The notation of arguments is JSON without quotes around names, and with a token of its own around strings, which stand as
// they are:
//
//	{name:<|"|>a "b" \n c<|"|>,size:1.5e3,tags:[<|"|>x<|"|>],more:{on:true,at:null}}
//
// Names in quotes, JSON strings, strings without any quotes, values left out and white space are tolerated.

// members are the members of an object that follows s, without the brackets.
func (p program) members(s jsonschema.Schema) peg.ID {
	return p.Once("members "+s.Key(), func() peg.ID { return p.Arguments(s, ",", p.member) })
}

// list is one or more of kid, with commas between them.
func (p program) list(kid peg.ID) peg.ID {
	comma := p.Once("~comma", func() peg.ID { return p.Lit(",") })
	return p.Seq(kid, p.Gap(), p.Star(p.Lit(","), p.Gap(), kid, p.Gap()), p.Optional(comma))
}

// member is a name and its value; an empty name is any.
func (p program) member(name string, s jsonschema.Schema) peg.ID {
	text := p.Lit(name)
	if name == "" {
		text = p.anyName()
	}
	key := p.Tag(peg.Key, text)
	quoted := p.loose(p.Lit(p.quote), key, p.Lit(p.quote))
	jsonQuoted := p.loose(p.Lit(`"`), key, p.Lit(`"`))
	header := p.Atomic(p.Choice(key, quoted, jsonQuoted), p.SmallGap(), p.Lit(":"))
	return p.Rule(p.Fresh("member"), p.Seq(header, p.Gap(), p.Choice(p.value(s, true), p.leftOut()), p.Gap()))
}

// leftOut stands in place of a value that is null, unless the output ends there.
func (p program) leftOut() peg.ID {
	return p.Once("~left-out", func() peg.ID {
		return p.Peek(p.Choice(p.Lit(","), p.Lit("}"), p.Lit(p.callEnd)))
	})
}

// loose is kids, in sequence, for the parser alone. It has no name of its own, so that it can stand anywhere.
func (p program) loose(kids ...peg.ID) peg.ID {
	return p.Seq(append([]peg.ID{p.Once("~loose", p.Empty)}, kids...)...)
}

// anyName is a name that no schema declares: it may hold anything that does not look like a value.
func (p program) anyName() peg.ID {
	return p.Once("name", func() peg.ID {
		none := []peg.Range{{Hi: 0x1F}, {Lo: '"', Hi: '"'}, {Lo: ',', Hi: ','}, {Lo: ':', Hi: ':'}, {Lo: '<', Hi: '>'},
			{Lo: '[', Hi: ']'}, {Lo: '{', Hi: '}'}}
		return p.Seq(p.NotChars(1, 1, append(slices.Clone(none), peg.Range{Lo: ' ', Hi: ' '})...), p.NotChars(0, 127, none...))
	})
}
