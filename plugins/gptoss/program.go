package gptoss

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// program builds the program for a turn of the assistant: messages, of which the first begins in
// the prompt.
//
//	prompt  { thought or preamble }  calls or answer  anything more
//
// What a model may write in error is in rules whose names begin with "~": the parser accepts it,
// and grammars leave it out. With these rules the program parses any text; only a call whose
// arguments are not JSON breaks the format.
type program struct{ *turn.Turn }

func newProgram(r *chat.Request) program {
	return program{turn.New(r, turn.Format{
		ThinkStart: analysisStart, ThinkEnd: endToken,
		Preserved: []string{channelToken, constrainToken, messageToken, startToken, endToken},
	})}
}

func (p program) build() *peg.Program {
	return p.Program(func() peg.ID {
		led := p.Seq(p.lead(), p.Gap(), p.Star(p.start(), p.lead(), p.Gap()), p.Tolerate(p.orCall("next-call", p.start(), p.Seq(p.start(), p.answer()))...))
		turn := p.Tolerate(p.orCall("call", p.Empty(), p.answer(), led, p.Only("first-unsolicited", p.unsolicited()), p.bare())...)
		more := p.Optional(p.Only("more", p.Star(p.more(), p.Gap())))
		return p.Seq(p.Prompt(channelToken), turn, p.Gap(), more, p.Gap())
	})
}

// bare matches text without any header. Its first line may be indented.
func (p program) bare() peg.ID {
	indented := p.Seq(p.Chars(0, maxBlanks, blank...), p.NotChars(1, 1, append([]peg.Range{{Lo: '<', Hi: '<'}}, blank...)...))
	return p.Only("bare", p.Lines(), p.Tag(peg.Content, indented, p.Until(boundaries...)))
}

// lead matches a message that may come before the last one: a thought, or a preamble.
func (p program) lead() peg.ID {
	return p.Once("lead", func() peg.ID {
		if p.AnswerSchema().IsZero() {
			return p.Choice(p.thought(), p.preamble())
		}
		return p.Choice(p.thought(), p.Only("preamble", p.preamble())) // content besides the answer would not be JSON
	})
}

// thought matches a message in the channel analysis. If reasoning stays in the content, so does its
// markup.
func (p program) thought() peg.ID {
	if !p.Request.ReasoningFormat.Extract() {
		return p.Seq(p.stray(), p.Tag(peg.Content, p.Lit(analysisStart)), p.text(peg.Content),
			p.Tolerate(p.Tag(peg.Content, p.Lit(endToken)), p.Only("thought-end", p.otherEnd())))
	}
	return p.Seq(p.header("analysis"), p.text(peg.Reasoning), p.messageEnd())
}

func (p program) preamble() peg.ID {
	return p.Seq(p.header("commentary"), p.text(peg.Content), p.messageEnd())
}

// answer matches the message in the channel final.
func (p program) answer() peg.ID {
	return p.Once("answer", func() peg.ID {
		end := p.Optional(p.Choice(p.Lit(returnToken), p.Lit(endToken), p.Only("call-end", p.Lit(callToken))))
		plain := p.Seq(p.text(peg.Content), end)
		if !p.AnswerSchema().IsZero() {
			value := p.Seq(p.Gap(), p.Shaped(), p.Gap(), end)
			return p.Seq(p.header("final"), p.Choice(value, p.Only("prose-answer", plain)))
		}
		message := p.Seq(p.header("final"), plain)
		if p.MustCall() {
			return p.Only("unwanted-answer", message)
		}
		return message
	})
}

// more matches what may follow the end of a turn, or stand in place of a message. It contains a
// trigger that no constraint uses, so parsing resumes at the next start or end token after a call
// with broken arguments.
func (p program) more() peg.ID {
	message := p.Once("~message", func() peg.ID {
		return p.Choice(p.orCall("later-call", p.Empty(), p.lead(), p.answer(), p.unsolicited(), p.odd())...)
	})
	token := p.Trigger("token", p.Choice(p.Seq(p.start(), p.Tolerate(message)), p.foreign(), p.otherEnd(), p.Lit(endToken)))
	return p.Choice(token, message, p.prose())
}

// odd matches a message in an unknown channel, or in none; its text is content.
func (p program) odd() peg.ID {
	return p.Seq(p.Optional(p.channel()), p.Optional(p.constraint()), p.SmallGap(), p.Lit(messageToken), p.text(peg.Content), p.messageEnd())
}

// unsolicited matches a call of something other than a function of the request, such as a tool
// built into the model's own environment. It is dropped: it is meant neither for the user nor for a
// function. If the request forbids calls, it is all that the model has to say, and content.
func (p program) unsolicited() peg.ID {
	return p.Once("unsolicited", func() peg.ID {
		header := p.Choice(p.Seq(p.recipient(), p.Optional(p.channel())), p.Seq(p.channel(), p.recipient(), p.Optional(p.channel())))
		body := p.ignored()
		if len(p.Tools) == 0 && len(p.Request.Tools) > 0 {
			body = p.text(peg.Content)
		}
		return p.Seq(header, p.Optional(p.constraint()), p.SmallGap(), p.Lit(messageToken), body, p.messageEnd())
	})
}

// foreign matches a message of another author, which a model makes up when it continues after its
// turn.
func (p program) foreign() peg.ID {
	author := p.Seq(p.Lit(startToken), p.Chars(1, maxName, nameRanges...))
	header := p.Seq(p.Optional(p.recipient()), p.Optional(p.channel()), p.Optional(p.constraint()), p.SmallGap(), p.Tolerate(p.Lit(messageToken)))
	return p.Seq(author, header, p.ignored(), p.messageEnd())
}
