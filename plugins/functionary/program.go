package main

import (
	"encoding/json"
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/schema"
)

const (
	maxBlanks = 16
	maxName   = 128 // of names of functions and roles
)

var (
	blank      = []peg.Range{{Lo: '\t', Hi: '\r'}, {Lo: ' ', Hi: ' '}}
	nameRanges = []peg.Range{{Lo: 'a', Hi: 'z'}, {Lo: 'A', Hi: 'Z'}, {Lo: '0', Hi: '9'}, {Lo: '_', Hi: '_'}, {Lo: '-', Hi: '-'},
		{Lo: '.', Hi: '.'}}
)

// program builds the program that reads a turn of the assistant: sections, each with a recipient, of which the first is begun
// by the prompt.
//
//	prompt >>>  calls, or  all\n text { >>>calls }  anything more
//
// What a model may write beyond what it should, stands in rules whose names begin with "~": the parser reads it, and the
// grammar made of the same program leaves it out. With them the program reads any text, so that only a call whose arguments
// are no JSON breaks the format.
type program struct {
	peg.Builder
	request *chat.Request
	tools   []chat.Tool // that may be called
}

func newProgram(r *chat.Request) *program {
	p := &program{request: r}
	if r.ToolChoice.Mode != chat.ToolNone {
		p.tools = r.Tools
	}
	return p
}

// mustCall says that the request insists on a call.
func (p *program) mustCall() bool {
	mode := p.request.ToolChoice.Mode
	return len(p.tools) > 0 && (mode == chat.ToolRequired || mode == chat.ToolNamed)
}

// mode is the constraint that the request needs.
func (p *program) mode() grammar.Mode {
	switch {
	case p.mustCall() || p.request.JSONSchema != nil:
		return grammar.Strict
	case len(p.tools) > 0:
		return grammar.Lazy
	}
	return grammar.Free
}

func (p *program) build() *peg.Program {
	if p.request.PureContent {
		return p.Build(p.Seq(p.Prompt(), p.Tag(peg.Content, p.Rest()), p.End()))
	}
	var ways []peg.ID
	if len(p.tools) > 0 {
		ways = append(ways, p.Trigger("call", p.calls()))
	}
	ways = append(ways, p.answer(), p.Only("no-recipient", p.text()))
	more := p.Optional(p.Only("more", p.Star(p.item(), p.text())))
	return p.Build(p.Seq(p.Prompt(section), p.Tolerate(p.Lit(section)), p.Choice(ways...), more, p.End()))
}

// answer is a section for everyone, with calls behind it if there are tools.
func (p *program) answer() peg.ID {
	ways := []peg.ID{}
	if len(p.tools) > 0 {
		ways = append(ways, p.Trigger("next-call", p.Seq(p.Lit(section), p.calls())))
	}
	plain := p.Seq(p.text(), p.Tolerate(ways...))
	if schema := p.request.JSONSchema; schema != nil && !p.mustCall() {
		value := p.Seq(p.gap(), p.Tag(peg.Content, p.Schema(schema, p.Value(peg.AnyJSON))), p.gap())
		return p.Seq(p.toEveryone(), p.Choice(value, p.Only("plain", plain)))
	}
	return p.Seq(p.toEveryone(), plain)
}

func (p *program) toEveryone() peg.ID {
	return p.Seq(p.Lit(everyone), p.blanks(), p.Lit("\n"))
}

// text goes up to the next marker that is really one.
func (p *program) text() peg.ID {
	return p.Seq(p.Tag(peg.Content, p.Until(markers...)), p.Star(p.prose()))
}

// markers are where text can end.
var markers = []string{section, turnEnd, headerStart}

// prose is text that looks like a marker and is none, such as a quotation.
func (p *program) prose() peg.ID {
	return p.Once("~prose", func() peg.ID {
		return p.Seq(p.Not(p.marker()), p.Tag(peg.Content, p.Any(), p.Until(markers...)))
	})
}

// marker is what really ends a text.
func (p *program) marker() peg.ID {
	return p.Once("~marker", func() peg.ID {
		next := p.Choice(p.End(), p.Seq(p.recipient(), p.blanks(), p.Choice(p.Lit("\n"), p.End())))
		if len(p.tools) > 0 {
			unknown := p.Seq(p.Chars(1, maxName, nameRanges...), p.blanks(), p.Choice(p.End(), p.Seq(p.Lit("\n"), p.spaces(), p.Lit("{"))))
			next = p.Choice(next, unknown)
		}
		return p.Choice(p.Seq(p.Lit(section), next), p.Lit(turnEnd), p.header())
	})
}

