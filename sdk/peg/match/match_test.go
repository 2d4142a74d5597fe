package match_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// TestMessages parses outputs that follow their format.
func TestMessages(t *testing.T) {
	for _, test := range []struct {
		program, does string
		prompt, text  string
		want          string
	}{
		{"the rest", "delivers everything as content", "", "a <b>\n", `content "a <b>\n"`},
		{"the rest", "accepts nothing at all", "", "", ``},
		{"json calls", "delivers plain text", "<a>", "Hello, world!", `content "Hello, world!"`},
		{"json calls", "keeps white space within the content", "", "\n\na\n\nb\n", `content "a\n\nb\n"`},
		{"json calls", "takes reasoning from the start", "", "<think>\nhm\n</think>\n\nyes",
			`reasoning "hm\n" | content "yes"`},
		{"json calls", "starts where the prompt ends", "<a><think>", "hm</think>yes",
			`reasoning "hm" | content "yes"`},
		{"json calls", "reads a call", "", `<tool_call>` + "\n" + `{"name": "f", "arguments": {"a": 1}}` + "\n" + `</tool_call>`,
			`call | f | {"a": 1} | end`},
		{"json calls", "reads content around calls", "",
			`a <tool_call>{"name": "f", "arguments": {}}</tool_call> b<tool_call>{"name": "g", "arguments": {}}</tool_call>`,
			`content "a " | call | f | {} | end | content "b" | call | g | {} | end`},
		{"json calls", "trims a name", "", `<tool_call>{"name": " f ", "arguments": {}}</tool_call>`, `call | f | {} | end`},
		{"json calls", "spells Python as JSON", "",
			`<tool_call>{"name": "f", "arguments": {'a': True, "b": [None, False], 'c': 'say "hi", it\'s'}}</tool_call>`,
			`call | f | {"a": true, "b": [null, false], "c": "say \"hi\", it's"} | end`},
		{"json calls", "escapes control characters in strings", "",
			"<tool_call>{\"name\": \"f\", \"arguments\": {\n\"a\": \"x\ty\n\"}}</tool_call>",
			"call | f | {\n" + `"a": "x\ty\n"} | end`},
		{"json calls", "drops the end of the turn", "", "hi" + turnEnd + "\n", `content "hi"`},
		{"json calls", "leaves what only resembles markers in the content", "", "a <tool_cal> </think> <|end| <",
			`content "a <tool_cal> </think> <|end| <"`},
		{"tagged calls", "builds JSON from parameters", "",
			"<tool_call>\n<function=f>\n<parameter=a>\n1.5\n</parameter>\n<parameter=b>\nx \"y\"\n</parameter>\n</function>\n</tool_call>",
			`call | f | {"a":1.5,"b":"x \"y\"\n"} | end`},
		{"tagged calls", "prefers a value to a text only if it is a whole one", "",
			"<tool_call><function=f><parameter=a>1 apple</parameter><parameter=b>True</parameter></function></tool_call>",
			`call | f | {"a":"1 apple","b":true} | end`},
		{"tagged calls", "gives a call without parameters an empty object", "",
			"<tool_call><function=f></function></tool_call>", `call | f | {} | end`},
		{"python calls", "reads a list of calls", "", "ok <calls>[f(a=1, b='x'), g()]</calls> done",
			`content "ok " | call | f | {"a":1,"b":"x"} | end | call | g | {} | end | content "done"`},
		{"nested calls", "builds objects and arrays", "",
			`<call f><k>a</k><o><k>b</k><l><s>x"</s><v>2</v><l></l></l></o><k>c</k><v>null</v></call>`,
			`call | f | {"a":{"b":["x\"",2,[]]},"c":null} | end`},
		{"late names", "announces a call with its name", "", `<call>#42 {"a": 1} to f</call>`,
			`call | id 42 | f | {"a": 1} | end`},
		{"late names", "leaves out an id that is not there", "", `<call>{} to f</call>`, `call | f | {} | end`},
	} {
		t.Run(test.program+" "+test.does, func(t *testing.T) {
			code := compile(t, programs()[test.program].Bind(test.prompt))
			got, report := everySplit(t, code, output{prompt: test.prompt, text: test.text})
			if got.String() != test.want {
				t.Errorf("%q\n got %v\nwant %v", test.text, got, test.want)
			}
			if report.Status != chat.Complete || len(report.Faults) > 0 {
				t.Errorf("%q: %s, %v", test.text, report.Status, report.Faults)
			}
		})
	}
}
