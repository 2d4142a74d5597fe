package match_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// scalarCall returns a program for one argument, "a", of the given kinds: fa=…;
func scalarCall(kinds peg.Values) *peg.Program {
	var b peg.Builder
	call := b.Tag(peg.Call, b.Tag(peg.CallName, b.Lit("f")), b.Tag(peg.Key, b.Lit("a")), b.Lit("="),
		b.Tag(peg.Scalar, b.Value(kinds)), b.Lit(";"))
	return b.Build(b.Seq(call, b.End()))
}

// TestValues parses values of every kind, which are delivered as JSON.
func TestValues(t *testing.T) {
	for _, test := range []struct {
		kinds      peg.Values
		text, want string // no want: not a value of these kinds
	}{
		{peg.AnyJSON, `0`, `0`}, {peg.AnyJSON, `-12.50e+3`, `-12.50e+3`}, {peg.AnyJSON, `9007199254740993`, `9007199254740993`},
		{peg.AnyJSON, `1E5`, `1E5`}, {peg.AnyJSON, `007`, ``}, {peg.AnyJSON, `1.`, ``}, {peg.AnyJSON, `.5`, ``}, {peg.AnyJSON, `+1`, ``},
		{peg.AnyJSON, `1e`, ``}, {peg.AnyJSON, `-`, ``}, {peg.AnyJSON, `1.2.3`, ``}, {peg.AnyJSON, `1-2`, ``},
		{peg.AnyJSON, `true`, `true`}, {peg.AnyJSON, `null`, `null`}, {peg.AnyJSON, `tru`, ``}, {peg.AnyJSON, `True`, ``}, {peg.AnyJSON, `None`, ``},
		{peg.AnyJSON, `"a\"b\\c\u00e9é\n"`, `"a\"b\\c\u00e9é\n"`}, {peg.AnyJSON, `'a'`, ``}, {peg.AnyJSON, `"\u12x4"`, ``},
		{peg.AnyJSON, `[]`, `[]`}, {peg.AnyJSON, `[1, [2], {}]`, `[1, [2], {}]`}, {peg.AnyJSON, `[1,]`, ``}, {peg.AnyJSON, `[,1]`, ``},
		{peg.AnyJSON, "{\n \"a\" : 1 ,\"b\":[ ]\t}", "{\n \"a\" : 1 ,\"b\":[ ]\t}"}, {peg.AnyJSON, `{"a"}`, ``}, {peg.AnyJSON, `{1: 2}`, ``}, {peg.AnyJSON, `{"a": 1]`, ``},
		{peg.AnyJSON, `{"a": 1,}`, ``}, {peg.AnyJSON, `[1}`, ``},
		{peg.AnyPython, `True`, `true`}, {peg.AnyPython, `False`, `false`}, {peg.AnyPython, `None`, `null`}, {peg.AnyPython, `Nope`, ``},
		{peg.AnyPython, `[True, None, true]`, `[true, null, true]`}, {peg.AnyPython, `{'a': 'it\'s "x"', "b": 'y'}`, `{"a": "it's \"x\"", "b": "y"}`},
		{peg.AnyPython, `NaN`, `"NaN"`}, {peg.AnyPython, `[Infinity, -Infinity,-1]`, `["Infinity", "-Infinity",-1]`}, {peg.AnyJSON, `NaN`, ``},
		{peg.AnyPython, `-Inf`, ``}, {peg.AnyPython, `Na`, ``}, {peg.AnyPython, `Nane`, ``}, {peg.NumberValue | peg.PythonLiterals, `None`, ``},
		{peg.AnyPython, `'None'`, `"None"`}, {peg.AnyPython, `'True, "a", \\'`, `"True, \"a\", \\"`},
		{peg.AnyPython, `[1, 2, ]`, `[1, 2 ]`}, {peg.AnyPython, `{"a": [{"b": 1,},],}`, `{"a": [{"b": 1}]}`}, {peg.AnyPython, "[\",]\" ,\n ]", "[\",]\" \n ]"},
		{peg.AnyPython, `[1,,]`, ``}, {peg.AnyPython, `[,]`, ``}, {peg.AnyPython, `{,}`, ``}, {peg.AnyPython, `[None,]`, `[null]`},
		{peg.AnyJSON, `0x10`, ``}, {peg.AnyJSON, `1_000`, ``},
		{peg.NumberValue, `1`, `1`}, {peg.NumberValue, `"1"`, ``}, {peg.NumberValue, `true`, ``},
		{peg.StringValue, `"1"`, `"1"`}, {peg.StringValue, `1`, ``}, {peg.StringValue | peg.PythonQuotes, `'1'`, `"1"`},
		{peg.BoolValue, `false`, `false`}, {peg.BoolValue, `null`, ``}, {peg.BoolValue | peg.PythonLiterals, `True`, `true`},
		{peg.BoolValue | peg.PythonLiterals, `None`, ``}, {peg.NullValue | peg.PythonLiterals, `None`, `null`},
		{peg.ObjectValue, `{"a": [1, "x", null]}`, `{"a": [1, "x", null]}`}, {peg.ObjectValue, `[]`, ``}, {peg.ArrayValue, `[{}]`, `[{}]`}, {peg.ArrayValue, `{}`, ``},
	} {
		code := compile(t, scalarCall(test.kinds))
		got, report := everySplit(t, code, output{text: "fa=" + test.text + ";"})
		want := `call | f | {"a":` + test.want + `} | end`
		if ok := report.Status == chat.Complete; ok != (test.want != "") || ok && got.String() != want {
			t.Errorf("%s as %v: %s, %v, want %q", test.text, test.kinds, report.Status, got, test.want)
		}
	}
}