// recipient is one that is known.
func (p *program) recipient() peg.ID {
	ways := []peg.ID{p.Lit(everyone)}
	if len(p.tools) > 0 {
		ways = append(ways, p.Lit(python))
	}
	for _, t := range p.tools {
		ways = append(ways, p.Lit(t.Name))
	}
	for i, way := range ways {
		ways[i] = p.Seq(way, p.Not(p.Chars(1, 1, nameRanges...)))
	}
	return p.Choice(ways...)
}

// header begins another message, which the model makes up.
func (p *program) header() peg.ID {
	return p.Seq(p.Lit(headerStart), p.Chars(1, maxName, nameRanges...), p.Lit(headerEnd))
}

// item is anything but text.
func (p *program) item() peg.ID {
	next := p.toEveryone()
	if len(p.tools) > 0 {
		next = p.Choice(p.call(), next)
	}
	start := p.Trigger("section", p.Seq(p.Lit(section), p.Choice(next, p.End())))
	return p.Choice(start, p.Seq(p.Lit(turnEnd), p.gap()), p.Seq(p.header(), p.gap()))
}

// calls are the calls of a turn: several, where the request allows it. The first one's section has begun.
func (p *program) calls() peg.ID {
	if !p.request.ParallelToolCalls {
		return p.call()
	}
	return p.Seq(p.call(), p.Star(p.Lit(section), p.call()))
}

// call is a section for one of the tools, or for one that the model makes up.
func (p *program) call() peg.ID {
	return p.Once("tool-call", func() peg.ID {
		var ways []peg.ID
		known := false
		for i, t := range p.tools {
			way := p.callOf(p.Lit(t.Name), p.Empty(), p.arguments(t.Name, t.Parameters))
			if !p.allows(t) {
				way = p.Only("other-tool-"+strconv.Itoa(i), way)
			}
			ways = append(ways, way)
			known = known || t.Name == python
		}
		if !known {
			ways = append(ways, p.Only(python, p.callOf(p.Lit(python), p.Empty(), p.arguments(python, nil))))
		}
		object := p.Peek(p.Seq(p.spaces(), p.Lit("{")))
		unknown := p.callOf(p.Chars(1, maxName, nameRanges...), object, p.arguments("", nil))
		return p.Choice(append(ways, p.Only("unknown-tool", unknown))...)
	})
}

// allows says whether the tool choice of the request allows a tool.
func (p *program) allows(t chat.Tool) bool {
	c := p.request.ToolChoice
	return c.Mode != chat.ToolNamed || c.Name == t.Name
}

func (p *program) callOf(name, ahead, arguments peg.ID) peg.ID {
	header := p.Atomic(p.Tag(peg.CallName, name), p.blanks(), p.Lit("\n"), ahead)
	return p.Seq(p.Tag(peg.Call, header, p.gap(), p.Tolerate(arguments)), p.gap())
}

// arguments are JSON. For Python they may be code as it stands, too.
func (p *program) arguments(name string, parameters json.RawMessage) peg.ID {
	object := p.Tag(peg.Arguments, p.Schema(parameters, p.Value(peg.ObjectValue)))
	if name != python {
		return object
	}
	key := "code"
	if properties := schema.New(parameters).Properties(); len(properties) > 0 {
		key = properties[0].Name
	}
	ahead := p.Peek(p.Seq(p.Lit("{"), p.spaces(), p.Lit(`"`+key+`"`), p.spaces(), p.Lit(":")))
	more := p.Only("more-code", p.Star(p.Not(p.marker()), p.Any(), p.Until(markers...)))
	code := p.Seq(p.Given(peg.Key, key), p.Tag(peg.String, p.Until(markers...), p.Optional(more)))
	return p.Choice(p.Seq(ahead, object), code)
}

// blanks is white space within a line.
func (p *program) blanks() peg.ID {
	return p.Optional(p.Once("~blanks", func() peg.ID {
		return p.Chars(1, maxBlanks, peg.Range{Lo: '\t', Hi: '\t'}, peg.Range{Lo: '\r', Hi: '\r'}, peg.Range{Lo: ' ', Hi: ' '})
	}))
}

// spaces is white space where what is read must stay bounded.
func (p *program) spaces() peg.ID {
	return p.Optional(p.Once("~spaces", func() peg.ID { return p.Chars(1, maxBlanks, blank...) }))
}

// gap is white space that means nothing.
func (p *program) gap() peg.ID {
	return p.Optional(p.Once("~gap", func() peg.ID { return p.Chars(1, -1, blank...) }))
}
