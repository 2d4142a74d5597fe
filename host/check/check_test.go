package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// toy is a subject with a simple format: a prompt is the messages, each followed by ">"; an output
// is content up to "!" and the name of a call after it. Its template "broken" cannot be used,
// "hasty" parses every piece by itself, "buggy" panics, "stuck" never ends, and the plan of
// "thinker" has reasoning in parentheses.
type toy struct{ constraint *grammar.Constraint }

func (s toy) Plan(_ context.Context, t check.Template, req *chat.Request) (check.Planned, error) {
	switch t.Name {
	case "broken":
		return nil, errors.New("broken: byte 3: no such filter; use another one")
	case "buggy":
		var none *chat.Request
		_ = none.Messages
	}
	return toyPlan{t, req, s.constraint}, nil
}

func (s toy) Render(_ context.Context, _ check.Template, req *chat.Request) (string, error) {
	var out strings.Builder
	for _, m := range req.Messages {
		fmt.Fprint(&out, *m.Content.Text, ">")
	}
	return out.String(), nil
}

func (s toy) RenderVariables(_ context.Context, t check.Template, variables json.RawMessage, now time.Time) (string, error) {
	if t.Name == "broken" {
		return "", errors.New("broken")
	}
	return string(variables) + now.Format(" 2006"), nil
}

type toyPlan struct {
	check.Template
	req        *chat.Request
	constraint *grammar.Constraint
}

func (p toyPlan) Plan() *session.Plan {
	prompt, _ := toy{}.Render(context.Background(), p.Template, p.req)
	plan := &session.Plan{Prompt: prompt, GenerationPrompt: ">", Constraint: p.constraint, Stops: []string{"."}}
	if p.Name == "thinker" {
		plan.ThinkingStart, plan.ThinkingEnds = "(", []string{")"}
	}
	return plan
}

func (p toyPlan) Parse(pieces iter.Seq[[]byte], truncated bool) (chat.Message, *chat.Report, error) {
	if p.Name == "stuck" {
		select {}
	}
	var output, last []byte
	for piece := range pieces {
		output = append(output, piece...)
		last = piece
	}
	if p.Name == "hasty" {
		output = last
	}
	content, call, calls := strings.Cut(string(output), "!")
	m := chat.Message{Content: chat.TextContent(content)}
	if calls {
		m.ToolCalls = []chat.Call{{Name: call, Arguments: "{}"}}
	}
	return m, &chat.Report{Status: chat.Complete, Length: len(output), MaxHeld: len(last)}, nil
}

// run checks the lines of one file and returns the report and the results.
func run(t *testing.T, subject check.Subject, lines ...string) (report string, results []string, tally check.Tally) {
	t.Helper()
	var text, out bytes.Buffer
	file := check.Input{Name: "f", Reader: strings.NewReader(strings.Join(lines, "\n"))}
	tally, err := check.Run(t.Context(), subject, []check.Input{file}, check.Options{Splits: 2, Report: &text, Results: &out, Remarks: true})
	if err != nil {
		t.Fatal(err)
	}
	return text.String(), strings.Split(strings.TrimSpace(out.String()), "\n"), tally
}

