package cases_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

func TestReadContinuesAfterInvalidLines(t *testing.T) {
	const file = `{"id":"a","kind":"parse","template":"t","expect":{"content":"x"},"output":"x"}

{"id":"b",
{"id":"c","kind":"poem","template":"t"}
{"kind":"plan","template":"t"}
{"id":"e","kind":"template"}
{"id":"f","kind":"template","template":"t"}
{"id":"g","kind":"parse","template":"t"}
{"id":"h","kind":"plan","template":"t","now":"2020-01-01T00:00:00Z"}`
	var got []string
	for c, err := range cases.Read(strings.NewReader(file)) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, c.ID+" "+c.Now.String())
	}
	want := []string{
		"a 2026-01-15 12:34:56 +0000 UTC",
		"line 3: byte 11: unexpected end of JSON input",
		`line 4: case c: expected "kind" to be "parse", "plan" or "template", found "poem"`,
		`line 5: missing "id"`,
		`line 6: case e: missing "template"`,
		`line 7: case f: a case of kind "template" needs "context"`,
		`line 8: case g: a case of kind "parse" needs "expect"`,
		"h 2020-01-01 00:00:00 +0000 UTC",
	}
	if !slices.Equal(got, want) {
		t.Errorf("read\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestMisspeltAndUnknownFieldsAreErrors tests fields of cases other than id and template, each with
// the expected error; an empty one expects success.
func TestMisspeltAndUnknownFieldsAreErrors(t *testing.T) {
	for _, test := range []struct{ name, members, want string }{
		{"foreign members", `"kind":"parse","output":"","expect":{"content":""},"source":"a log","row":3,"reference":{"exact":{},"constraint":{}}`, ""},
		{"other capitals", `"Kind":"parse","OUTPUT":"a","Expect":{"Content":"a"}`, ""},
		{"a letter that is missing", `"kind":"parse","output":"a","expct":{}`, `unknown field "expct"; did you mean "expect"?`},
		{"a letter too many", `"kind":"parse","output":"a","expect":{"content":"a"},"handlers":"x"`, `unknown field "handlers"; did you mean "handler"?`},
		{"a wrong letter", `"kond":"parse"`, `unknown field "kond"; did you mean "kind"?`},
		{"letters in each other's place", `"kind":"parse","output":"a","expect":{"content":"a"},"parital":true`, `unknown field "parital"; did you mean "partial"?`},
		{"another way to separate words", `"kind":"plan","bosToken":"<s>"`, `unknown field "bosToken"; did you mean "bos_token"?`},
		{"a slip in a reference", `"kind":"plan","reference":{"prompt":"a","generation-prompt":"b"}`, `unknown field "generation-prompt"; did you mean "generation_prompt"?`},
		{"a slip in the reference of a parse case", `"kind":"parse","output":"a","expect":{"content":"a"},"reference":{"constraned":true}`,
			`unknown field "constraned"; did you mean "constrained"?`},
		{"what another kind has", `"kind":"parse","output":"a","expect":{"content":"a"},"contexts":1`, ""},

		{"no output", `"kind":"parse","expect":{"content":"a"}`, `a case of kind "parse" needs "output"`},
		{"an empty message", `"kind":"parse","output":"","expect":{}`, ""},
		{"an expectation of what is not compared", `"kind":"parse","output":"a","expect":{"role":"assistant"}`,
			`"expect": unknown field "role"; expected one of content, reasoning_content, tool_calls`},
		{"calls as they are in requests", `"kind":"parse","output":"a","expect":{"tool_calls":[{"name":"f"},{"function":{}}]}`,
			`"expect": tool_calls[1]: unknown field "function"; expected one of id, name, arguments`},
		{"a plan without a reference", `"kind":"plan"`, ""},
		{"a prompt beside the reference", `"kind":"plan","prompt":"a"`, `a case of kind "plan" is compared with "reference": put "prompt" into it`},
		{"a template that expects nothing", `"kind":"template","context":{}`, `a case of kind "template" needs "prompt", or "error"`},
		{"a member of a wrong kind", `"kind":"parse","output":7`, `"output": expected a string, found a number`},
		{"a time that is none", `"kind":"plan","now":"noon"`, `"now": expected a time such as "2026-01-15T12:34:56Z", found "noon"`},
		{"an inner member of a wrong kind", `"kind":"parse","output":"","expect":{"tool_calls":{}}`, `"expect.tool_calls": expected an array, found an object`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, err := range cases.Read(strings.NewReader(`{"id":"c","template":"t",` + test.members + `}`)) {
				if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("error %v, want %q", err, test.want)
				}
			}
		})
	}
}

