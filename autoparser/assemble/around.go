package assemble

import (
	"slices"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// Models surround calls with what they know from elsewhere: a code fence, a tag, or a token of
// another format. Directly before and after a call it is not text. None of this is in grammars.
//
// Prose shows calls, too. So calls that no marker distinguishes, neither the format's own nor a
// foreign one, count only if they are the end of the answer. They are read ahead, up to 64 KiB, and
// delivered late.

// unmarked matches the calls of a format without markers.
func (a *assembly) unmarked(call peg.ID) peg.ID {
	calls := a.list(call, call)
	if a.d.Tools.Format != dialect.JSONNative && !a.bareCode() {
		return calls
	}
	one := a.Seq(call, a.Space())
	run := a.fenced(a.listed(one))
	if !a.bareCode() {
		run = a.Choice(a.codeCalls(), a.fenced(a.listed(a.Choice(one, a.functionTag()))))
	}
	around := a.Named("~around", a.Seq(a.Optional(a.otherStart()), run, a.Optional(a.otherEnd())))
	unmistakable := a.Not(a.Choice(a.Lit(turn.Fence), a.codeAhead()))
	return a.Choice(calls, a.OnlyHere("otherwise", a.Choice(unmistakable, a.last(a.Repeat(1, maxLast, around))), a.Plus(around)))
}

// maxLast bounds how many such forms in a row are read ahead.
const maxLast = 16

// last matches nothing if calls follow that are the end of the answer, or that one of marks follows.
// It is a double negation, so that at the end of the output a call that is not whole is text.
func (a *assembly) last(calls peg.ID, marks ...string) peg.ID {
	over := []peg.ID{a.End()}
	if len(a.Ends) > 0 {
		over = append(over, a.Seq(a.Plus(a.OneOf(a.Ends...), a.Space()), a.End()))
	}
	if len(marks) > 0 {
		over = append(over, a.OneOf(marks...))
	}
	return a.Not(a.Not(a.Seq(calls, a.Space(), a.Choice(over...))))
}

// callsInText matches calls that do not begin the answer.
func (a *assembly) callsInText() peg.ID {
	switch {
	case a.untold:
		return a.Once("~last-calls", func() peg.ID { return a.Seq(a.last(a.calls()), a.calls()) })
	case a.bareCode() && a.arrayed():
		return a.Once("~calls-in-text", func() peg.ID {
			return a.Seq(a.Choice(a.Peek(a.Lit("\n")), a.last(a.calls())), a.calls())
		})
	}
	return a.calls()
}

// example matches a code block that begins like a call and is none, as content.
func (a *assembly) example() peg.ID {
	return a.Once("~example", func() peg.ID {
		line := a.Optional(a.Lit("\n"))
		block := a.Seq(line, a.Lit(turn.Fence), a.Until(append([]string{turn.Fence}, a.Ends...)...), a.Optional(a.Lit(turn.Fence)))
		return a.Seq(a.Peek(a.Seq(line, a.fenceOpen(), a.beginsCall())), a.Tag(peg.Content, block))
	})
}

// bareCode reports whether calls are code without any marker before it.
func (a *assembly) bareCode() bool {
	return a.format != nil && a.markerless() && a.writesLiterals() && !a.closesByName()
}

// maxLanguage bounds the name of a language after a code fence.
const maxLanguage = 16

// fenced matches kid, optionally in a code fence, and there optionally in a tag.
func (a *assembly) fenced(kid peg.ID) peg.ID {
	tag := a.Optional(a.Lit("<"), a.AnyName(), a.Lit(">"), a.Blanks())
	open := a.Seq(a.fenceOpen(), tag)
	end := a.Seq(a.Optional(a.otherEnd()), a.Optional(a.Lit(turn.Fence), a.Space()))
	return a.Choice(a.Seq(a.Peek(a.Seq(open, a.beginsCall())), open, kid, end), kid)
}

// fenceOpen matches a code fence, an optional name of a language, and the white space after it.
func (a *assembly) fenceOpen() peg.ID {
	return a.Seq(a.Lit(turn.Fence), a.Chars(0, maxLanguage, peg.Range{Lo: 'a', Hi: 'z'}, peg.Range{Lo: '_', Hi: '_'}), a.Blanks())
}

// beginsCall matches the beginning of a possible call: a bracket or, if calls are code, the name of
// a tool. It does not match at the end of the output.
func (a *assembly) beginsCall() peg.ID {
	if !a.bareCode() {
		return a.Seq(a.Not(a.End()), a.OneOf([]string{"{", "["}...))
	}
	return a.Once("~begins-call", func() peg.ID {
		names := make([]string, len(a.Tools))
		for i, t := range a.Tools {
			names[i] = a.m.Tools.Function.NamePrefix + t.Name
		}
		list := a.Optional(a.Lit("["), a.Blanks())
		cut := a.Seq(list, a.Chars(0, turn.MaxName, turn.NameRanges...), a.End())
		return a.Seq(a.Not(cut), list, a.OneOf(names...), a.Blanks(), a.Lit(a.m.Tools.Function.NameSuffix))
	})
}

// otherStart matches a tag or token of another format directly before a call; otherEnd matches the
// one that closes it.
func (a *assembly) otherStart() peg.ID {
	own := append(slices.Clone(a.Ends), a.m.Reasoning.Start, a.m.Reasoning.End, a.m.Content.Start, a.m.Content.End)
	if !a.markerless() {
		own = append(own, a.openers()...)
	}
	bar := a.Optional(a.OneOf(bars...))
	tag := a.Seq(a.Lit("<"), bar, a.Chars(1, turn.MaxName, tokenRanges...), bar, a.Lit(">"), a.Blanks())
	last := a.Seq(a.Lit("<"), bar, a.Chars(0, turn.MaxName, tokenRanges...), bar, a.Optional(a.Lit(">")), a.Blanks(), a.End())
	word := a.Seq(a.Lit("["), a.Chars(1, turn.MaxName, capitals...), a.Lit("]"), a.Blanks())
	lastWord := a.Seq(a.Lit("["), a.Chars(0, turn.MaxName, capitals...), a.Optional(a.Lit("]")), a.Blanks(), a.End())
	start := a.Choice(a.Seq(a.Not(last), tag), a.Seq(a.Not(lastWord), word))
	return a.foreign(own, a.Seq(a.Peek(a.Seq(start, a.beginsCall())), start))
}

func (a *assembly) otherEnd() peg.ID {
	own := append(slices.Clone(a.Ends), a.m.Tools.PerCallEnd, a.m.Tools.SectionEnd, a.m.Reasoning.Start, a.m.Reasoning.End, a.m.Content.Start, a.m.Content.End)
	if !a.markerless() {
		own = append(own, a.openers()...)
	}
	tag := a.Seq(a.Lit("</"), a.AnyName(), a.Lit(">"))
	bar := a.OneOf(bars...)
	token := a.Seq(a.Lit("<"), bar, a.Optional(a.Lit("/")), a.Chars(1, turn.MaxName, tokenRanges...), bar, a.Lit(">"))
	word := a.Seq(a.Lit("[/"), a.Chars(1, turn.MaxName, capitals...), a.Lit("]"))
	return a.Seq(a.foreign(own, a.Choice(tag, token, word)), a.Space())
}

// tokenRanges are the characters in names of special tokens.
var tokenRanges = append(slices.Clone(turn.NameRanges), peg.Range{Lo: '▁', Hi: '▁'})

// capitals are the characters of a token that is a word in square brackets.
var capitals = []peg.Range{{Lo: 'A', Hi: 'Z'}, {Lo: '_', Hi: '_'}}

// foreign matches kid, except at one of the format's own markers.
func (a *assembly) foreign(own []string, kid peg.ID) peg.ID {
	if own = nonempty(own...); len(own) == 0 {
		return kid
	}
	return a.Seq(a.Not(a.OneOf(own...)), kid)
}
