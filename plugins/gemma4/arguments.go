package main

import (
	"slices"
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/schema"
)

// The notation of arguments is JSON without quotes around names, and with a token of its own around strings, which stand as
// they are:
//
//	{name:<|"|>a "b" \n c<|"|>,size:1.5e3,tags:[<|"|>x<|"|>],more:{on:true,at:null}}
//
// Names in quotes, JSON strings, strings without any quotes, values left out and white space are tolerated.

// members are the members of an object that follows s, without the brackets.
func (p *program) members(s schema.Schema) peg.ID {
	return p.Once("members "+s.Key(), func() peg.ID {
		var all, required, optional []peg.ID
		for _, property := range s.Properties() {
			m := p.member(p.Lit(property.Name), property.Schema)
			all = append(all, m)
			if slices.Contains(s.Required(), property.Name) {
				required = append(required, m)
			} else {
				optional = append(optional, m)
			}
		}
		if additional, ok := s.Additional(); ok {
			other := p.member(p.anyName(), additional)
			all, optional = append(all, other), append(optional, other)
		} else {
			all = append(all, p.Once("~other-member", func() peg.ID { return p.member(p.anyName(), schema.Schema{}) }))
		}
		list := p.Optional(p.list(p.named("any-member", p.Choice(all...))))
		if len(required) == 0 {
			return list
		}
		return p.Choice(p.Only("members "+s.Key(), list), p.complete(required, optional))
	})
}

// list is one or more of kid, with commas between them.
func (p *program) list(kid peg.ID) peg.ID {
	comma := p.Once("~comma", func() peg.ID { return p.Lit(",") })
	return p.Seq(kid, p.gap(), p.Star(p.Lit(","), p.gap(), kid, p.gap()), p.Optional(comma))
}

// maxOrders is how many required members are held to exactly, in every order: the grammar doubles with each. Of more, grammars
// hold to the number.
const maxOrders = 4

// complete is all of the required members, in any order, with others between them.
func (p *program) complete(required, optional []peg.ID) peg.ID {
	next := func(ways ...peg.ID) peg.ID { return p.Seq(p.Lit(","), p.Choice(ways...)) }
	others := p.Empty()
	if len(optional) > 0 {
		others = p.named("others", p.Star(next(optional...)))
	}
	n := len(required)
	if n > maxOrders {
		again := min(n-1, peg.MaxRepeat)
		ways := slices.Clone(required)
		if len(optional) > 0 {
			ways = append(ways, p.Seq(p.Choice(optional...), others, next(required...)))
		}
		return p.Seq(p.Choice(ways...), others, p.Repeat(again, again, p.Seq(next(required...), others)))
	}
	rest := make([]peg.ID, 1<<n) // by the set of those that are still missing
	rest[0] = others
	for set := 1; set < 1<<n; set++ {
		var ways []peg.ID
		for i, r := range required {
			if set&(1<<i) != 0 {
				ways = append(ways, p.Seq(next(r), rest[set&^(1<<i)]))
			}
		}
		rest[set] = p.named("missing", p.Seq(others, p.Choice(ways...)))
	}
	all := 1<<n - 1
	var ways []peg.ID
	for i, r := range required {
		ways = append(ways, p.Seq(r, rest[all&^(1<<i)]))
	}
	if len(optional) > 0 {
		ways = append(ways, p.Seq(p.Choice(optional...), rest[all]))
	}
	return p.Choice(ways...)
}

// member is a name and its value.
func (p *program) member(name peg.ID, s schema.Schema) peg.ID {
	key := p.Tag(peg.Key, name)
	quoted := p.loose(p.Lit(quote), key, p.Lit(quote))
	jsonQuoted := p.loose(p.Lit(`"`), key, p.Lit(`"`))
	return p.named("member", p.Seq(p.Atomic(p.Choice(key, quoted, jsonQuoted), p.blanks(), p.Lit(":")), p.gap(), p.Tolerate(p.value(s, true))))
}

// named makes a rule of what is used in several places: a rule is compiled once, anything else wherever it stands.
func (p *program) named(name string, kid peg.ID) peg.ID {
	p.names++
	return p.Rule(name+"-"+strconv.Itoa(p.names), kid)
}

// loose is kids, in sequence, for the parser alone. It has no name of its own, so that it can stand anywhere.
func (p *program) loose(kids ...peg.ID) peg.ID {
	return p.Seq(append([]peg.ID{p.Once("~loose", p.Empty)}, kids...)...)
}

// anyName is a name that no schema declares: it may hold anything that does not look like a value.
func (p *program) anyName() peg.ID {
	return p.Once("name", func() peg.ID {
		none := []peg.Range{{Hi: 0x1F}, {Lo: '"', Hi: '"'}, {Lo: ',', Hi: ','}, {Lo: ':', Hi: ':'}, {Lo: '<', Hi: '>'},
			{Lo: '[', Hi: ']'}, {Lo: '{', Hi: '}'}}
		return p.Seq(p.NotChars(1, 1, append(slices.Clone(none), blank...)...), p.NotChars(0, maxName, none...))
	})
}
