package match_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// TestLawOfCommitment checks when events are delivered: each piece of an output is fed on its own, and "·" marks where the next
// one begins.
func TestLawOfCommitment(t *testing.T) {
	content := func(b *peg.Builder, delims ...string) peg.ID { return b.Tag(peg.Content, b.Until(delims...)) }
	named := func(b *peg.Builder, name string) peg.ID { return b.Tag(peg.CallName, b.Lit(name)) }
	for _, test := range []struct {
		law     string
		program func(*peg.Builder) peg.ID
		chunks  []string
		want    string
	}{
		{"speech commits: text is delivered as it comes, and its alternatives are gone",
			func(b *peg.Builder) peg.ID {
				return b.Seq(b.Choice(b.Seq(content(b, "<"), b.Lit("<a>")), b.Tag(peg.Reasoning, b.Until())), b.End())
			},
			[]string{"x", "y", "<", "b>"}, `content "x" · content "y" · · recovered "<b>"`},
		{"white space does not commit",
			func(b *peg.Builder) peg.ID {
				return b.Seq(b.Choice(b.Seq(content(b, "<"), b.Lit("<a>")), b.Tag(peg.Reasoning, b.Until())), b.End())
			},
			[]string{" ", "<", "b", ">"}, `· · reasoning " <b" · reasoning ">"`},
		{"a literal speaks when it is complete",
			func(b *peg.Builder) peg.ID {
				return b.Seq(b.Choice(b.Tag(peg.Content, b.Lit("yes")), b.Tag(peg.Reasoning, b.Lit("yellow"))), b.End())
			},
			[]string{"ye", "l", "low"}, `· · reasoning "yellow"`},
		{"a complete name commits",
			func(b *peg.Builder) peg.ID {
				call := b.Tag(peg.Call, named(b, "f"), b.Lit("("), b.Tag(peg.Arguments, b.Value(peg.ObjectValue)), b.Lit(")"))
				return b.Seq(b.Choice(call, content(b)), b.End())
			},
			[]string{"f", "(", "{", "x"}, `call f · · { · open recovered "x"`},
		{"an atomic header commits when it is complete, and not before",
			func(b *peg.Builder) peg.ID {
				call := b.Tag(peg.Call, b.Atomic(named(b, "f"), b.Lit("(")), b.Tag(peg.Arguments, b.Value(peg.ObjectValue)))
				return b.Seq(b.Choice(call, content(b)), b.End())
			},
			[]string{"f", "x"}, `· content "fx"`},
		{"speech in an atomic region commits at its end",
			func(b *peg.Builder) peg.ID {
				return b.Seq(b.Choice(b.Seq(b.Atomic(b.Tag(peg.Content, b.Chars(1, 3, peg.Range{Lo: 'a', Hi: 'z'})), b.Lit("!")), b.Lit(".")), b.Tag(peg.Reasoning, b.Until())), b.End())
			},
			[]string{"ab", "!", "?"}, `· content "ab" · recovered "?"`},
		{"markers and ids wait",
			func(b *peg.Builder) peg.ID {
				call := b.Tag(peg.Call, b.Lit("<"), b.Tag(peg.CallID, b.Lit("1")), b.Lit(":"), named(b, "f"))
				return b.Seq(b.Choice(call, content(b)), b.End())
			},
			[]string{"<", "1", ":", "f", ""}, `· · · call id 1 f {} end ·`},
		{"markers do not wait where nothing else is possible",
			func(b *peg.Builder) peg.ID {
				call := b.Tag(peg.Call, b.Lit("<"), named(b, "f"), b.Lit(">"), b.Tag(peg.Arguments, b.Value(peg.ObjectValue)), b.Lit("</"))
				return b.Seq(call, b.End())
			},
			[]string{"<", "f", ">", "{}", "<", "/"}, `· call f · · {} · · end`},
		{"a repetition is reborn: each iteration is decided by itself",
			func(b *peg.Builder) peg.ID {
				item := b.Seq(b.Lit("-"), b.Tag(peg.Content, b.Chars(1, 1, peg.Range{Lo: 'a', Hi: 'z'})))
				return b.Seq(b.Star(item), b.Lit("-"), b.Tag(peg.Reasoning, b.Until()), b.End())
			},
			[]string{"-", "a", "-", "b", "-", "1"}, `· content "a" · · content "b" · · reasoning "1"`},
		{"lookaheads are mute",
			func(b *peg.Builder) peg.ID {
				return b.Seq(b.Peek(b.Tag(peg.Content, b.Lit("ab"))), b.Tag(peg.Reasoning, b.Until()), b.End())
			},
			[]string{"a", "b", "c"}, `· reasoning "ab" · reasoning "c"`},
		{"at the end the beginning of a delimiter is text",
			func(b *peg.Builder) peg.ID { return b.Seq(content(b, "<a>"), b.Optional(b.Lit("<a>")), b.End()) },
			[]string{"x<", "a", "END"}, `content "x" · · content "<a"`},
		{"at the end what has been read is kept",
			func(b *peg.Builder) peg.ID {
				return b.Seq(b.Choice(b.Seq(b.Lit("<"), content(b, ">"), b.Lit(">>")), b.Tag(peg.Reasoning, b.Until())), b.End())
			},
			[]string{"<", " ", ">", "END"}, `· · · content " "`},
		{"at the end an alternative that has read nothing gives way",
			func(b *peg.Builder) peg.ID { return b.Seq(b.Optional(b.Lit("<a>")), content(b), b.End()) },
			[]string{"END"}, ``},
	} {
		t.Run(test.law, func(t *testing.T) {
			var b peg.Builder
			code := compile(t, b.Build(test.program(&b)))
			if got := watch(code, test.chunks); got != test.want {
				t.Errorf("%q\n got %s\nwant %s", test.chunks, got, test.want)
			}
			text, _ := strings.CutSuffix(strings.Join(test.chunks, ""), "END")
			everySplit(t, code, output{text: text})
		})
	}
}

