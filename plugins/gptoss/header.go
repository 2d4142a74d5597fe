package gptoss

import (
	"github.com/dragoman-project/dragoman/sdk/peg"
)

const (
	maxBlanks = 16
	maxWord   = 32  // of names of channels and types
	maxName   = 128 // of names of functions and authors
)

var (
	blank      = []peg.Range{{Lo: '\t', Hi: '\r'}, {Lo: ' ', Hi: ' '}}
	wordRanges = []peg.Range{{Lo: 'a', Hi: 'z'}, {Lo: 'A', Hi: 'Z'}, {Lo: '0', Hi: '9'}, {Lo: '_', Hi: '_'}, {Lo: '-', Hi: '-'}}
	nameRanges = append([]peg.Range{{Lo: '.', Hi: '.'}}, wordRanges...)
)

// boundaries are the tokens at which a text can end.
var boundaries = []string{endToken, returnToken, callToken, startToken, channelToken}

// start matches the beginning of a message of the assistant.
func (p program) start() peg.ID {
	return p.Once("start", func() peg.ID { return p.Lit(assistantStart) })
}

// header matches the header of a message in a channel, without a recipient.
func (p program) header(channel string) peg.ID {
	plain := p.Lit(channelToken + channel + messageToken)
	loose := p.Seq(p.Lit(channelToken+channel), p.Optional(p.toReader()), p.Optional(p.constraint()), p.SmallGap(), p.Lit(messageToken))
	if channel == "final" && !p.Request.JSONSchema.IsZero() {
		constrained := p.Seq(p.Lit(channelToken+channel), p.jsonConstraint(), p.Lit(messageToken))
		return p.Seq(p.stray(), p.Choice(plain, constrained, p.Only("loose-"+channel, loose)))
	}
	return p.Seq(p.stray(), p.Choice(plain, p.Only("loose-"+channel, loose)))
}

// channel matches the name of any channel, recipient that of any recipient.
func (p program) channel() peg.ID {
	return p.Once("~channel", func() peg.ID { return p.Seq(p.Lit(channelToken), p.Chars(1, maxWord, wordRanges...)) })
}

func (p program) recipient() peg.ID {
	return p.Once("~recipient", func() peg.ID {
		return p.Seq(p.Chars(1, maxBlanks, blank...), p.Lit("to="), p.Chars(1, maxName, nameRanges...))
	})
}

// toReader matches a recipient that means whoever reads the message anyway.
func (p program) toReader() peg.ID {
	return p.Once("~to-reader", func() peg.ID {
		reader := p.Choice(p.WholeName("assistant"), p.WholeName("user"), p.WholeName("all"))
		return p.Seq(p.Chars(1, maxBlanks, blank...), p.Lit("to="), reader)
	})
}

// stray matches a channel that the model begins, or names, and then abandons.
func (p program) stray() peg.ID {
	return p.Optional(p.Once("~stray", func() peg.ID {
		named := p.Optional(p.Lit("commentary"), p.Optional(p.toReader()))
		return p.Seq(p.Lit(channelToken), named, p.SmallGap(), p.Peek(p.Lit(channelToken)))
	}))
}

// jsonConstraint matches the mark of a JSON body, as the model or as the template writes it.
func (p program) jsonConstraint() peg.ID {
	return p.Once("json-constraint", func() peg.ID {
		return p.Choice(p.Lit(" "+constrainToken+"json"), p.Lit(constrainToken+"json"), p.Lit(" json"))
	})
}

// constraint matches the type of the body in any spelling. It cannot be confused with the end of a
// name before it.
func (p program) constraint() peg.ID {
	return p.Once("~constraint", func() peg.ID {
		token := p.Seq(p.Lit(constrainToken), p.SmallGap())
		opening := p.Choice(p.Seq(p.Chars(1, maxBlanks, blank...), p.Optional(token)), token)
		return p.Seq(opening, p.Chars(1, maxWord, wordRanges...))
	})
}

// messageEnd matches the end of a message that is followed by another.
func (p program) messageEnd() peg.ID {
	return p.Once("message-end", func() peg.ID {
		return p.Tolerate(p.Lit(endToken), p.Only("other-end", p.otherEnd()))
	})
}

func (p program) otherEnd() peg.ID { return p.Choice(p.Lit(returnToken), p.Lit(callToken)) }

// text matches the body of a message, up to the next real boundary.
func (p program) text(role peg.Role) peg.ID {
	return p.Once("text of "+role.String(), func() peg.ID { return p.Text(role, p.boundary(), boundaries...) })
}

// prose matches text in place of a message.
func (p program) prose() peg.ID {
	return p.Once("~prose", func() peg.ID {
		return p.Seq(p.Not(p.boundary()), p.Tag(peg.Content, p.NotChars(1, 1, blank...), p.Until(boundaries...)))
	})
}

// ignored matches text that is dropped.
func (p program) ignored() peg.ID {
	return p.Once("~ignored", func() peg.ID { return p.Seq(p.Until(boundaries...), p.Beyond(p.boundary(), boundaries...)) })
}

// boundary matches what really ends a text: an end token, an author, or a whole header.
func (p program) boundary() peg.ID {
	return p.Once("~boundary", func() peg.ID {
		header := p.Seq(p.channel(), p.Optional(p.recipient()), p.Optional(p.constraint()), p.SmallGap(), p.Choice(p.Lit(messageToken), p.Lit(channelToken)))
		return p.Choice(p.Lit(endToken), p.otherEnd(), p.Seq(p.Lit(startToken), p.Chars(1, 1, wordRanges...)), header)
	})
}
