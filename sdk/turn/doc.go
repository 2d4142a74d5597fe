// Package turn builds the programs of formats in which a turn of the assistant is what it is for
// most models: reasoning between markers, then text with calls in it. It is the only turn builder:
// plugins and the autoparser both use it. A plugin describes what is particular to its format, and
// gets a whole plan:
//
//	t := turn.New(in.Request, turn.Format{
//		ThinkStart: "<think>", ThinkEnd: "</think>", Openers: []string{"<call>"}, Ends: []string{"<|im_end|>"},
//	})
//	name := func(name peg.ID) peg.ID { return t.Atomic(t.Tag(peg.CallName, name), t.Lit("(")) }
//	call := t.Tag(peg.Call, t.Lit("<call>"), t.ByName(name, arguments), t.Closer("</call>"))
//	return t.Plan(t.Trigger("calls", t.Several(call, "")))
//
// Such a program reads:
//
//	prompt  { reasoning }?  text { calls | an opener that begins no call } text …  end of turn?  end
//
// The package handles everything that does not depend on how a call is written: tool choice,
// constraints, answers that follow a JSON Schema, reasoning that stays in the content, messages to
// be continued. A parser must lose nothing, so the program also reads calls of unknown tools, calls
// that the request forbids, missing closers, and text after the end. All of that is in rules whose
// names begin with "~", which grammars leave out.
//
// A generation prompt that has begun reasoning is parsed like output, so no flag is needed to say
// where a turn starts.
//
// Every part consumes the white space after it. Helpers for calls: ByName and ByTool (an
// alternative for each tool), Several (calls in a row), EndThinkingAt (calls that end reasoning),
// Arguments (in any order; grammars require those that are required), Typed and Verbatim (values in
// markup), Text (text that may contain markers), Start (a marker that may come twice), Closer and
// Marker (markers that may be missing).
//
// A format with turns of another shape, such as messages in channels, builds the root of its
// program itself and uses the rest of the package: Plan consists of Program, Answer and Continue.
// The test react_test.go is an example of that; the package's Example shows a whole small format.
//
// Words that must not be confused: an *opener* is a text at which calls may begin, a *closer* one
// at which something ends; a *format* is what a plugin describes, a *turn* the program being built
// for one request. *Only* is for the parser alone; *Once* builds a rule once.
package turn
