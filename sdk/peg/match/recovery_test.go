package match_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

const (
	goodCall = `<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>`
	good     = `call | f | {"a": 1} | end`
)

// TestRecovery parses outputs that break their format: what does not match is content, and the next good call is a call.
func TestRecovery(t *testing.T) {
	for _, test := range []struct {
		does, program, prompt, text string
		want                        string
		status                      chat.Status
		faults                      []string
	}{
		{"delivers a call without a name as content", "json calls", "", `a<tool_call>{"nam": 1}</tool_call>b`,
			`content "a" | recovered "<tool_call>{\"nam\": 1}</tool_call>b"`, chat.Malformed,
			[]string{`byte 12, in tool-call: expected "{\"name\": \"", found "{\"nam\""`}},
		{"goes on with the next call, and with what follows it", "json calls", "",
			`<tool_call>{"nam": 1}</tool_call> ` + goodCall + " b " + goodCall + turnEnd,
			`recovered "<tool_call>{\"nam\": 1}</tool_call> " | ` + good + ` | content "b " | ` + good, chat.Malformed,
			[]string{`byte 11, in tool-call: expected "{\"name\": \"", found "{\"nam\""`}},
		{"recovers as often as it takes", "json calls", "",
			"<tool_call>1" + goodCall + "<tool_call>2" + goodCall + "<tool_call>3",
			`recovered "<tool_call>1" | ` + good + ` | recovered "<tool_call>2" | ` + good + ` | recovered "<tool_call>3"`, chat.Malformed,
			[]string{`byte 11, in tool-call: expected "{\"name\": \"", found "1"`,
				`byte 82, in tool-call: expected "{\"name\": \"", found "2"`,
				`byte 153, in tool-call: expected "{\"name\": \"", found "3"`}},
		{"ends a call whose arguments break off as they are", "json calls", "",
			`<tool_call>{"name": "f", "arguments": {"a": [1,}}</tool_call>` + goodCall,
			`call | f | {"a": [1, | open | recovered "}}</tool_call>" | ` + good, chat.Malformed,
			[]string{`byte 47, in tool-call: expected a value, found "}"`}},
		{"takes a call for content that only looks like one", "json calls", "",
			turnEnd + `<tool_call><tool_call>` + goodCall + "<tool_call",
			`recovered "<tool_call><tool_call>" | ` + good + ` | content "<tool_call"`, chat.Trailing,
			[]string{`byte 7, in program: expected the end, found "<"`}},
		{"delivers what comes after the end", "json calls", "", "a" + turnEnd + "b" + goodCall,
			`content "a" | recovered "b" | ` + good, chat.Trailing,
			[]string{`byte 8, in program: expected the end, found "b"`}},
		{"never delivers the prompt", "json calls", "<x>", "b", `content "b"`, chat.Complete, nil},
		{"resumes within a list of calls", "python calls", "", `<calls>[f(a=?)] <calls>[g(), h()]</calls> x`,
			`call | f | {"a": | open | recovered "?)] " | call | g | {} | end | call | h | {} | end | content "x"`, chat.Malformed,
			[]string{`byte 12, in tool-call: expected a value, found "?"`}},
		{"resumes within a section, and at the next", "sections", "",
			`<calls><invoke f>{"a": ?}</invoke> <invoke g>{}</invoke></calls> x<calls><invoke g>{}</invoke></calls>`,
			`call | f | {"a":  | open | recovered "?}</invoke> " | call | g | {} | end | content "x" | call | g | {} | end`,
			chat.Malformed, []string{`byte 23, in tool-call: expected a value, found "?"`}},
	} {
		t.Run(test.does, func(t *testing.T) {
			code := compile(t, programs()[test.program].Bind(test.prompt))
			got, report := everySplit(t, code, output{prompt: test.prompt, text: test.text})
			if got.String() != test.want {
				t.Errorf("%q\n got %v\nwant %v", test.text, got, test.want)
			}
			checkFaults(t, report, test.status, test.faults)
		})
	}
}

func checkFaults(t *testing.T, r chat.Report, status chat.Status, want []string) {
	t.Helper()
	var got []string
	for _, f := range r.Faults {
		got = append(got, f.Message)
	}
	if r.Status != status || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n got %s\nwant %s", r.Status, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// TestAPromptThatDoesNotFitIsNotContent runs over a prompt that the program does not expect.
func TestAPromptThatDoesNotFitIsNotContent(t *testing.T) {
	var b peg.Builder
	code := compile(t, b.Build(b.Seq(b.Lit("<start>"), b.Tag(peg.Content, b.Until()))))
	got, report := everySplit(t, code, output{prompt: "<stop>", text: "hello"})
	if got.String() != `recovered "hello"` || report.Faults[0].At != len("<stop>") {
		t.Errorf("%v, %+v", got, report.Faults)
	}
}