// TestStringsAreRepaired parses strings that are not valid JSON, but whose meaning is clear.
func TestStringsAreRepaired(t *testing.T) {
	for text, want := range map[string]string{
		"\"a\nb\tc\rd\x01\"":        `"a\nb\tc\rd\u0001"`,          // control characters
		`"\x41\x7f\xe9\U0001F600"`:  "\"A\x7fé😀\"",                 // escapes of Python
		`"\x0a\x22\U00110000"`:      `"\n\"�"`,                     // which JSON escapes, or cannot have
		`"\x4 \xg \U0001F60 \x4"`:   `"\\x4 \\xg \\U0001F60 \\x4"`, // and what are none
		`"\d+\.\w{2}"`:              `"\\d+\\.\\w{2}"`,             // a backslash too few
		"\"\\\n\"":                  `"\\\n"`,
		`'say "hi" \" \' \\ it''s'`: ``, // a string, and another
		`'say "hi" \" \' \\'`:       `"say \"hi\" \" ' \\"`,
		`"it's"`:                    `"it's"`,
		`"\é"`:                      `"\\é"`,
	} {
		code := compile(t, scalarCall(peg.AnyPython))
		got, report := everySplit(t, code, output{text: "fa=" + text + ";"})
		if want == "" {
			if report.Status == chat.Complete {
				t.Errorf("%s was taken for a value", text)
			}
			continue
		}
		if got.String() != `call | f | {"a":`+want+`} | end` {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
		if !json.Valid([]byte(want)) {
			t.Errorf("%s is not JSON", want)
		}
	}
}

// TestArgumentsAreAlwaysJSON nests tags in odd ways. The arguments of complete calls are valid JSON all the same.
func TestArgumentsAreAlwaysJSON(t *testing.T) {
	for _, test := range []struct {
		does string
		body func(*peg.Builder) []peg.ID
		want string
	}{
		{"no arguments at all", func(*peg.Builder) []peg.ID { return nil }, `{}`},
		{"a key without a value", func(b *peg.Builder) []peg.ID { return []peg.ID{key(b, "a")} }, `{"a":null}`},
		{"keys without values", func(b *peg.Builder) []peg.ID { return []peg.ID{key(b, "a"), key(b, "b")} }, `{"a":null,"b":null}`},
		{"a value without a key", func(b *peg.Builder) []peg.ID { return []peg.ID{text(b, "x"), key(b, "a"), text(b, "y")} }, `{"a":"y"}`},
		{"two values for a key", func(b *peg.Builder) []peg.ID { return []peg.ID{key(b, "a"), text(b, "x"), text(b, "y")} }, `{"a":"x"}`},
		{"an array for the arguments", func(b *peg.Builder) []peg.ID { return []peg.ID{b.Tag(peg.Array, text(b, "x"))} }, `{}`},
		{"a key in an array", func(b *peg.Builder) []peg.ID {
			return []peg.ID{key(b, "a"), b.Tag(peg.Array, key(b, "b"), text(b, "x"), text(b, "y"))}
		}, `{"a":["x","y"]}`},
		{"an object without a place", func(b *peg.Builder) []peg.ID {
			return []peg.ID{key(b, "a"), text(b, "x"), b.Tag(peg.Object, key(b, "b"), text(b, "y")), key(b, "c")}
		}, `{"a":"x","c":null}`},
		{"an empty scalar", func(b *peg.Builder) []peg.ID { return []peg.ID{key(b, "a"), b.Tag(peg.Scalar, b.Empty())} }, `{"a":null}`},
		{"an empty string", func(b *peg.Builder) []peg.ID { return []peg.ID{key(b, "a"), text(b, "")} }, `{"a":""}`},
		{"a key that needs escapes", func(b *peg.Builder) []peg.ID { return []peg.ID{key(b, "\"\\\n<é>"), text(b, "x")} }, `{"\"\\\n<é>":"x"}`},
		{"raw text that needs escapes", func(b *peg.Builder) []peg.ID { return []peg.ID{key(b, "a"), text(b, "\"\\\n\x02<é>")} }, `{"a":"\"\\\n\u0002<é>"}`},
		{"the inside of a string that breaks off in an escape", func(b *peg.Builder) []peg.ID {
			return []peg.ID{key(b, "a"), b.Tag(peg.QuotedString, b.Lit(`say "x"\`)), key(b, "b")}
		}, `{"a":"say \"x\"\\","b":null}`},
		{"arguments twice", func(b *peg.Builder) []peg.ID {
			return []peg.ID{b.Tag(peg.Arguments, b.Lit(`{"a": 1}`)), key(b, "b"), b.Tag(peg.Arguments, b.Lit(`{}`))}
		}, `{"a": 1}`},
		{"arguments that are no object", func(b *peg.Builder) []peg.ID { return []peg.ID{b.Tag(peg.Arguments, b.Lit(`null`))} }, `{}`},
		{"arguments behind white space", func(b *peg.Builder) []peg.ID { return []peg.ID{b.Tag(peg.Arguments, b.Lit("\n {}"))} }, `{}`},
		{"objects in objects", func(b *peg.Builder) []peg.ID {
			inner := b.Tag(peg.Object, key(b, "b"), b.Tag(peg.Object), key(b, "c"))
			return []peg.ID{b.Tag(peg.Object, key(b, "a"), inner)}
		}, `{"a":{"b":{},"c":null}}`},
		{"two names", func(b *peg.Builder) []peg.ID { return []peg.ID{b.Tag(peg.CallName, b.Lit("g"))} }, `{}`},
		{"an id behind the name", func(b *peg.Builder) []peg.ID { return []peg.ID{b.Tag(peg.CallID, b.Lit(` "1" `))} }, `id 1 | {}`},
	} {
		t.Run(test.does, func(t *testing.T) {
			var b peg.Builder
			body := append([]peg.ID{b.Tag(peg.CallName, b.Lit("f")), b.Lit("(")}, test.body(&b)...)
			p := b.Build(b.Seq(b.Tag(peg.Call, append(body, b.Lit(")"))...), b.End()))
			g := newGenerator(1)
			got, report := everySplit(t, compile(t, p), output{text: g.sample(p)})
			if got.String() != "call | f | "+test.want+" | end" || report.Status != chat.Complete {
				t.Errorf("got %v, want %s", got, test.want)
			}
			if json := test.want[strings.LastIndex(test.want, "| ")+1:]; !valid(json) {
				t.Errorf("%s is not JSON", json)
			}
		})
	}
}

func valid(text string) bool { return json.Valid([]byte(text)) }

func key(b *peg.Builder, name string) peg.ID { return b.Tag(peg.Key, b.Lit(name)) }

func text(b *peg.Builder, t string) peg.ID { return b.Tag(peg.String, b.Lit(t)) }

// TestEmptyNamesAnnounceNothing parses a call with a blank name.
func TestEmptyNamesAnnounceNothing(t *testing.T) {
	got, report := everySplit(t, compile(t, jsonCalls().Bind("")), output{text: `a<tool_call>{"name": " ", "arguments": {"a": 1}}</tool_call>b`})
	if want := `content "ab"`; got.String() != want || report.Status != chat.Complete {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestFeedingAfterTheEndDoesNothing feeds a machine after Finish.
func TestFeedingAfterTheEndDoesNothing(t *testing.T) {
	var all transcript
	m := match.New(compile(t, theRest()), all.sink)
	m.Feed([]byte("a"))
	length := m.Finish(false).Length
	m.Prompt("b")
	m.Feed([]byte("b"))
	m.FeedSpecial([]byte("b"), nil)
	if r := m.Finish(false); all.String() != `content "a"` || r.Length != length || r.PromptLength != 0 || m.Held() != 0 {
		t.Errorf("%v, %+v", all, r)
	}
}
