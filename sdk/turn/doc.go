// Package turn builds the programs of formats in which a turn of the assistant is what it is for most models: reasoning in
// markers, then text with calls in it. A plugin says what is particular to its format, and gets a whole plan:
//
//	t := turn.New(in.Request, turn.Format{
//		ThinkStart: "<think>", ThinkEnd: "</think>", Openers: []string{"<call>"}, Ends: []string{"<|im_end|>"},
//	})
//	name := func(name peg.ID) peg.ID { return t.Atomic(t.Tag(peg.CallName, name), t.Lit("(")) }
//	call := t.Tag(peg.Call, t.Lit("<call>"), t.ByName(name, arguments), t.Closer("</call>"))
//	return t.Plan(t.Trigger("calls", t.Several(call, "")))
//
// What such a program reads:
//
//	prompt  { reasoning }?  text { calls | an opener that begins no call } text …  end of turn?  end
//
// The package sees to everything that does not depend on how a call is written: the choice of tools, constraints, answers
// that follow a JSON Schema, reasoning that stays in the content, messages to be continued. A parser must lose nothing: it
// reads calls of unknown tools, calls that the request does not allow, missing closers and text behind the end. All of that
// stands under rules whose names begin with "~", which grammars leave out.
//
// A generation prompt that has begun reasoning is read like output, so where a turn starts needs no flag.
//
// Every part takes the white space behind it. Helpers for calls: ByName and ByTool (the alternatives of tools), Several (calls
// one after the other), EndThinkingAt (calls that end reasoning), Arguments (in any order, in grammars all that are required),
// Typed and Verbatim (values in markup), Text (text that spells markers), Closer (a marker that may be missing).
//
// A format whose turn is something else, such as messages in channels, builds the root of its program itself and takes the
// rest from here: Program, Answer and Continue are what Plan is made of. A test of this package, react_test.go, is an example.
//
// Words that must not be confused: an *opener* is a text at which calls may begin, a *closer* one at which something ends; a
// *format* is what a plugin says, a *turn* the program being built for one request.
package turn
