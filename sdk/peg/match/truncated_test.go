package match_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// tolerantCalls writes calls as <f a=… a=…>; a rule for the parser alone tolerates that the last marker is missing. A value is a
// number, or text between bars.
func tolerantCalls() *peg.Program {
	var b peg.Builder
	value := b.Choice(b.Seq(b.Lit("|"), b.Tag(peg.String, b.Until("|")), b.Lit("|")), b.Tag(peg.Scalar, b.Value(peg.AnyPython)))
	argument := b.Seq(b.Atomic(b.Tag(peg.Key, b.Chars(1, 8, peg.Range{Lo: 'a', Hi: 'z'})), b.Lit("=")), value, b.Space())
	missing := b.Rule("~missing", b.Missing(">"))
	call := b.Tag(peg.Call, b.Atomic(b.Lit("<"), b.Tag(peg.CallName, b.Chars(1, 8, peg.Range{Lo: 'a', Hi: 'z'})), b.Lit(" ")),
		b.Tag(peg.Object, b.Star(argument)), b.Choice(b.Lit(">"), missing))
	text := b.Tag(peg.Content, b.Until("<"))
	return b.Build(b.Seq(b.Prompt(), text, b.Star(call, text), b.End()))
}

// bareCalls writes a call as name and JSON, and ends it with the output.
func bareCalls() *peg.Program {
	var b peg.Builder
	call := b.Tag(peg.Call, b.Atomic(b.Tag(peg.CallName, b.Chars(1, 8, peg.Range{Lo: 'a', Hi: 'z'})), b.Lit("\n")),
		b.Tag(peg.Arguments, b.Value(peg.ObjectValue)), b.Space())
	return b.Build(b.Seq(b.Prompt(), call, b.End()))
}

// TestACallThatTheOutputEndsWithinStaysOpen ends outputs within calls. It makes no difference whether the engine says that it
// stopped for length.
func TestACallThatTheOutputEndsWithinStaysOpen(t *testing.T) {
	programs := programs()
	programs["tolerant calls"], programs["bare calls"] = tolerantCalls(), bareCalls()
	for _, test := range []struct{ program, text, want string }{
		{"tolerant calls", `<f a=1 b=|x|>`, `call | f | {"a":1,"b":"x"} | end`},
		{"tolerant calls", `<f >`, `call | f | {} | end`},
		{"tolerant calls", `<f a=1<g >`, `call | f | {"a":1} | end | call | g | {} | end`},
		{"tolerant calls", `<f `, `call | f | { | open`},
		{"tolerant calls", `<f a=3`, `call | f | {"a":3 | open`},
		{"tolerant calls", `<f a=3 `, `call | f | {"a":3 | open`},
		{"tolerant calls", `<f a=3 b`, `call | f | {"a":3 | open`},
		{"tolerant calls", `<f a=True`, `call | f | {"a":true | open`},
		{"tolerant calls", `<f a=|Pa`, `call | f | {"a":"Pa | open`},
		{"tolerant calls", `<f a=|Pa|`, `call | f | {"a":"Pa" | open`},
		{"tolerant calls", `<f a=0x10>`, `call | f | {"a":0 | open | recovered "x10>"`},
		{"tagged calls", `<tool_call><function=f><parameter=a>x</parameter></`, `call | f | {"a":"x" | open`},
		{"python calls", `<calls>[f(a=1), f(a=12`, `call | f | {"a":1} | end | call | f | {"a":12 | open`},
		{"json calls", `<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>`, `call | f | {"a": 1} | end`},
		{"bare calls", "f\n{\"a\": 1}", `call | f | {"a": 1} | end`},
		{"bare calls", "f\n{\"a\": 1", `call | f | {"a": 1 | open`},
	} {
		code := compile(t, programs[test.program].Bind(""))
		for _, truncated := range []bool{false, true} {
			got, report := everySplit(t, code, output{text: test.text, truncated: truncated})
			if got.String() != test.want {
				t.Errorf("%s, truncated %t\n got %v\nwant %v", test.text, truncated, got, test.want)
			}
			if strings.HasSuffix(test.want, "open") && report.Status != chat.Truncated {
				t.Errorf("%s, truncated %t: status %s", test.text, truncated, report.Status)
			}
		}
	}
}

// TestABegunMarkerOfATruncatedOutputIsNoText ends outputs with what may be the beginning of a marker.
func TestABegunMarkerOfATruncatedOutputIsNoText(t *testing.T) {
	for _, test := range []struct{ text, want, open string }{
		{`a <tool_c`, `content "a "`, `<tool_c`},
		{`<think>b</thi`, `reasoning "b"`, `</thi`},
		{`<tool_call><function=f><parameter=a>x</p`, `call | f | {"a":"x | open`, `</p`},
		{`a b`, `content "a b"`, ``},
	} {
		got, report := everySplit(t, compile(t, taggedCalls().Bind("")), output{text: test.text, truncated: true})
		var open string
		for _, s := range report.Spans {
			if s.Region == chat.OpenRegion {
				open += test.text[s.Start:s.End]
			}
		}
		if got.String() != test.want || open != test.open || report.Status != chat.Truncated {
			t.Errorf("%s\n got %v, open %q, %s\nwant %v, open %q", test.text, got, open, report.Status, test.want, test.open)
		}
	}
}

// TestEveryEndOfAnOutputIsReadAtEverySplit ends good and broken outputs everywhere.
func TestEveryEndOfAnOutputIsReadAtEverySplit(t *testing.T) {
	for _, p := range []*peg.Program{tolerantCalls(), bareCalls(), taggedCalls(), pythonCalls()} {
		code := compile(t, p.Bind(""))
		for _, text := range []string{`a <f a=1 b=|x| <f a=|`, `<f a=||<f b=0x1>c`, "f\n{\"a\": 1} x", `<tool_call><function=f><parameter=a></parameter></function>`, `<calls>[f(a=1, b=''), g()] <calls>[`} {
			for n := range len(text) + 1 {
				for _, truncated := range []bool{false, true} {
					everySplit(t, code, output{text: text[:n], truncated: truncated})
				}
			}
		}
	}
}
