package gemma4

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// The notation of arguments is JSON without quotes around names, and with a special token around
// strings, which are not escaped:
//
//	{name:<|"|>a "b" \n c<|"|>,size:1.5e3,tags:[<|"|>x<|"|>],more:{on:true,at:null}}
//
// Quoted names, JSON strings, unquoted strings, omitted values and white space are tolerated.

// members matches the members of an object that follows s, without the brackets.
func (p program) members(s jsonschema.Schema) peg.ID {
	return p.Once("members "+s.Key(), func() peg.ID { return p.Arguments(s, ",", p.member) })
}

// member matches a name and its value; an empty name stands for any name.
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

// leftOut matches nothing in place of a value that is null, except at the end of the output.
func (p program) leftOut() peg.ID {
	return p.Once("~left-out", func() peg.ID {
		return p.Peek(p.Choice(p.Lit(","), p.Lit("}"), p.Lit(p.callEnd)))
	})
}

// loose matches kids, in sequence, for the parser alone. All its uses share a rule, which matches
// nothing, so it needs no names.
func (p program) loose(kids ...peg.ID) peg.ID {
	return p.Seq(append([]peg.ID{p.Once("~loose", p.Empty)}, kids...)...)
}

// anyName matches a name that no schema declares: anything that does not look like a value.
func (p program) anyName() peg.ID {
	none := []peg.Range{{Hi: 0x1F}, {Lo: '"', Hi: '"'}, {Lo: ',', Hi: ','}, {Lo: ':', Hi: ':'}, {Lo: '<', Hi: '>'},
		{Lo: '[', Hi: ']'}, {Lo: '{', Hi: '}'}}
	if declared := p.Declared(); declared != nil {
		return p.OtherThan(declared, append(none, peg.Range{Lo: ' ', Hi: ' '})...)
	}
	return p.Once("name", func() peg.ID {
		return p.Seq(p.NotChars(1, 1, append(slices.Clone(none), peg.Range{Lo: ' ', Hi: ' '})...), p.NotChars(0, 127, none...))
	})
}
