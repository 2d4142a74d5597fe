package markup

import (
	"context"
	_ "embed"

	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

//go:embed cdata.jsonl
var cdataCases []byte

// Calls are elements. Text with markup or line ends is in a CDATA section; other values are plain.
const (
	functionStart = `<function name="`
	functionEnd   = "</function>"
	paramStart    = `<param name="`
	paramEnd      = "</param>"
	nameEnd       = `">`
	cdataStart    = "<![CDATA["
	cdataEnd      = "]]>"
)

// cdata handles templates that write texts in CDATA sections.
type cdata struct{}

var _ handler.Handler = cdata{}

// Describe returns the same description as markup.yaml.
func (cdata) Describe() handler.Description {
	return handler.Description{
		Name: "minicpm5", Version: "1.0.0", Priority: 100, Cases: cdataCases,
		Match: `source contains "<![CDATA[" and source contains "<param name=\""`,
	}
}

// Plan plans a request.
func (cdata) Plan(_ context.Context, in handler.Input) (*handler.Plan, error) {
	p := sections{turn.New(in.Request, turn.Format{
		ThinkStart: "<think>", ThinkEnd: "</think>", Opened: "<think>\n", Closed: "\n</think>\n\n",
		Openers: []string{functionStart}, Promoters: []string{"\n" + functionStart}, Ends: []string{"<|im_end|>"},
		Preserved: []string{"<function", "<param", functionEnd, paramEnd, "<think>", "</think>"},
	})}
	return p.Turn.Plan(p.calls())
}

// sections builds the part of the program that parses calls.
type sections struct{ *turn.Turn }

func (p sections) calls() peg.ID {
	header := func(name peg.ID) peg.ID {
		return p.Atomic(p.Lit(functionStart), p.Tag(peg.CallName, name), p.Lit(nameEnd))
	}
	call := p.Rule("call", p.Tag(peg.Call, p.ByName(header, p.arguments), p.Closer(functionEnd)))
	calls := p.Trigger("calls", p.Several(call, ""))
	p.EndThinkingAt(func() peg.ID {
		return p.Seq(p.KnownName(header), p.Blanks(), p.OneOf(paramStart, functionEnd))
	}, func() peg.ID { return calls })
	return calls
}

func (p sections) arguments(s jsonschema.Schema) peg.ID {
	return p.Seq(p.Space(), p.Tag(peg.Object, p.Arguments(s, "", p.argument)))
}

func (p sections) argument(name string, s jsonschema.Schema) peg.ID {
	header := p.Atomic(p.Lit(paramStart), p.Tag(peg.Key, p.ArgumentName(name)), p.Lit(nameEnd))
	return p.Seq(header, p.Typed(s, paramEnd, p.text), p.Lit(paramEnd), p.Space())
}

// text matches a string: in a CDATA section, up to the end of one that ends the argument, too; or
// plain, if it begins no markup. Other markup is for the parser alone.
func (p sections) text(s jsonschema.Schema) peg.ID {
	only := s.Only(jsonschema.String)
	more := p.Once("~section-goes-on", func() peg.ID {
		end := p.Seq(p.Lit(cdataEnd), p.Blanks(), p.Choice(p.Lit(paramEnd), p.End()))
		return p.Seq(p.Not(end), p.Any(), p.Until(cdataEnd))
	})
	inside := p.Tag(peg.String, p.RawSchema(only, p.Until(cdataEnd)), p.Star(more))
	section := p.Seq(p.Space(), p.Lit(cdataStart), inside, p.Closer(cdataEnd))
	markup := p.Once("~markup", func() peg.ID {
		return p.Seq(p.Peek(p.Lit("<")), p.Not(p.Lit(paramEnd)), p.Verbatim(jsonschema.Schema{}, paramEnd))
	})
	first := p.NotChars(1, 1, peg.Range{Lo: '<', Hi: '<'})
	plain := p.Tag(peg.String, p.RawSchema(only, p.Optional(first, p.Until(paramEnd))))
	return p.Choice(section, markup, plain)
}
