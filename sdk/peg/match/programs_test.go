package match_test

import "github.com/dragoman-project/dragoman/sdk/peg"

// The programs of several tests. Each stands for one way in which models write calls.

const (
	callOpen  = "<tool_call>"
	callClose = "</tool_call>"
	turnEnd   = "<|end|>"
)

// message is a whole turn: reasoning, then content and calls in any order.
func message(b *peg.Builder, call peg.ID, callStart string) *peg.Program {
	trigger := b.Trigger("tool-call", call)
	thinking := b.Optional(b.Lit("<think>"), b.Space(), b.Tag(peg.Reasoning, b.Until("</think>")), b.Lit("</think>"))
	content := b.Tag(peg.Content, b.Until(callStart, turnEnd))
	return b.Build(b.Seq(b.Prompt("<think>"), b.Space(), thinking, b.Space(), content, b.Star(trigger, b.Space(), content),
		b.Optional(b.Lit(turnEnd)), b.Space(), b.End()))
}

// jsonCalls writes calls as JSON between markers.
func jsonCalls() *peg.Program {
	var b peg.Builder
	call := b.Tag(peg.Call, b.Lit(callOpen), b.Space(),
		b.Atomic(b.Lit(`{"name": "`), b.Tag(peg.CallName, b.StringContent(`"`)), b.Lit(`", "arguments": `)),
		b.Tag(peg.Arguments, b.Value(peg.ObjectValue|peg.PythonLiterals|peg.PythonQuotes)),
		b.Space(), b.Lit("}"), b.Space(), b.Lit(callClose))
	return message(&b, call, callOpen)
}

// taggedCalls writes each argument between tags of its own: strings raw, other values as JSON.
func taggedCalls() *peg.Program {
	var b peg.Builder
	const close = "</parameter>"
	name := b.Atomic(b.Lit("<parameter="), b.Tag(peg.Key, b.Until(">", "\n")), b.Lit(">"), b.Space())
	scalar := b.Atomic(b.Tag(peg.Scalar, b.Value(peg.AnyPython)), b.Space(), b.Peek(b.Lit(close)))
	text := b.Tag(peg.String, b.Until(close))
	argument := b.Seq(name, b.Choice(scalar, text), b.Lit(close))
	call := b.Tag(peg.Call, b.Lit(callOpen), b.Space(),
		b.Atomic(b.Lit("<function="), b.Tag(peg.CallName, b.Until(">")), b.Lit(">")), b.Space(),
		b.Star(argument, b.Space()), b.Lit("</function>"), b.Space(), b.Lit(callClose))
	return message(&b, call, callOpen)
}

// pythonCalls writes calls as a list of Python calls: [f(a=1, b='x'), g()].
func pythonCalls() *peg.Program {
	var b peg.Builder
	word := b.Chars(1, 64, peg.Range{Lo: 'a', Hi: 'z'}, peg.Range{Lo: '0', Hi: '9'}, peg.Range{Lo: '_', Hi: '_'})
	argument := b.Seq(b.Atomic(b.Tag(peg.Key, word), b.Lit("=")), b.Tag(peg.Scalar, b.Value(peg.AnyPython)))
	call := b.Tag(peg.Call, b.Atomic(b.Tag(peg.CallName, word), b.Lit("(")), b.Space(),
		b.Optional(argument, b.Space(), b.Star(b.Lit(","), b.Space(), argument, b.Space())), b.Lit(")"))
	section := b.Seq(b.Lit("<calls>["), b.Space(), call, b.Space(), b.Star(b.Lit(","), b.Space(), call, b.Space()),
		b.Lit("]"), b.Optional(b.Lit("</calls>")))
	return message(&b, section, "<calls>")
}

// sections writes several calls between markers of their own, within a section.
func sections() *peg.Program {
	var b peg.Builder
	call := b.Tag(peg.Call, b.Atomic(b.Lit("<invoke "), b.Tag(peg.CallName, b.Until(">")), b.Lit(">")),
		b.Tag(peg.Arguments, b.Value(peg.ObjectValue)), b.Lit("</invoke>"))
	return message(&b, b.Seq(b.Lit("<calls>"), b.Space(), b.Plus(call, b.Space()), b.Lit("</calls>")), "<calls>")
}

// nestedCalls writes arguments as a tree of elements, described by a recursive rule.
func nestedCalls() *peg.Program {
	var b peg.Builder
	members := b.Ref("members")
	object := b.Tag(peg.Object, b.Lit("<o>"), members, b.Lit("</o>"))
	array := b.Tag(peg.Array, b.Lit("<l>"), b.Star(b.Ref("value")), b.Lit("</l>"))
	text := b.Seq(b.Lit("<s>"), b.Tag(peg.String, b.Until("</s>")), b.Lit("</s>"))
	scalar := b.Seq(b.Lit("<v>"), b.Tag(peg.Scalar, b.Value(peg.AnyJSON)), b.Lit("</v>"))
	value := b.Rule("value", b.Choice(object, array, text, scalar))
	b.Rule("members", b.Star(b.Atomic(b.Lit("<k>"), b.Tag(peg.Key, b.Until("</k>")), b.Lit("</k>")), value))
	call := b.Tag(peg.Call, b.Atomic(b.Lit("<call "), b.Tag(peg.CallName, b.Until(">")), b.Lit(">")),
		members, b.Lit("</call>"))
	return message(&b, call, "<call ")
}

// lateNames writes the name of a call after its arguments, and an id before them.
func lateNames() *peg.Program {
	var b peg.Builder
	call := b.Tag(peg.Call, b.Atomic(b.Lit("<call>"),
		b.Optional(b.Lit("#"), b.Tag(peg.CallID, b.Until(" ")), b.Lit(" ")),
		b.Tag(peg.Arguments, b.Value(peg.ObjectValue)),
		b.Lit(" to "), b.Tag(peg.CallName, b.Until("</call>")), b.Lit("</call>")))
	return message(&b, call, "<call>")
}

// theRest takes everything as content.
func theRest() *peg.Program {
	var b peg.Builder
	return b.Build(b.Tag(peg.Content, b.Rest()))
}

// programs returns all of them by name.
func programs() map[string]*peg.Program {
	return map[string]*peg.Program{
		"json calls": jsonCalls(), "tagged calls": taggedCalls(), "python calls": pythonCalls(), "sections": sections(),
		"nested calls": nestedCalls(), "late names": lateNames(), "the rest": theRest(),
	}
}
