package turn

import "github.com/dragoman-project/dragoman/sdk/peg"

// Models write markers that are not meant as markers: a token that is quoted, a quote that is not
// escaped. Text continues past those. A lookahead tells which is which; it is for the parser alone,
// so text in grammars ends at the first delimiter.

// Text matches text of a role up to one of delims where end matches, continuing past the others.
// end is a bounded lookahead. Its tags are ignored, so it can be the header of a call.
func (t *Turn) Text(role peg.Role, end peg.ID, delims ...string) peg.ID {
	return t.Tag(role, t.Until(delims...), t.Beyond(end, delims...))
}

// Beyond matches the rest of a text that has reached one of delims, as long as end does not match.
func (t *Turn) Beyond(end peg.ID, delims ...string) peg.ID {
	return t.Star(t.OnlyHere("beyond", t.Seq(t.Not(end), t.Any(), t.Until(delims...))))
}

// MaxName is the longest name or id that is accepted where any is.
const MaxName = 128

const maxBlanks = 32

// Blank is the class of white space.
var Blank = []peg.Range{{Lo: '\t', Hi: '\r'}, {Lo: ' ', Hi: ' '}}

// Blanks matches bounded white space, for atomic regions and lookaheads.
func (t *Turn) Blanks() peg.ID { return t.Chars(0, maxBlanks, Blank...) }

// Lines matches line ends before text whose first line may be indented.
func (t *Turn) Lines() peg.ID { return t.Star(t.OneOf("\n", "\r")) }

// Gap matches white space that a model may write; grammars allow none.
func (t *Turn) Gap() peg.ID {
	return t.Optional(t.Once("~gap", func() peg.ID { return t.Chars(1, -1, Blank...) }))
}

// SmallGap is Gap with bounded white space.
func (t *Turn) SmallGap() peg.ID {
	return t.Optional(t.Once("~small-gap", func() peg.ID { return t.Chars(1, maxBlanks, Blank...) }))
}
