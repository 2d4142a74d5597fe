package assemble

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// reasoning is the region of reasoning, from its start marker to behind its end marker. Where the request leaves reasoning
// in the content, its markers are content, too.
func (a *assembly) reasoning() peg.ID {
	switch a.start.thinking {
	case mayThink:
		return a.Optional(a.Space(), a.mark(a.m.reasoningStart), a.thoughts())
	case mustThink:
		return a.Seq(a.mark(a.m.reasoningStart), a.thoughts())
	case alreadyThinking:
		return a.thoughts()
	}
	return a.Empty()
}

// thoughts is reasoning behind its start marker, and its end marker. Only the end of the output, or a call, may stand in
// for the end marker.
func (a *assembly) thoughts() peg.ID {
	end := a.Choice(a.Seq(a.mark(a.m.reasoningEnd), a.gap()), a.missing(a.m.reasoningEnd))
	if len(a.promoters()) == 0 {
		return a.Seq(a.think(a.Until(a.m.reasoningEnd)), end)
	}
	return a.Seq(a.Choice(
		a.only("call-at-once", a.Peek(a.Seq(a.blanks(), a.callAhead()))),
		a.thoughtsBeforeCall(),
	), end)
}

// thoughtsBeforeCall is reasoning up to its end marker or a call.
func (a *assembly) thoughtsBeforeCall() peg.ID {
	openers := a.promoters()
	until := append([]string{a.m.reasoningEnd}, openers...)
	spelled := a.only("no-call", a.Not(a.Seq(a.blanks(), a.callAhead())), a.think(a.oneOf(openers)), a.think(a.Until(until...)))
	return a.Seq(a.think(a.Until(until...)), a.Star(spelled))
}

// promoters are the texts at which a call can end reasoning: special tokens, and other openers at the beginning of a line.
func (a *assembly) promoters() []string {
	if a.request.Parsing.CallInReasoning == chat.KeepCalls || a.format == nil || a.markerless() {
		return nil
	}
	var out []string
	first := nonempty(a.m.sectionStart, a.m.callStart)
	if len(first) == 0 {
		first = a.openers()
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
	if a.request.ReasoningFormat.Extract() {
		return a.Tag(peg.Reasoning, kid)
	}
	return a.Tag(peg.Content, kid)
}

// mark is a marker of reasoning.
func (a *assembly) mark(marker string) peg.ID {
	if a.request.ReasoningFormat.Extract() {
		return a.Lit(marker)
	}
	return a.Tag(peg.Content, a.Lit(marker))
}

// gap is the white space behind a marker of reasoning: the template's line breaks, and no indentation of the content.
func (a *assembly) gap() peg.ID {
	if a.request.ReasoningFormat.Extract() {
		return a.lines()
	}
	return a.Empty()
}