// TestReadAcceptsWhatEditorsWrite reads a file with a byte order mark, CRLF line endings, and no
// final newline.
func TestReadAcceptsWhatEditorsWrite(t *testing.T) {
	const line = `{"id":"a","kind":"plan","template":"t"}`
	read := 0
	for _, err := range cases.Read(strings.NewReader("\uFEFF" + line + "\r\n\r\n" + line)) {
		read++
		if err != nil {
			t.Error(err)
		}
	}
	if read != 2 {
		t.Errorf("%d cases, want 2", read)
	}
}

func TestReadEndsWithTheErrorOfItsReader(t *testing.T) {
	broken := errors.New("the disk is gone")
	r := io.MultiReader(strings.NewReader(`{"id":"a","kind":"plan","template":"t"}`+"\n"), iotest.ErrReader(broken))
	var last error
	read := 0
	for _, err := range cases.Read(r) {
		read++
		last = err
	}
	if read != 2 || !errors.Is(last, broken) {
		t.Errorf("read %d cases, last error %v", read, last)
	}
}

func TestRequestsWithoutMessagesGetAGreeting(t *testing.T) {
	for request, want := range map[string]string{
		``:                  "Hey there!",
		`{}`:                "Hey there!",
		`{"x":"<a>"}`:       "Hey there!",
		`{"messages":null}`: "Hey there!",
		`{"messages":[]}`:   "Hey there!",
		`{"messages":{}}`:   "",
		`[]`:                "",
		`{"messages":[{"role":"user","content":"Hi"}]}`: "Hi",
	} {
		c := cases.Case{RequestJSON: []byte(request)}
		r, err := c.ChatRequest()
		if want == "" {
			var invalid *fault.Error
			if !errors.As(err, &invalid) {
				t.Errorf("%s: error %v", request, err)
			}
			continue
		}
		if err != nil || *r.Messages[0].Content.Text != want {
			t.Errorf("%s: got %+v (%v), want %q", request, r, err, want)
		}
		if len(r.Extra) > 0 && string(r.Extra[0].Value) != `"<a>"` {
			t.Errorf("%s: the other members became %s", request, r.Extra)
		}
	}
}

func TestCompare(t *testing.T) {
	args := func(text string) cases.Message {
		return cases.Message{ToolCalls: []cases.Call{{Name: "f", Arguments: text}}}
	}
	for _, test := range []struct {
		name            string
		expected, found cases.Message
		same            bool
	}{
		{"outer white space", cases.Message{Content: " a\n", ReasoningContent: "b"}, cases.Message{Content: "a", ReasoningContent: "\nb "}, true},
		{"inner white space", cases.Message{Content: "a b"}, cases.Message{Content: "a  b"}, false},
		{"reasoning", cases.Message{ReasoningContent: "a"}, cases.Message{}, false},
		{"ids", cases.Message{ToolCalls: []cases.Call{{ID: "1"}}}, cases.Message{ToolCalls: []cases.Call{{}}}, false},
		{"names", cases.Message{ToolCalls: []cases.Call{{Name: "f"}}}, cases.Message{ToolCalls: []cases.Call{{Name: "g"}}}, false},
		{"the number of calls", args("{}"), cases.Message{}, false},
		{"spacing", args(`{"a": [1, {}]}`), args(`{"a":[1,{}]}`), true},
		{"escapes", args(`{"a":"é\u0041\/"}`), args(`{"\u0061":"\u00e9A/"}`), true},
		{"order", args(`{"a":1,"b":2}`), args(`{"b":2,"a":1}`), false},
		{"kinds", args(`{"a":1}`), args(`{"a":"1"}`), false},
		{"spelling of numbers", args(`{"a":1.0}`), args(`{"a":1}`), true},
		{"big numbers", args(`{"a":9007199254740993}`), args(`{"a":9007199254740992}`), false},
		{"more at the end", args(`{"a":1}`), args(`{"a":1} x`), false},
		{"cut-off arguments", args(`{"a": `), args(`{"a":`), true},
		{"arguments cut off within a string", args(`{"a": "b`), args(`{"a":"b`), true},
		{"arguments cut off elsewhere", args(`{"a": "b`), args(`{"a":"bc`), false},
		{"whole and cut off", args(`{"a": 1}`), args(`{"a":1`), false},
		{"none and empty", args(``), args(`{}`), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			difference := cases.Compare(test.expected, test.found)
			if (difference == "") != test.same {
				t.Errorf("difference %q, want one: %v", difference, !test.same)
			}
			if back := cases.Compare(test.found, test.expected); (back == "") != test.same {
				t.Errorf("compared in reverse: %q", back)
			}
		})
	}
}

