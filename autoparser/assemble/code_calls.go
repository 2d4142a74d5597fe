package assemble

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// Some models write calls as code, in a fence that says so, or in a list, whatever format the template has: print(f(a=1)) behind
// ```tool_code, or [f(a=1), g()]. Where a format is JSON, code that calls a tool of the request there is a call, too. Nothing of this
// is in grammars.

// calledIn is the language of fences around calls, and calledOf the object whose methods tools are in some of them.
const (
	calledIn = "tool_code"
	calledOf = "default_api."
	printed  = "print("
)

// codeCalls are calls as code, in a list or in a fence.
func (a *assembly) codeCalls() peg.ID {
	return a.Once("~code-calls", func() peg.ID {
		fenced := a.Seq(a.Peek(a.Seq(a.fenceOpen(), a.codeAhead())), a.Lit(turn.Fence+calledIn), a.Space(),
			a.listed(a.codeCall()), a.Optional(a.Lit(turn.Fence), a.Space()))
		list := a.Seq(a.Peek(a.Seq(a.Peek(a.Lit("[")), a.codeAhead())), a.listed(a.codeCall()))
		return a.Choice(fenced, list)
	})
}

// codeAhead sees the beginning of a call of a tool, in a list or not. At the end of the output there is none, and nothing missing.
func (a *assembly) codeAhead() peg.ID {
	list := a.Optional(a.Lit("["), a.Blanks())
	cut := a.Seq(list, a.Chars(0, turn.MaxName, append(slices.Clone(turn.NameRanges), peg.Range{Lo: '(', Hi: '('})...), a.End())
	names := make([]string, len(a.Tools))
	for i, t := range a.Tools {
		names[i] = t.Name + "("
	}
	return a.Seq(a.Not(cut), list, a.Optional(a.Lit(printed)), a.Optional(a.Lit(calledOf)), a.OneOf(names...))
}

// codeCall is one such call, with the white space behind it.
func (a *assembly) codeCall() peg.ID {
	return a.Once("~code-call", func() peg.ID {
		word := a.AnyName()
		value := a.Tag(peg.Scalar, a.Value(peg.AnyPython))
		argument := a.Seq(a.Atomic(a.Tag(peg.Key, word), a.Blanks(), a.Lit("=")), a.Space(), value, a.Space(), a.Optional(a.Lit(","), a.Space()))
		ahead := a.Peek(a.Seq(a.Blanks(), a.Choice(a.Lit(")"), a.Seq(word, a.Blanks(), a.Lit("=")))))
		header := a.Atomic(a.oneNamed(a.Tools), a.Lit("("), ahead)
		call := a.Seq(a.Tag(peg.Call, header, a.Space(), a.Tag(peg.Object, a.Star(argument)), a.Lit(")")), a.Space())
		print := a.Seq(a.Lit(printed), a.Optional(a.Lit(calledOf)), call, a.Optional(a.Lit(")"), a.Space()))
		return a.Choice(print, a.Seq(a.Optional(a.Lit(calledOf)), call))
	})
}
