package match_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// TestFaultsSayWhatWasExpected breaks formats at every kind of instruction.
func TestFaultsSayWhatWasExpected(t *testing.T) {
	letters := []peg.Range{{Lo: 'a', Hi: 'z'}, {Lo: '_', Hi: '_'}}
	for _, test := range []struct {
		program    func(*peg.Builder) peg.ID
		text, want string
	}{
		{func(b *peg.Builder) peg.ID { return b.Lit("<a>") }, "<ax", `byte 0, in program: expected "<a>", found "<ax"`},
		{func(b *peg.Builder) peg.ID {
			return b.Seq(b.Lit("x"), b.Choice(b.Lit("</function>"), b.Lit("<parameter=")))
		}, "x<param>", `byte 1, in program: expected "</function>" or "<parameter=", found "<param>"`},
		{func(b *peg.Builder) peg.ID { return b.Seq(b.Space(), b.Chars(2, 4, letters...)) }, " a1", `byte 2, in program: expected [a-z_], found "1"`},
		{func(b *peg.Builder) peg.ID { return b.NotChars(2, 4, letters...) }, "1a", `byte 1, in program: expected [^a-z_], found "a"`},
		{func(b *peg.Builder) peg.ID { return b.Rule("list", b.Value(peg.ArrayValue)) }, `[1, "a" 2]`, `byte 8, in list: expected "," or a bracket, found "2"`},
		{func(b *peg.Builder) peg.ID { return b.Value(peg.AnyJSON) }, `{"a" 2}`, `byte 5, in program: expected ":", found "2"`},
		{func(b *peg.Builder) peg.ID { return b.Value(peg.AnyJSON) }, `{2}`, `byte 1, in program: expected a key or "}", found "2"`},
		{func(b *peg.Builder) peg.ID { return b.Value(peg.AnyJSON) }, `tue`, `byte 1, in program: expected a literal, found "u"`},
		{func(b *peg.Builder) peg.ID { return b.Value(peg.AnyJSON) }, `1.x`, `byte 2, in program: expected a number, found "x"`},
		{func(b *peg.Builder) peg.ID { return b.Value(peg.AnyJSON) }, `"\ux"`, `byte 3, in program: expected a string escape, found "x"`},
		{func(b *peg.Builder) peg.ID { return b.Seq(b.Peek(b.Lit("<")), b.Any()) }, "a", `byte 0, in program: expected "<", found "a"`},
		{func(b *peg.Builder) peg.ID { return b.Seq(b.Not(b.Lit("<")), b.Any()) }, "<", `byte 0, in program: nothing matches "<"`},
		{func(b *peg.Builder) peg.ID { return b.Star(b.Lit("a")) }, "aab", `byte 2, in program: expected "a" or the end, found "b"`},
		{func(b *peg.Builder) peg.ID { return b.Optional(b.Rule("r", b.Optional(b.Lit("a")))) }, "b", `byte 0, in r: expected "a" or the end, found "b"`},
	} {
		var b peg.Builder
		code := compile(t, b.Build(b.Seq(test.program(&b), b.End())))
		_, report := everySplit(t, code, output{text: test.text})
		if len(report.Faults) != 1 || report.Faults[0].Message != test.want {
			t.Errorf("%q: %s, %+v, want %s", test.text, report.Status, report.Faults, test.want)
		}
	}
}

// TestReports compares a whole report.
func TestReports(t *testing.T) {
	text := "a<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"\t\\d\"}}</tool_call>b<tool_call>?"
	_, got := everySplit(t, compile(t, jsonCalls().Bind("<x>")), output{prompt: "<x>", text: text})
	want := chat.Report{Status: chat.Malformed, Length: 3 + len(text), PromptLength: 3, MaxHeld: 12,
		Spans: []chat.Span{
			{Region: chat.PromptRegion, Start: 0, End: 3}, {Region: chat.ContentRegion, Start: 3, End: 4},
			{Region: chat.MarkerRegion, Start: 4, End: 25}, {Region: chat.CallRegion, Start: 25, End: 26},
			{Region: chat.MarkerRegion, Start: 26, End: 42}, {Region: chat.CallRegion, Start: 42, End: 54},
			{Region: chat.MarkerRegion, Start: 54, End: 67}, {Region: chat.ContentRegion, Start: 67, End: 68},
			{Region: chat.RecoveredRegion, Start: 68, End: 80},
		},
		Faults: []chat.Fault{{At: 68, Farthest: 79, Message: `byte 79, in tool-call: expected "{\"name\": \"", found "?"`}},
		Notes:  []string{"repaired characters in arguments: 2"},
	}
	got.MaxHeld = want.MaxHeld
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// TestReportsOfManyFaultsAreShort parses an output with more faults than a report lists.
func TestReportsOfManyFaultsAreShort(t *testing.T) {
	text := fill(`<tool_call>{"name": "f", "arguments": {"a": ?`, 4000)
	_, report := parse(t, compile(t, jsonCalls().Bind("")), output{text: text}, nil)
	if n := len(report.Faults); n != 32 || slices.ContainsFunc(report.Faults, func(f chat.Fault) bool { return f.Message == "" }) {
		t.Errorf("%d faults: %+v", n, report.Faults)
	}
}