// TestWhatMakesACaseHold runs single cases; why is the reason of those that fail.
func TestWhatMakesACaseHold(t *testing.T) {
	word := []grammar.Trigger{{Type: grammar.TriggerWord, Value: "!"}}
	lazy := &grammar.Constraint{Grammar: `root ::= "!" [a-z]+`, Lazy: true, Triggers: word}
	for _, test := range []struct {
		name, line, why string
		constraint      *grammar.Constraint
	}{
		{name: "the message is right", line: `{"id":"1","kind":"parse","template":"t","output":"é x","expect":{"content":"é x"}}`},
		{name: "the message is wrong", line: `{"id":"1","kind":"parse","template":"t","output":"a","expect":{"content":"b"}}`,
			why: "content: differs at byte 0\n  expected \"b\"\n  found    \"a\""},
		{name: "cuts matter", line: `{"id":"1","kind":"parse","template":"hasty","output":"ab","expect":{"content":"ab"}}`,
			why: "byte by byte: the outcome differs from that of the whole output\n" +
				"expected content \"ab\", reasoning \"\", calls []\nfound    content \"b\", reasoning \"\", calls []\n"},
		{name: "a faulty request", line: `{"id":"1","kind":"parse","template":"t","request":{"messages":[{"role":1}]},"output":"","expect":{"content":""}}`,
			why: `request: messages[0].role: expected a string, found a number`},
		{name: "an unusable template", line: `{"id":"1","kind":"parse","template":"broken","output":"","expect":{"content":""}}`,
			why: `no plan: broken: byte 3: no such filter; use another one`},
		{name: "a fault of ours", line: `{"id":"1","kind":"parse","template":"buggy","output":"","expect":{"content":""}}`, why: `internal error, please report it`},
		{name: "not a case", line: `{`, why: `not a case: byte 1: unexpected end of JSON input`},
		{name: "no constraint", line: `{"id":"1","kind":"parse","template":"t","output":"a","expect":{"content":"a"},"reference":{"constrained":true}}`,
			why: `constraint: the reference constrains this output, the plan does not`},
		{name: "a trigger that fires", constraint: lazy,
			line: `{"id":"1","kind":"parse","template":"t","output":"a!f","expect":{"content":"a","tool_calls":[{"name":"f","arguments":"{}"}]},"reference":{"constrained":true,"lazy":true}}`},
		{name: "a trigger that need not fire", constraint: lazy,
			line: `{"id":"1","kind":"parse","template":"t","output":"a","expect":{"content":"a"},"reference":{"constrained":true,"lazy":true}}`},
		{name: "a trigger that does not fire", constraint: &grammar.Constraint{Grammar: `root ::= "!"`, Lazy: true},
			line: `{"id":"1","kind":"parse","template":"t","output":"a!f","expect":{"content":"a","tool_calls":[{"name":"f","arguments":"{}"}]},"reference":{"constrained":true,"lazy":true}}`,
			why:  `constraint: no trigger fires in an output with calls; the triggers are []`},
		{name: "a grammar that refuses", constraint: lazy,
			line: `{"id":"1","kind":"parse","template":"t","output":"a!f7","expect":{"content":"a","tool_calls":[{"name":"f7","arguments":"{}"}]},"reference":{"constrained":true,"lazy":true}}`,
			why:  `constraint: the grammar rejects the output at byte 3: expected [a-z], found "7"`},
		{name: "a trigger within reasoning does not count", constraint: lazy,
			line: `{"id":"1","kind":"parse","template":"thinker","output":"(!7)a!f","expect":{"content":"(","tool_calls":[{"name":"7)a!f","arguments":"{}"}]},"reference":{"constrained":true,"lazy":true}}`},
		{name: "a trigger within reasoning that a call ends", constraint: lazy,
			line: `{"id":"1","kind":"parse","template":"thinker","output":"(a!f","expect":{"content":"(a","tool_calls":[{"name":"f","arguments":"{}"}]},"reference":{"constrained":true,"lazy":true}}`},
		{name: "a grammar that wants more", constraint: &grammar.Constraint{Grammar: `root ::= "ab"`},
			line: `{"id":"1","kind":"parse","template":"t","output":"a","expect":{"content":"a"},"reference":{"constrained":true}}`,
			why:  `constraint: the output ends too early for the grammar, which expects [b]`},
		{name: "a cut-off output may want more", constraint: &grammar.Constraint{Grammar: `root ::= "ab"`},
			line: `{"id":"1","kind":"parse","template":"t","output":"a","partial":true,"expect":{"content":"a"},"reference":{"constrained":true}}`},
		{name: "a message that renders again", line: `{"id":"1","kind":"parse","template":"t","output":"a","expect":{"content":"a"},"reconstruct":true}`},
		{name: "a message that renders otherwise", line: `{"id":"1","kind":"parse","template":"t","output":"a!f","expect":{"content":"a","tool_calls":[{"name":"f","arguments":"{}"}]},"reconstruct":true}`,
			why: "reconstruct: the rendered message: differs at byte 12\n  expected \"Hey there!>a!f\"\n  found    \"Hey there!>a>\""},
		{name: "the prompt is right", line: `{"id":"1","kind":"plan","template":"t","reference":{"prompt":"Hey there!>","generation_prompt":">","stops":["."]}}`},
		{name: "the prompt is wrong", line: `{"id":"1","kind":"plan","template":"t","reference":{"prompt":"Hey!>","generation_prompt":">"}}`,
			why: "prompt: differs at byte 3\n  expected \"Hey!>\"\n  found    \"Hey there!>\""},
		{name: "the reference failed, we do not", line: `{"id":"1","kind":"plan","template":"t","reference_error":"oh"}`},
		{name: "both fail", line: `{"id":"1","kind":"plan","template":"broken","reference_error":"oh"}`},
		{name: "only we fail", line: `{"id":"1","kind":"plan","template":"broken"}`, why: `no plan: broken: byte 3`},
		{name: "variables", line: `{"id":"1","kind":"template","template":"t","context":{"b":1,"a":2},"prompt":"{\"b\":1,\"a\":2} 2026"}`},
		{name: "an error is expected", line: `{"id":"1","kind":"template","template":"broken","context":{},"error":"oh"}`},
		{name: "an error is expected, but there is none", line: `{"id":"1","kind":"template","template":"t","context":{},"error":"oh"}`,
			why: "prompt: expected the error oh\n  found    \"{} 2026\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			report, results, tally := run(t, toy{test.constraint}, test.line)
			var result struct {
				OK  bool
				Why string
			}
			if err := json.Unmarshal([]byte(results[0]), &result); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(result.Why, test.why) || (result.Why == "") != (test.why == "") {
				t.Errorf("failed because of\n%s\nwant\n%s", result.Why, test.why)
			}
			want := check.Tally{Passed: 1}
			if test.why != "" {
				want = check.Tally{Failed: 1}
			}
			if tally != want || result.OK != (test.why == "") {
				t.Errorf("tally %+v, ok %v", tally, result.OK)
			}
			if end := fmt.Sprintf("%d passed, %d failed\n", want.Passed, want.Failed); !strings.HasSuffix(report, end) {
				t.Errorf("the report does not end with the tally:\n%s", report)
			}
		})
	}
}