// watch returns what is delivered after each chunk; the chunk "END" is the end.
func watch(code *match.Code, chunks []string) string {
	var now transcript
	m := match.New(code, now.sink)
	var all []string
	for _, chunk := range chunks {
		now = nil
		if chunk == "END" {
			m.Finish(false)
		} else {
			m.Feed([]byte(chunk))
		}
		all = append(all, strings.ReplaceAll(now.String(), " | ", " "))
	}
	return strings.TrimSpace(strings.Join(strings.Fields(strings.Join(all, " · ")), " "))
}

// TestLongWhiteSpaceSpeaks feeds more white space than may be held.
func TestLongWhiteSpaceSpeaks(t *testing.T) {
	var b peg.Builder
	code := compile(t, b.Build(b.Seq(
		b.Choice(b.Seq(b.Tag(peg.Content, b.Until("<")), b.Lit("<a>")), b.Tag(peg.Reasoning, b.Until())), b.End())))
	for n, want := range map[int]string{256: "reasoning", 257: "content"} {
		got, _ := everySplit(t, code, output{text: strings.Repeat(" ", n) + "<b>"})
		if !strings.HasPrefix(got.String(), want) {
			t.Errorf("%d blanks: %v, want %s", n, got, want)
		}
	}
}

// TestTruncation ends outputs in the middle of their format.
func TestTruncation(t *testing.T) {
	for _, test := range []struct{ program, text, want, open string }{
		{"json calls", `a<tool_`, `content "a<tool_"`, ""},
		{"json calls", `a<tool_call>{"name": "f`, `content "a"`, `{"name": "f`},
		{"json calls", `<tool_call>{"name": "f", "arguments": `, `call | f | open`, ""},
		{"json calls", `<tool_call>{"name": "f", "arguments": {"a": [1, "x`, `call | f | {"a": [1, "x | open`, ""},
		{"json calls", `<tool_call>{"name": "f", "arguments": {}}</tool`, `call | f | {} | open`, `</tool`},
		{"json calls", `<tool_call>{"name": "f", "arguments": {"a": Tru`, `call | f | {"a":  | open`, ""},
		{"tagged calls", `<tool_call><function=f><parameter=a>x`, `call | f | {"a":"x | open`, ""},
		{"tagged calls", `<tool_call><function=f><parameter=a>1`, `call | f | {"a": | open`, "1"},
		{"late names", `<call>#1 {"a": 1} to f`, ``, `<call>#1 {"a": 1} to f`},
		{"json calls", `<think>hm`, `reasoning "hm"`, ""},
	} {
		code := compile(t, programs()[test.program].Bind(""))
		got, report := everySplit(t, code, output{text: test.text})
		if got.String() != test.want {
			t.Errorf("%s\n got %v\nwant %v", test.text, got, test.want)
		}
		var open string
		for _, s := range report.Spans {
			if s.Region == chat.OpenRegion {
				open += test.text[s.Start:s.End]
			}
		}
		if open != test.open {
			t.Errorf("%s: open %q, want %q", test.text, open, test.open)
		}
	}
}
