package assemble

import (
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// reasoning is the region of reasoning, from its start marker to behind its end marker, and what a model thinks anew directly
// behind it. Where the request leaves reasoning in the content, its markers are content, too.
func (a *assembly) reasoning() peg.ID {
	switch a.start.thinking {
	case mayThink:
		return a.Seq(a.Optional(a.Space(), a.mark(a.m.reasoningStart), a.thoughts()), a.thoughtsAnew())
	case mustThink:
		return a.Seq(a.mark(a.m.reasoningStart), a.startAgain(), a.thoughts(), a.thoughtsAnew())
	case alreadyThinking:
		return a.Seq(a.startAgain(), a.thoughts(), a.thoughtsAnew())
	}
	return a.thoughtsAnew()
}

// startAgain is the start marker where reasoning has begun already: models write it once more behind a prompt that ends in it. Where
// blank lines alone separate it from the end marker it is the whole thought, so that the message is rendered as the model wrote it.
func (a *assembly) startAgain() peg.ID {
	if a.m.reasoningStart == "" || !a.Request.ReasoningFormat.Extract() {
		return a.Empty()
	}
	nothing := a.Seq(a.Chars(1, 32, blank...), a.Lit(a.m.reasoningEnd))
	return a.Optional(a.OnlyHere("start-again", a.Space(), a.Lit(a.m.reasoningStart), a.Not(nothing)))
}

// thoughtsAnew is reasoning where there was some already, or the prompt says that there is none.
func (a *assembly) thoughtsAnew() peg.ID {
	if a.m.reasoningStart == "" || !a.Request.ReasoningFormat.Extract() {
		return a.Empty()
	}
	return a.Optional(a.OnlyHere("thoughts-anew", a.Space(), a.Lit(a.m.reasoningStart), a.thoughts()))
}

// thoughts is reasoning behind its start marker, and its end marker. Only the end of the output, or a call, may stand in
// for the end marker.
func (a *assembly) thoughts() peg.ID {
	end := a.Choice(a.Seq(a.mark(a.m.reasoningEnd), a.gap()), a.Omitted(a.m.reasoningEnd))
	if len(a.promoters()) == 0 {
		return a.Seq(a.thoughtsBefore(a.turnEnds(), a.turnEndAhead()), end)
	}
	call := a.Seq(a.Blanks(), a.callAhead())
	ends := append(respaced(a.promoters()...), a.turnEnds()...)
	return a.Seq(a.Choice(
		a.OnlyHere("call-at-once", a.Peek(call)),
		a.thoughtsBefore(ends, a.Choice(call, a.turnEndAhead())),
	), end)
}

// thoughtsBefore is reasoning up to its end marker, or one of texts at which stop matches. It goes on over the others.
func (a *assembly) thoughtsBefore(texts []string, stop peg.ID) peg.ID {
	thought := a.think(a.Until(append([]string{a.m.reasoningEnd}, texts...)...))
	if len(texts) == 0 {
		return thought
	}
	return a.Seq(thought, a.Star(a.OnlyHere("no-call", a.Not(stop), a.think(a.OneOf(texts...)), thought)))
}

// turnEnds are the markers that end a turn, as far as no thought spells them, and the end of reasoning does not begin so.
func (a *assembly) turnEnds() []string {
	return slices.DeleteFunc(slices.Clone(a.m.endings), func(m string) bool { return !special(m) || strings.HasPrefix(a.m.reasoningEnd, m) })
}

// turnEndAhead sees that the turn, and the output, ends.
func (a *assembly) turnEndAhead() peg.ID {
	ends := a.turnEnds()
	if len(ends) == 0 {
		return a.Not(a.Empty())
	}
	return a.Once("~turn-end-ahead", func() peg.ID { return a.Seq(a.Blanks(), a.OneOf(ends...), a.Blanks(), a.End()) })
}

// promoters are the texts at which a call can end reasoning: special tokens, and other openers at the beginning of a line.
func (a *assembly) promoters() []string {
	if a.Request.Parsing.CallInReasoning == chat.KeepCalls || a.format == nil || a.markerless() {
		return nil
	}
	var out []string
	first := nonempty(a.m.sectionStart, a.m.callStart)
	if len(first) == 0 {
		first = nonempty(a.format.opening())
	}
	for _, o := range first {
		if !special(o) {
			o = "\n" + o
		}
		out = append(out, o)
	}
	return out
}

// thinkingEnds are the texts that end reasoning: its own marker, and those of calls that may. Engines that count the tokens of
// reasoning, or keep a constraint still until its end, look for them.
func (a *assembly) thinkingEnds() []string {
	if a.m.reasoningEnd == "" {
		return nil
	}
	return append([]string{a.m.reasoningEnd}, a.promoters()...)
}

// think tags kid with the role that reasoning has in this request.
func (a *assembly) think(kid peg.ID) peg.ID {
	if a.Request.ReasoningFormat.Extract() {
		return a.Tag(peg.Reasoning, kid)
	}
	return a.Tag(peg.Content, kid)
}

// mark is a marker of reasoning.
func (a *assembly) mark(marker string) peg.ID {
	if a.Request.ReasoningFormat.Extract() {
		return a.Lit(marker)
	}
	return a.Tag(peg.Content, a.Lit(marker))
}

// gap is the white space behind a marker of reasoning: the template's line breaks, and no indentation of the content.
func (a *assembly) gap() peg.ID {
	if a.Request.ReasoningFormat.Extract() {
		return a.lines()
	}
	return a.Empty()
}