func TestResultsHaveTheKeysOfTheirKind(t *testing.T) {
	constrained := toy{&grammar.Constraint{Grammar: `root ::= "a"`, Lazy: true, Notes: []string{"n"}}}
	_, results, _ := run(t, constrained,
		`{"id":"1","kind":"parse","template":"t","output":"<a>!f","expect":{"content":"<a>","tool_calls":[{"name":"f","arguments":"{}"}]}}`,
		`{"id":"2","kind":"parse","template":"broken","output":"","expect":{"content":""}}`,
		`{"id":"3","kind":"plan","template":"t","reference":{"prompt":"Hey there!>","generation_prompt":">"}}`,
		`{"id":"4","kind":"template","template":"t","context":{},"prompt":"{} 2026"}`,
		`[]`)
	const plan = `"plan":{"prompt":"Hey there!>","generation_prompt":">","constraint":{"grammar":"root ::= \"a\"","lazy":true,"triggers":[]},` +
		`"preserved_tokens":[],"stops":["."],"thinking_start":"","thinking_ends":[]}}`
	want := []string{
		`{"id":"1","ok":true,"why":"","actual":{"content":"<a>","reasoning_content":"","tool_calls":[{"id":"","name":"f","arguments":"{}"}]},` +
			`"report":{"status":"complete","length":5,"prompt_length":0,"max_held":5},` + plan,
		`{"id":"2","ok":false,"why":"no plan: broken: byte 3: no such filter; use another one","actual":null,"report":null,"plan":null}`,
		`{"id":"3","ok":true,"why":"",` + plan,
		`{"id":"4","ok":true,"why":"","prompt":"{} 2026"}`,
		`{"id":"f:5","ok":false,"why":"not a case: expected an object, found an array"}`,
	}
	if !slices.Equal(results, want) {
		t.Errorf("results\n%s\nwant\n%s", strings.Join(results, "\n"), strings.Join(want, "\n"))
	}
}

