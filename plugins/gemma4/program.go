package gemma4

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// program builds the program for a turn of the model:
//
//	prompt  text { thought text }  calls, or JSON as requested, or nothing  anything more
//
// What a model may write in error is in rules whose names begin with "~": the parser accepts it,
// and grammars leave it out. With these rules the program parses any text; only a call whose
// arguments are not in the notation breaks the format.
type program struct {
	*turn.Turn
	notation
}

func newProgram(r *chat.Request, n notation) program {
	f := turn.Format{Preserved: []string{n.callStart, n.callEnd, n.turnStart}}
	if n.thinks() {
		f.ThinkStart, f.ThinkEnd = n.thinking(), n.channelEnd
		f.Preserved = append([]string{n.channelStart, n.channelEnd}, f.Preserved...)
	}
	return program{turn.New(r, f), n}
}

func (p program) build() *peg.Program {
	return p.Program(func() peg.ID {
		lead := p.text(peg.Content)
		if !p.AnswerSchema().IsZero() {
			lead = p.Gap()
		}
		if p.thinks() {
			lead = p.Seq(lead, p.Star(p.thought(), lead))
		}
		more := p.Optional(p.Only("more", p.text(peg.Content), p.Star(p.item(), p.text(peg.Content))))
		return p.Seq(p.start(), lead, p.outcome(), p.Gap(), more)
	})
}

// start matches the generation prompt. It may begin a turn, or continue one that tools' answers
// interrupted. Text in a channel of the prompt is parsed like output, except if thoughts stay in
// the content: then an empty thought of the prompt is not the model's.
func (p program) start() peg.ID {
	turn := p.Optional(p.Lit(p.turnStart+"model"), p.Tolerate(p.Lit("\n")))
	switch {
	case !p.Request.ReasoningFormat.Extract():
		return p.Seq(p.Prompt(), turn)
	case !p.thinks():
		return p.Seq(p.Prompt(p.turnStart), turn)
	}
	return p.Seq(p.Prompt(p.turnStart, p.channelStart), turn)
}

// outcome matches what the request requires in the end.
func (p program) outcome() peg.ID {
	var ways []peg.ID
	if len(p.Tools) > 0 {
		ways = append(ways, p.calls())
	}
	if !p.AnswerSchema().IsZero() {
		ways = append(ways, p.Shaped())
	}
	return p.Tolerate(ways...)
}

// thought matches a channel with reasoning. If reasoning stays in the content, so does its markup.
func (p program) thought() peg.ID {
	return p.Once("thought", func() peg.ID {
		if !p.Request.ReasoningFormat.Extract() {
			return p.Seq(p.Tag(peg.Content, p.thoughtStart()), p.text(peg.Content), p.Tolerate(p.Tag(peg.Content, p.Lit(p.channelEnd))))
		}
		return p.Seq(p.thoughtStart(), p.Tolerate(p.Lit("\n")), p.text(peg.Reasoning), p.Choice(p.Lit(p.channelEnd), p.Unclosed()))
	})
}

// thoughtStart matches the beginning of a thought. Models begin the channel twice.
func (p program) thoughtStart() peg.ID {
	twice := p.Only("channel-twice", p.Lit(p.channelStart), p.SmallGap(), p.Lit(p.thinking()))
	return p.Choice(p.Lit(p.thinking()), twice)
}

// text matches text up to the next real token.
func (p program) text(role peg.Role) peg.ID {
	return p.Once("text of "+role.String(), func() peg.ID { return p.Text(role, p.token(role), p.tokens()...) })
}

// token matches what really ends a text.
func (p program) token(role peg.Role) peg.ID {
	ways := []peg.ID{p.Seq(p.Lit(p.turnStart), p.AnyName()), p.Lit(p.turnEnd), p.Lit(p.responseStart), p.Lit(p.responseEnd)}
	if p.thinks() {
		ways = append(ways, p.thoughtStart(), p.Lit(p.channelEnd), p.otherChannel())
	}
	switch {
	case len(p.Tools) == 0:
	case role == peg.Content:
		ways = append(ways, p.callAhead(p.AnyName(), false), p.callAhead(p.toolName(), true), p.Lit(p.callEnd))
	case p.Request.Parsing.CallInReasoning == chat.PromoteCalls:
		ways = append(ways, p.callAhead(p.toolName(), true))
	}
	return p.Choice(ways...)
}

// item matches anything but text.
func (p program) item() peg.ID {
	ways := []peg.ID{p.turn(), p.response()}
	if p.thinks() {
		ways = append(ways, p.thought(), p.strayEnd(), p.otherChannel())
	}
	if len(p.Tools) > 0 {
		ways = append(ways, p.Trigger("later-call", p.call()), p.Lit(p.callEnd))
	}
	return p.Choice(ways...)
}

// otherChannel matches the beginning of a channel that is not for thoughts; its text is content.
func (p program) otherChannel() peg.ID {
	return p.Once("~other-channel", func() peg.ID {
		return p.Seq(p.Lit(p.channelStart), p.Not(p.Lit("thought")), p.Chars(1, 32, peg.Range{Lo: 'a', Hi: 'z'}), p.Lit("\n"))
	})
}

// strayEnd matches the end of a thought that has not begun.
func (p program) strayEnd() peg.ID {
	if !p.Request.ReasoningFormat.Extract() {
		return p.Tag(peg.Content, p.Lit(p.channelEnd))
	}
	return p.Lit(p.channelEnd)
}

// turn matches the end of a turn, or the beginning of one that the model makes up.
func (p program) turn() peg.ID {
	return p.Choice(p.Lit(p.turnEnd), p.Seq(p.Lit(p.turnStart), p.AnyName()))
}

// response matches the token by which the model hands over to the tools. Text that it writes in
// their place is dropped.
func (p program) response() peg.ID {
	return p.Choice(p.Seq(p.Lit(p.responseStart), p.Until(p.tokens()...), p.Optional(p.Lit(p.responseEnd))), p.Lit(p.responseEnd))
}
