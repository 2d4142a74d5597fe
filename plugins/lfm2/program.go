package lfm2

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// program builds the part of the program that parses calls: a list between two tokens.
type program struct{ *turn.Turn }

func (p program) calls() peg.ID {
	header := func(name peg.ID) peg.ID { return p.Atomic(p.Tag(peg.CallName, name), p.Lit("(")) }
	call := p.Tag(peg.Call, p.ByName(header, p.arguments), p.Tolerate(p.Lit(")")))
	list := p.Rule("list", p.Several(p.Choice(call, p.jsonCall()), ","))
	none := p.Only("none", p.Peek(p.Lit("]")))
	bracketed := p.Seq(p.Lit("["), p.Space(), p.Choice(list, none), p.Closer("]"))
	bare := p.Only("no-brackets", p.Choice(list, p.Peek(p.Lit(callsEnd))))
	calls := p.Trigger("calls", p.Seq(p.Start(callsStart), p.Choice(bracketed, bare), p.Closer(callsEnd)))
	p.EndThinkingAt(func() peg.ID {
		argument := p.Seq(p.ArgumentName(""), p.Blanks(), p.Lit("="))
		return p.Seq(p.Start(callsStart), p.Optional(p.Lit("["), p.Blanks()), p.KnownName(header), p.Blanks(), p.Choice(p.Lit(")"), argument))
	}, func() peg.ID { return calls })
	return calls
}

// jsonCall matches a call in JSON, as models write it if their instructions ask for JSON.
func (p program) jsonCall() peg.ID {
	member := func(key peg.ID, value ...peg.ID) peg.ID {
		return p.Seq(append([]peg.ID{key, p.Blanks(), p.Lit(":"), p.Blanks()}, value...)...)
	}
	header := func(name peg.ID) peg.ID {
		named := member(p.Lit(`"name"`), p.Lit(`"`), p.Tag(peg.CallName, name), p.Lit(`"`))
		return p.Atomic(p.Lit("{"), p.Blanks(), named, p.Blanks(), p.Lit(","), p.Blanks(), member(p.Choice(p.Lit(`"arguments"`), p.Lit(`"parameters"`))))
	}
	arguments := p.Tag(peg.Arguments, p.Value(peg.ObjectValue))
	return p.Only("json-call", p.Tag(peg.Call, header(p.AnyName()), arguments, p.Space(), p.Tolerate(p.Lit("}"))))
}

func (p program) arguments(s jsonschema.Schema) peg.ID {
	return p.Seq(p.Space(), p.Arguments(s, ",", p.argument))
}

func (p program) argument(name string, s jsonschema.Schema) peg.ID {
	key := p.Atomic(p.Tag(peg.Key, p.ArgumentName(name)), p.Blanks(), p.Lit("="))
	value := p.Tag(peg.Scalar, p.Schema(s.Only(jsonschema.Any), p.Value(peg.AnyPython)))
	text := p.Once("~text", func() peg.ID {
		return p.Choice(p.lines("'''"), p.lines(`"""`), p.text("'"), p.text(`"`))
	})
	bare := p.Seq(p.Not(p.Lit("'")), p.Not(p.Lit(`"`)), value) // lookaheads are for the parser alone
	return p.Seq(key, p.Space(), p.Choice(text, bare), p.Space())
}

// text matches a string up to the quote that ends it. Templates quote without escaping, and models
// learn it from them: a quote that is not followed by what may follow a string is part of it.
func (p program) text(quote string) peg.ID {
	end := p.Seq(p.Lit(quote), p.Blanks(), p.Choice(p.Lit(")"), p.Lit(","), p.listEnd(), p.End()))
	inside := p.StringContent(quote)
	return p.Seq(p.Lit(quote), p.Tag(peg.QuotedString, inside, p.Star(p.Not(end), p.Lit(quote), inside)), p.Lit(quote))
}

// listEnd matches the end of a list whose last call is not closed.
func (p program) listEnd() peg.ID {
	return p.Once("~list-end", func() peg.ID { return p.Seq(p.Optional(p.Lit("]"), p.Blanks()), p.Lit(callsEnd)) })
}

// lines matches a string of several lines, without escapes.
func (p program) lines(quotes string) peg.ID {
	return p.Seq(p.Lit(quotes), p.Tag(peg.String, p.Until(quotes)), p.Tolerate(p.Lit(quotes)))
}
