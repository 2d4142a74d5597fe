package assemble

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// Whatever the format of a template, models know calls as JSON from elsewhere: alone, because a
// marker got lost, in a list, in a code fence, or between the markers of another format. JSON that
// names one of the request's tools and continues with its arguments is a call there, too. None of
// this is in grammars.

// bareJSON matches a call without a start marker, and the white space after it.
func (a *assembly) bareJSON() peg.ID { return a.Once("~bare-json", a.oneBareJSON) }

func (a *assembly) oneBareJSON() peg.ID {
	d := *a
	if d.d.Tools.Format != dialect.JSONNative || d.d.Tools.JSON.NameIsKey {
		d.d.Tools = dialect.Tools{Format: dialect.JSONNative}
	}
	j := newJSONNative(&d)
	j.assembly, j.bare = a, true
	call := a.Tag(peg.Call, j.before(), j.name(a.Tools...), a.Space(), a.lenientObject(), a.Space(), j.closers())
	return a.Seq(call, a.Space())
}

// namedJSON matches the name of a tool and its arguments, with optional tokens in square brackets
// and an id between them: name[CALL_ID]id[ARGS]{…}.
func (a *assembly) namedJSON() peg.ID {
	word := a.Seq(a.Lit("["), a.Chars(1, turn.MaxName, capitals...), a.Lit("]"))
	id := a.Optional(word, a.Tag(peg.CallID, a.AnyName()))
	name := a.Atomic(a.oneNamed(a.Tools), a.Blanks(), id, a.Optional(word), a.Blanks(), a.Peek(a.Lit("{")))
	return a.Seq(a.Tag(peg.Call, name, a.lenientObject()), a.Space())
}

// jsonBetween matches such calls between the markers that begin and end calls in the format.
func (a *assembly) jsonBetween(starts []string) peg.ID {
	ends := nonempty(a.m.Tools.PerCallEnd, a.m.Tools.SectionEnd)
	start := a.Repeat(1, 2*len(starts), a.Seq(a.OneOf(respaced(starts...)...), a.Space())) // a flood of markers costs no more
	calls := a.fenced(a.listed(a.Choice(a.bareJSON(), a.namedJSON())))
	if len(ends) == 0 {
		return a.Seq(start, calls)
	}
	return a.Seq(start, calls, a.ended(ends))
}

// ended matches one or more of the markers ends. If there is none, the first of them is missing.
func (a *assembly) ended(ends []string) peg.ID {
	return a.Choice(a.Plus(a.OneOf(respaced(ends...)...), a.Space()), a.Omitted(ends[0]))
}

// listed matches one or more calls, optionally in a list. one consumes the white space after it.
func (a *assembly) listed(one peg.ID) peg.ID {
	several := a.Seq(one, a.Star(a.Optional(a.OneOf(",", ";"), a.Space()), one))
	return a.Choice(a.Seq(a.Lit("["), a.Space(), several, a.Optional(a.Lit("]"), a.Space())), several)
}

// unmarkedFirst matches calls at the beginning of an answer whose start marker is missing,
// including their end marker. Without that, they are the whole answer, or marked ones follow.
func (a *assembly) unmarkedFirst() peg.ID {
	start := a.m.Tools.PerCallStart
	if a.m.Tools.SectionStart != "" {
		start = a.m.Tools.SectionStart
	}
	calls := a.Trigger("bare-json", a.Lacking(start, a.Choice(a.codeCalls(), a.fenced(a.listed(a.Choice(a.bareJSON(), a.functionTag()))))))
	calls = a.Seq(a.Optional(a.Choice(a.restOfStart(start), a.otherStart())), calls, a.Optional(a.otherEnd()))
	ends := slices.DeleteFunc(nonempty(a.m.Tools.PerCallEnd, a.m.Tools.SectionEnd), common)
	calls = a.Seq(a.last(calls, append(respaced(ends...), a.openers()...)...), calls)
	if len(ends) == 0 {
		return calls
	}
	return a.Seq(calls, a.ended(ends))
}

// restOfStart matches the rest of a start marker that begins with the end of a turn: an answer that
// consists only of calls has no earlier part to end.
func (a *assembly) restOfStart(start string) peg.ID {
	for _, end := range a.Ends {
		if rest, ok := strings.CutPrefix(start, end); ok && special(rest) {
			return a.Seq(a.Lit(strings.TrimSpace(rest)), a.Space())
		}
	}
	return a.Not(a.Empty())
}

// functionTag matches a call as a tag with a tool's name, and JSON in it:
// <function=f>{…}</function>.
func (a *assembly) functionTag() peg.ID {
	equals, quote := a.OneOf("=", " name="), a.Optional(a.Lit(`"`))
	cut := a.Seq(a.Lit("<"), a.Chars(0, turn.MaxName, slices.Concat(turn.NameRanges, []peg.Range{{Lo: ' ', Hi: ' '}, {Lo: '"', Hi: '"'}, {Lo: '=', Hi: '='}})...), a.End())
	name := a.Atomic(a.Not(cut), a.Lit("<function"), equals, quote, a.oneNamed(a.Tools), quote, a.Lit(">"), a.Blanks(), a.Peek(a.Lit("{")))
	return a.Seq(a.Tag(peg.Call, name, a.lenientObject()), a.Space(), a.Optional(a.Lit("</function>"), a.Space()))
}