func TestResultsComeInTheOrderOfTheCases(t *testing.T) {
	var lines, ids []string
	for i := range 200 {
		ids = append(ids, fmt.Sprint(i))
		lines = append(lines, fmt.Sprintf(`{"id":"%d","kind":"plan","template":"t"}`, i))
	}
	_, results, tally := run(t, toy{}, lines...)
	for i, line := range results {
		if !strings.HasPrefix(line, `{"id":"`+ids[i]+`"`) {
			t.Fatalf("result %d is %.40s", i, line)
		}
	}
	if tally.Passed != 200 {
		t.Errorf("tally %+v", tally)
	}
}

func TestFailuresShowPositionAndRemarks(t *testing.T) {
	report, _, _ := run(t, toy{}, ``, `{"id":"x","kind":"plan","template":"t","reference":{"prompt":"?","generation_prompt":">","stops":["a","."]}}`,
		`{"id":"y","kind":"plan","template":"t","reference":{"prompt":"Hey there!>","generation_prompt":">"}}`)
	const want = `FAIL f:2 x (t)
    prompt: differs at byte 0
      expected "?"
      found    "Hey there!>"
    stops: ["."], in the reference ["." "a"]
note f:3 y (t)
    stops: ["."], in the reference []
1 passed, 1 failed
`
	if report != want {
		t.Errorf("report\n%s\nwant\n%s", report, want)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestARunEndsWhereItCannotWrite(t *testing.T) {
	lines := strings.Repeat(`{"id":"1","kind":"plan","template":"t"}`+"\n", 5000)
	input := check.Input{Name: "f", Reader: strings.NewReader(lines)}
	_, err := check.Run(t.Context(), toy{}, []check.Input{input}, check.Options{Results: brokenWriter{}})
	if err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("error %v", err)
	}
}

func TestAnInterruptedRunDoesNotWaitForACase(t *testing.T) {
	line := `{"id": "a", "kind": "parse", "template": "stuck", "request": {"messages": [{"role": "user", "content": "x"}]}, "output": "y", "expect": {"content": "y"}}`
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err := check.Run(ctx, toy{}, []check.Input{{Name: "cases", Reader: strings.NewReader(line)}}, check.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestAnInterruptedRunDoesNotWaitForItsInput(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	defer feed.Close()
	var results bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		_, err := check.Run(ctx, toy{}, []check.Input{{Name: "cases", Reader: in}}, check.Options{Results: &results, Workers: -1})
		ended <- err
	}()
	_, err := io.WriteString(feed, "no case\n")
	if err == nil {
		_, err = io.WriteString(feed, "\n") // the previous line has been read; no other follows
	}
	cancel()
	if fault := <-ended; err != nil || !errors.Is(fault, context.Canceled) {
		t.Errorf("%v, %v", err, fault)
	}
}

// failingDisk is a reader that fails at the end of its text.
type failingDisk struct{ io.Reader }

func (d failingDisk) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = errors.New("the disk is gone")
	}
	return n, err
}

// TestWhatWasReadBeforeAFaultIsReported reads an input that fails while its cases are still being
// checked.
func TestWhatWasReadBeforeAFaultIsReported(t *testing.T) {
	line := `{"id":"1","kind":"template","template":"t","context":{"a":1},"prompt":"{\"a\":1} 2026"}` + "\n"
	for range 100 {
		var report bytes.Buffer
		in := check.Input{Name: "f", Reader: failingDisk{strings.NewReader(strings.Repeat(line, 20))}}
		tally, err := check.Run(t.Context(), toy{}, []check.Input{in}, check.Options{Report: &report})
		if err == nil || err.Error() != "f: the disk is gone" {
			t.Fatalf("error %v", err)
		}
		if tally.Passed != 20 || report.String() != "20 passed, 0 failed\n" {
			t.Fatalf("tally %+v:\n%s", tally, report.String())
		}
	}
}
