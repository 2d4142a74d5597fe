package functionary

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// program builds the program for a turn of the assistant: sections, each with a recipient. The
// prompt begins the first one.
//
//	prompt >>>  calls, or  all\n text { >>>calls }  anything more
//
// What a model may write in error is in rules whose names begin with "~": the parser accepts it,
// and grammars leave it out. With these rules the program parses any text; only a call whose
// arguments are not JSON breaks the format.
type program struct{ *turn.Turn }

func newProgram(r *chat.Request) program {
	return program{turn.New(r, turn.Format{Preserved: []string{section + everyone}})}
}

func (p program) build() *peg.Program {
	return p.Program(func() peg.ID {
		var ways []peg.ID
		if len(p.Tools) > 0 {
			ways = append(ways, p.Trigger("call", p.calls()))
		}
		ways = append(ways, p.answer(), p.late(), p.Only("no-recipient", p.text()))
		more := p.Optional(p.Only("more", p.Star(p.item(), p.text())))
		return p.Seq(p.Prompt(section), p.Tolerate(p.Lit(section)), p.Choice(ways...), more)
	})
}

// late matches a first section with white space before its recipient.
func (p program) late() peg.ID {
	ways := []peg.ID{p.answer()}
	if len(p.Tools) > 0 {
		ways = append(ways, p.call())
	}
	return p.Only("late-recipient", p.Chars(1, 16, peg.Range{Lo: '\t', Hi: '\r'}, peg.Range{Lo: ' ', Hi: ' '}), p.Choice(ways...))
}

// answer matches a section for everyone, with calls after it if there are tools.
func (p program) answer() peg.ID {
	ways := []peg.ID{}
	if len(p.Tools) > 0 {
		ways = append(ways, p.Trigger("next-call", p.Seq(p.Lit(section), p.calls())))
	}
	plain := p.Seq(p.text(), p.Tolerate(ways...))
	if !p.AnswerSchema().IsZero() {
		value := p.Seq(p.Gap(), p.Shaped(), p.Gap())
		return p.Seq(p.toEveryone(), p.Choice(value, p.Only("plain", plain)))
	}
	return p.Seq(p.toEveryone(), plain)
}

func (p program) toEveryone() peg.ID {
	return p.Seq(p.Lit(everyone), p.blanks(), p.Lit("\n"))
}

// text matches text up to the next real marker.
func (p program) text() peg.ID {
	return p.Once("text", func() peg.ID { return p.Text(peg.Content, p.marker(), markers...) })
}

// markers are the texts at which text can end.
var markers = []string{section, turnEnd, messageEnd, headerStart}

// marker matches what really ends a text.
func (p program) marker() peg.ID {
	return p.Once("~marker", func() peg.ID {
		next := p.Choice(p.End(), p.Seq(p.recipient(), p.blanks(), p.Choice(p.Lit("\n"), p.Lit("{"), p.End())))
		if len(p.Tools) > 0 {
			unknown := p.Seq(p.AnyName(), p.blanks(), p.Choice(p.End(), p.Seq(p.Lit("\n"), p.SmallGap(), p.Lit("{"))))
			next = p.Choice(next, unknown)
		}
		return p.Choice(p.Seq(p.Lit(section), next), p.end(), p.header())
	})
}

// recipient matches a known recipient.
func (p program) recipient() peg.ID {
	ways := []peg.ID{p.WholeName(everyone)}
	if len(p.Tools) > 0 {
		ways = append(ways, p.WholeName(python))
	}
	for _, t := range p.Tools {
		ways = append(ways, p.WholeName(t.Name))
	}
	return p.Choice(ways...)
}

// end matches the end of a turn, or of a message that expects an answer.
func (p program) end() peg.ID { return p.Choice(p.Lit(turnEnd), p.Lit(messageEnd)) }

// header matches the beginning of another message, which the model makes up.
func (p program) header() peg.ID {
	return p.Seq(p.Lit(headerStart), p.AnyName(), p.Lit(headerEnd))
}

// item matches anything but text.
func (p program) item() peg.ID {
	next := p.toEveryone()
	if len(p.Tools) > 0 {
		next = p.Choice(p.call(), next)
	}
	start := p.Trigger("section", p.Seq(p.Lit(section), p.Choice(next, p.End())))
	return p.Choice(start, p.Seq(p.end(), p.Gap()), p.Seq(p.header(), p.Gap()))
}

// calls matches the calls of a turn: several, if the request allows it. The first one's section has
// begun.
func (p program) calls() peg.ID {
	if !p.Request.ParallelToolCalls {
		return p.call()
	}
	return p.Seq(p.call(), p.Star(p.Lit(section), p.call()))
}

// call matches a section for one of the tools, or for one that the model makes up.
func (p program) call() peg.ID {
	return p.Once("tool-call", func() peg.ID {
		return p.ByTool(func(name peg.ID, tool turn.Tool) peg.ID {
			if tool.Name != "" {
				return p.callOf(name, p.Empty(), p.arguments(tool.Name, tool.Parameters))
			}
			object := p.Peek(p.Seq(p.SmallGap(), p.Lit("{")))
			undeclared := p.callOf(p.Lit(python), p.Empty(), p.arguments(python, jsonschema.Schema{}))
			name = p.Seq(p.Not(p.WholeName(everyone)), name)
			return p.Choice(undeclared, p.callOf(name, object, p.arguments("", jsonschema.Schema{})))
		})
	})
}

func (p program) callOf(name, ahead, arguments peg.ID) peg.ID {
	sameLine := p.Only("same-line", p.Peek(p.Lit("{")))
	header := p.Atomic(p.Tag(peg.CallName, name), p.blanks(), p.Choice(p.Lit("\n"), sameLine), ahead)
	return p.Seq(p.Tag(peg.Call, header, p.Gap(), p.Tolerate(arguments)), p.Gap())
}

// arguments matches JSON; for Python, it matches plain code, too.
func (p program) arguments(name string, s jsonschema.Schema) peg.ID {
	object := p.Object(s)
	if name != python {
		return object
	}
	key := "code"
	if declared := s.Properties(); len(declared) > 0 {
		key = declared[0].Name
	}
	ahead := p.Peek(p.Seq(p.Lit("{"), p.SmallGap(), p.Lit(`"`+key+`"`), p.SmallGap(), p.Lit(":")))
	code := p.Seq(p.Given(peg.Key, key), p.Text(peg.String, p.marker(), markers...))
	return p.Choice(p.Seq(ahead, object), code)
}

// blanks matches white space within a line.
func (p program) blanks() peg.ID {
	return p.Optional(p.Once("~blanks", func() peg.ID {
		return p.Chars(1, 16, peg.Range{Lo: '\t', Hi: '\t'}, peg.Range{Lo: '\r', Hi: '\r'}, peg.Range{Lo: ' ', Hi: ' '})
	}))
}
