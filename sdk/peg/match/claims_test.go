package match_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// claimed runs code over an output that is cut at the given offsets, and returns who has read what.
func claimed(code *match.Code, prompt, text string, cuts []int) []match.Claim {
	m := match.New(code, func(chat.Event) {})
	m.KeepClaims()
	m.Prompt(prompt)
	from := 0
	for _, to := range append(slices.Clone(cuts), len(text)) {
		m.Feed([]byte(text[from:to]))
		from = to
	}
	m.Finish(false)
	return m.Claims()
}

// TestClaims lists which node has read which bytes. Chunks change nothing.
func TestClaims(t *testing.T) {
	const call = "tool-call \"<tool_call>\": <tool_call>\ntool-call `{\"name\": \"`: {\"name\": \"\ntool-call string(`\"`): f\n" +
		"tool-call `\", \"arguments\": `: \", \"arguments\": \ntool-call value(object|python-literals|python-quotes): {\"a\": 1}\n" +
		"tool-call \"}\": }\ntool-call \"</tool_call>\": </tool_call>"
	for _, test := range []struct{ does, program, prompt, text, want string }{
		{"names the rule and the node", "json calls", "", "<think>a</think>b" + goodCall, `program "<think>": <think>
program until("</think>"): a
program "</think>": </think>
program until("<tool_call>", "<|end|>"): b
` + call},
		{"covers the prompt", "json calls", "<think>", "a</think>", `program "<think>": <think>
program until("</think>"): a
program "</think>": </think>`},
		{"forgets what was taken back", "json calls", "", `<tool_call>{"nam": 1}` + goodCall, `recovered: <tool_call>{"nam": 1}
` + call},
		{"leaves out what stays open", "json calls", "", `a<tool_call>{"name": "f`, `program until("<tool_call>", "<|end|>"): a
tool-call "<tool_call>": <tool_call>`},
	} {
		t.Run(test.does, func(t *testing.T) {
			t.Parallel()
			code := compile(t, programs()[test.program].Bind(test.prompt))
			whole := claimed(code, test.prompt, test.text, nil)
			var lines []string
			at := 0
			for _, c := range whole {
				if c.Start < at || c.End <= c.Start {
					t.Errorf("the claim %+v begins before %d, or is empty", c, at)
				}
				at = c.End
				text := strings.TrimSpace(c.Rule + " " + c.Node)
				if c.Recovered {
					text = "recovered"
				}
				lines = append(lines, fmt.Sprintf("%s: %s", text, (test.prompt + test.text)[c.Start:c.End]))
			}
			if got := strings.Join(lines, "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			for _, cuts := range splits(len(test.text)) {
				if other := claimed(code, test.prompt, test.text, cuts); !reflect.DeepEqual(other, whole) {
					t.Fatalf("cut at %v: %+v", cuts, other)
				}
			}
		})
	}
}

func TestClaimsAreKeptOnRequestOnly(t *testing.T) {
	m := match.New(compile(t, programs()["json calls"].Bind("")), func(chat.Event) {})
	m.Feed([]byte("text"))
	if m.Finish(false); m.Claims() != nil {
		t.Errorf("%+v", m.Claims())
	}
}

// TestPlace feeds an output in chunks, and says after each where the machine is.
func TestPlace(t *testing.T) {
	m := match.New(compile(t, programs()["json calls"].Bind("")), func(chat.Event) {})
	for _, step := range []struct{ chunk, rules, next string }{
		{"", "", `"<think>", text up to "<tool_call>" or "<|end|>"`},
		{"<think>a", "", `text up to "</think>"`},
		{"</think>b", "", `text up to "<tool_call>" or "<|end|>"`},
		{"<tool_call>", "tool-call", `"{\"name\": \""`},
		{`{"name": "f", "arguments": {"a"`, "tool-call", `":"`},
		{`:`, "tool-call", "a value"},
		{`!`, "recovering", ""},
		{goodCall, "", `text up to "<tool_call>" or "<|end|>"`},
		{turnEnd, "", "the end"},
	} {
		m.Feed([]byte(step.chunk))
		p := m.Place()
		rules := strings.Join(p.Rules, " ")
		if p.Recovering {
			rules = "recovering"
		}
		if next := strings.Join(p.Next, ", "); rules != step.rules || next != step.next {
			t.Errorf("after %q: %s, next %s", step.chunk, rules, next)
		}
	}
	m.Finish(false)
	if p := m.Place(); !p.Ended || p.Recovering || p.Next != nil {
		t.Errorf("at the end: %+v", p)
	}
}
