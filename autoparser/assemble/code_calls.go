package assemble

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// Some models write calls as code, in a marked fence or in a list, whatever the template's format:
// print(f(a=1)) after ```tool_code, or [f(a=1), g()]. In JSON formats, code that calls one of the
// request's tools there is a call, too. None of this is in grammars.

// calledIn is the language of code fences around calls; calledOf is the object whose methods the
// tools are in some of them.
const (
	calledIn = "tool_code"
	calledOf = "default_api."
	printed  = "print("
)

// codeCalls matches calls as code, in a list or in a fence.
func (a *assembly) codeCalls() peg.ID {
	return a.Once("~code-calls", func() peg.ID {
		fenced := a.Seq(a.Peek(a.Seq(a.fenceOpen(), a.codeAhead())), a.Lit(turn.Fence+calledIn), a.Space(),
			a.listed(a.codeCall()), a.Optional(a.Lit(turn.Fence), a.Space()))
		list := a.Seq(a.Peek(a.Seq(a.Peek(a.Lit("[")), a.codeAhead())), a.listed(a.codeCall()))
		return a.Choice(fenced, list)
	})
}

// codeAhead matches the beginning of a call of a tool, optionally in a list. It does not match at
// the end of the output.
func (a *assembly) codeAhead() peg.ID {
	list := a.Optional(a.Lit("["), a.Blanks())
	cut := a.Seq(list, a.Chars(0, turn.MaxName, append(slices.Clone(turn.NameRanges), peg.Range{Lo: '(', Hi: '('})...), a.End())
	names := make([]string, len(a.Tools))
	for i, t := range a.Tools {
		names[i] = t.Name + "("
	}
	return a.Seq(a.Not(cut), list, a.Optional(a.Lit(printed)), a.Optional(a.Lit(calledOf)), a.OneOf(names...))
}

// codeCall matches one such call, and the white space after it.
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
