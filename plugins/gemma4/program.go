package main

import (
	"encoding/json"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

const (
	maxBlanks = 16
	maxName   = 128 // of names of functions and arguments
)

var (
	blank      = []peg.Range{{Lo: '\t', Hi: '\r'}, {Lo: ' ', Hi: ' '}}
	nameRanges = []peg.Range{{Lo: 'a', Hi: 'z'}, {Lo: 'A', Hi: 'Z'}, {Lo: '0', Hi: '9'}, {Lo: '_', Hi: '_'}, {Lo: '-', Hi: '-'},
		{Lo: '.', Hi: '.'}}
)

// program builds the program that reads a turn of the model:
//
//	prompt  text { thought text }  calls, or JSON as asked for, or nothing  anything more
//
// What a model may write beyond what it should, stands in rules whose names begin with "~": the parser reads it, and the
// grammar made of the same program leaves it out. With them the program reads any text, so that only a call whose arguments
// are not in the notation breaks the format.
type program struct {
	peg.Builder
	request *chat.Request
	tools   []chat.Tool // that may be called
	names   int         // of rules that were made up
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

// answer is the JSON Schema that the answer must follow; nil where there is none, or a call is wanted instead.
func (p *program) answer() json.RawMessage {
	if p.mustCall() {
		return nil
	}
	return p.request.JSONSchema
}

// mode is the constraint that the request needs.
func (p *program) mode() grammar.Mode {
	switch {
	case p.mustCall() || p.answer() != nil:
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
	lead := p.Seq(p.text(peg.Content), p.Star(p.thought(), p.text(peg.Content)))
	if p.answer() != nil {
		lead = p.Seq(p.gap(), p.Star(p.thought(), p.gap()))
	}
	more := p.Optional(p.Only("more", p.text(peg.Content), p.Star(p.item(), p.text(peg.Content))))
	return p.Build(p.Seq(p.start(), lead, p.outcome(), p.gap(), more, p.End()))
}

// start is the generation prompt. It may begin the turn, or go on in one that answers of tools interrupted; what it says in
// a channel is read as if the model had said it. That is not so where thoughts stay in the content: there the empty thought
// of a prompt is not the model's.
func (p *program) start() peg.ID {
	turn := p.Optional(p.Lit(modelTurn))
	if !p.request.ReasoningFormat.Extract() {
		return p.Seq(p.Prompt(), turn)
	}
	return p.Seq(p.Prompt(turnStart, channelStart), turn)
}

// outcome is what the request wants in the end.
func (p *program) outcome() peg.ID {
	var ways []peg.ID
	if len(p.tools) > 0 {
		ways = append(ways, p.calls())
	}
	if schema := p.answer(); schema != nil {
		ways = append(ways, p.Tag(peg.Content, p.Schema(schema, p.Value(peg.AnyJSON))))
	}
	return p.Tolerate(ways...)
}

// thought is a channel that holds reasoning. It stays content, markup and all, where the request wants that.
func (p *program) thought() peg.ID {
	return p.Once("thought", func() peg.ID {
		if !p.request.ReasoningFormat.Extract() {
			return p.Seq(p.Tag(peg.Content, p.Lit(thinking)), p.text(peg.Content), p.Tolerate(p.Tag(peg.Content, p.Lit(channelEnd))))
		}
		return p.Seq(p.Lit(thinking), p.Tolerate(p.Lit("\n")), p.text(peg.Reasoning), p.Tolerate(p.Lit(channelEnd)))
	})
}

// text goes up to the next token that is really one.
func (p *program) text(role peg.Role) peg.ID {
	return p.Seq(p.Tag(role, p.Until(tokens...)), p.Star(p.prose(role)))
}

// tokens are where text can end.
var tokens = []string{channelStart, channelEnd, callStart, callEnd, turnStart, turnEnd, responseStart, responseEnd}

// prose is text that looks like a token and is none: one that is talked about.
func (p *program) prose(role peg.Role) peg.ID {
	return p.Once("~prose in "+role.String(), func() peg.ID {
		return p.Seq(p.Not(p.token(role)), p.Tag(role, p.Any(), p.Until(tokens...)))
	})
}

// token is what really ends a text.
func (p *program) token(role peg.Role) peg.ID {
	ways := []peg.ID{p.Lit(thinking), p.Lit(channelEnd), p.Seq(p.Lit(turnStart), p.Chars(1, 1, nameRanges...)),
		p.Lit(turnEnd), p.Lit(responseStart), p.Lit(responseEnd)}
	switch {
	case len(p.tools) == 0:
	case role == peg.Content:
		ways = append(ways, p.callAhead(p.Chars(1, maxName, nameRanges...)), p.Lit(callEnd))
	case p.request.Parsing.CallInReasoning == chat.PromoteCalls:
		ways = append(ways, p.callAhead(p.toolName()))
	}
	return p.Choice(ways...)
}

// item is anything but text.
func (p *program) item() peg.ID {
	closer := p.Lit(channelEnd)
	if !p.request.ReasoningFormat.Extract() {
		closer = p.Tag(peg.Content, closer)
	}
	ways := []peg.ID{p.thought(), closer, p.turn(), p.response()}
	if len(p.tools) > 0 {
		ways = append(ways, p.Trigger("later-call", p.call()), p.Lit(callEnd))
	}
	return p.Choice(ways...)
}

// turn is the end of a turn, or the beginning of one that the model makes up.
func (p *program) turn() peg.ID {
	return p.Choice(p.Lit(turnEnd), p.Seq(p.Lit(turnStart), p.Chars(1, maxName, nameRanges...)))
}

// response is the token by which the model hands over to the tools. What it goes on to say in their place is nobody's.
func (p *program) response() peg.ID {
	return p.Choice(p.Seq(p.Lit(responseStart), p.Until(tokens...), p.Optional(p.Lit(responseEnd))), p.Lit(responseEnd))
}

// blanks is white space where what is read must stay bounded.
func (p *program) blanks() peg.ID {
	return p.Optional(p.Once("~blanks", func() peg.ID { return p.Chars(1, maxBlanks, blank...) }))
}

// gap is white space that means nothing.
func (p *program) gap() peg.ID {
	return p.Optional(p.Once("~gap", func() peg.ID { return p.Chars(1, -1, blank...) }))
}