func TestDifferencesShowTheFirstByte(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, test := range []struct{ expected, found, want string }{
		{"héllo", "hèllo", "content: differs at byte 1\n  expected \"héllo\"\n  found    \"hèllo\""},
		{long + "a" + long, long + "b", "content: differs at byte 200\n" +
			"  expected …\"" + long[:60] + "a" + long[:119] + "\"…\n  found    …\"" + long[:60] + "b\""},
	} {
		got := cases.Compare(cases.Message{Content: test.expected}, cases.Message{Content: test.found})
		if got != test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
	calls := cases.Message{ToolCalls: []cases.Call{{Name: "f"}, {Name: "g"}}}
	if got, want := cases.Compare(calls, cases.Message{}), "tool_calls: expected 2 calls (f, g), found no call"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCutsCoverTheOutput(t *testing.T) {
	output := []byte(strings.Repeat("0123456789", 20))
	cuts := cases.Cuts(3, 7)
	if len(cuts) != 5 {
		t.Fatalf("%d cuts, want 5", len(cuts))
	}
	seen := map[string]bool{}
	for i, cut := range cuts {
		var pieces [][]byte
		for piece := range cut.Pieces(output) {
			pieces = append(pieces, piece)
		}
		if !bytes.Equal(bytes.Join(pieces, nil), output) {
			t.Errorf("%s: the joined pieces differ from the output", cut.Name)
		}
		again := slices.Collect(cases.Cuts(3, 7)[i].Pieces(output))
		if !slices.EqualFunc(pieces, again, bytes.Equal) {
			t.Errorf("%s: the same seed gives different cuts", cut.Name)
		}
		seen[string(bytes.Join(pieces, []byte("|")))] = true
	}
	if len(seen) != len(cuts) {
		t.Errorf("%d of %d cuts differ", len(seen), len(cuts))
	}
	if pieces := slices.Collect(cuts[0].Pieces(nil)); len(pieces) != 0 {
		t.Errorf("an empty output is cut into %q", pieces)
	}
}

func TestRecordedCasesAreValid(t *testing.T) {
	for _, name := range []string{"parse.jsonl", "tagged_thinking.jsonl", "plan.jsonl", "template.jsonl"} {
		f, err := os.Open(shared.Dir(t, "cases", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for c, err := range cases.Read(f) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if _, err := c.ChatRequest(); err != nil {
				t.Errorf("%s: %s: %v", name, c.ID, err)
			}
			if c.Expect != nil {
				if difference := cases.Compare(*c.Expect, *c.Expect); difference != "" {
					t.Errorf("%s: %s differs from itself: %s", name, c.ID, difference)
				}
			}
		}
	}
}

// FuzzRead checks that every line yields a case or a fault with the line number, and that decoding
// its request does not panic.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"id":"a","kind":"parse","template":"t","request":{"messages":[]},"expect":{"tool_calls":[{}]}}` + "\n\n{"))
	f.Add([]byte(`{"id":"a","kind":"template","template":"t","context":7,"now":"yesterday"}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		for c, err := range cases.Read(bytes.NewReader(file)) {
			var fault *cases.LineError
			switch {
			case err == nil:
				_, _ = c.ChatRequest()
			case !errors.As(err, &fault) || fault.Line < 1:
				t.Fatalf("%T: %v", err, err)
			}
		}
	})
}

// FuzzCompare checks that comparing arguments is symmetric, and that every text equals itself.
func FuzzCompare(f *testing.F) {
	f.Add(`{"a": 1}`, `{"a":1.0}`)
	f.Add(`{"a": "\ud800`, `{"a":[`)
	f.Add("{\"a\": \"\xff\"}", `[1e999]`)
	f.Fuzz(func(t *testing.T, a, b string) {
		x := cases.Message{ToolCalls: []cases.Call{{Arguments: a}}}
		y := cases.Message{ToolCalls: []cases.Call{{Arguments: b}}}
		if (cases.Compare(x, y) == "") != (cases.Compare(y, x) == "") {
			t.Errorf("%q and %q: equal in one direction only", a, b)
		}
		if difference := cases.Compare(x, x); difference != "" {
			t.Errorf("%q differs from itself: %s", a, difference)
		}
	})
}
