package turn

import "github.com/dragoman-project/dragoman/sdk/peg"

// Models write markers where they mean none: a token that is talked about, a quote that was not escaped. Text goes on over
// those. Which is which, tells a lookahead, and that is the parser's alone: what grammars let through ends at the first.

// Text is what has the role up to one of delims at which end matches. It goes on over the others. end is a lookahead: bounded;
// tags in it mean nothing, so that it can be what introduces a call.
func (t *Turn) Text(role peg.Role, end peg.ID, delims ...string) peg.ID {
	return t.Tag(role, t.Until(delims...), t.Beyond(end, delims...))
}

// Beyond is the rest of a text that has come to one of delims: more of it, as long as end does not match.
func (t *Turn) Beyond(end peg.ID, delims ...string) peg.ID {
	return t.Star(t.OnlyHere("beyond", t.Seq(t.Not(end), t.Any(), t.Until(delims...))))
}

const (
	maxBlanks = 32
	MaxName   = 128 // of functions, arguments and ids where any will do
)

var (
	Blank   = []peg.Range{{Lo: '\t', Hi: '\r'}, {Lo: ' ', Hi: ' '}}
	lineEnd = []peg.Range{{Lo: '\n', Hi: '\n'}, {Lo: '\r', Hi: '\r'}}
)

// Blanks is white space where what is read must stay bounded: in atomic regions and lookaheads.
func (t *Turn) Blanks() peg.ID { return t.Chars(0, maxBlanks, Blank...) }

// Lines is line ends before text whose first line may be indented.
func (t *Turn) Lines() peg.ID {
	if t.FreeLines {
		return t.Star(t.OneOf("\n", "\r"))
	}
	return t.Chars(0, -1, lineEnd...)
}

// Gap is white space that a model may write where grammars let none through.
func (t *Turn) Gap() peg.ID {
	return t.Optional(t.Once("~gap", func() peg.ID { return t.Chars(1, -1, Blank...) }))
}

// SmallGap is the same where what is read must stay bounded.
func (t *Turn) SmallGap() peg.ID {
	return t.Optional(t.Once("~small-gap", func() peg.ID { return t.Chars(1, maxBlanks, Blank...) }))
}
