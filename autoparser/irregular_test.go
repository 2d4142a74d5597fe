package autoparser_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// irregular is an output that no template writes, made from the call that one does.
type irregular struct {
	is     string
	output func(d dialect.Dialect, call string) string
	// thinks: it begins with reasoning; marked: it needs a marker before calls; tagged: and one behind values.
	thinks, marked, tagged bool
	// want is the message; of the call that was written only if it has one.
	content, reasoning string
	calls              int
}

const quoted = "For example:\n\n```json\n{\"name\": \"lend\", \"arguments\": {\"title\": \"Orlando\"}}\n```\n\nSo it works."

var irregulars = []irregular{
	{is: "an example in prose is no call", content: quoted, output: func(dialect.Dialect, string) string { return quoted }},
	{is: "a call in mid-sentence is none", content: `Then [lend(title="Orlando")] is called.`,
		output: func(dialect.Dialect, string) string { return `Then [lend(title="Orlando")] is called.` }},
	{is: "a bare call that breaks off leaves the next one alone", marked: true, calls: 1, content: `{"name": "lend", "arguments": {"title": "O`,
		output: func(_ dialect.Dialect, call string) string {
			return `{"name": "lend", "arguments": {"title": "O` + "\n" + call
		}},
	{is: "a value that is never closed leaves the next call alone", marked: true, tagged: true, calls: 2,
		output: func(_ dialect.Dialect, call string) string {
			before, _, _ := strings.Cut(call, "Orlando")
			return before + "Or\n" + call
		}},
	{is: "a call within a line of reasoning ends it", thinks: true, marked: true, calls: 1, reasoning: "So I look:",
		output: func(d dialect.Dialect, call string) string { return d.Reasoning.Start + "So I look: " + call }},
	{is: "a call quoted in reasoning is part of it", thinks: true, marked: true, content: "Done.",
		output: func(d dialect.Dialect, call string) string {
			return d.Reasoning.Start + "I write " + strings.Split(call, "lend")[0] + "lend and so on." + d.Reasoning.End + "Done."
		}},
	{is: "reasoning reopened does not swallow a call", thinks: true, marked: true, calls: 1, reasoning: "Hm. So:",
		output: func(d dialect.Dialect, call string) string {
			return d.Reasoning.Start + "Hm. " + d.Reasoning.End + d.Reasoning.Start + "So: " + call
		}},
}

// TestIrregularOutputsAreReadAsTheyAreMeant derives outputs from the calls of the templates in testdata.
func TestIrregularOutputsAreReadAsTheyAreMeant(t *testing.T) {
	shared.Slow(t)
	school := newSchool(t)
	tried := map[string]int{}
	for name, source := range styles(t) {
		l := learnSource(t, name, source, "<s>", "</s>", school.rules)
		req := chat.Request{Tools: lawTools(), ParallelToolCalls: true, Now: lawTime}
		answer := chat.Message{Role: chat.RoleAssistant, ToolCalls: []chat.Call{{ID: "call00001", Name: "lend", Arguments: `{"title": "Orlando"}`}}}
		w, err := l.Write(req, answer)
		if err != nil || l.Difference(req, w, answer) != "" {
			continue // its archive has the parsed messages
		}
		for _, o := range irregulars {
			if !o.suits(l.Dialect, w) {
				continue
			}
			tried[o.is]++
			text := autoparser.Written{Prompt: w.Prompt, Output: o.output(l.Dialect, strings.TrimSpace(w.Output))}
			got := l.Read(req, text)
			content, reasoning := strings.TrimSpace(got.Content.Join("")), strings.Join(strings.Fields(got.ReasoningContent), " ")
			if content != o.content || o.reasoning != "" && reasoning != o.reasoning || len(got.ToolCalls) != o.calls {
				t.Errorf("%s: %s:\n%q\ncontent %q, reasoning %q, calls %v", name, o.is, text.Output, content, reasoning, got.ToolCalls)
			}
		}
	}
	for _, o := range irregulars {
		if tried[o.is] < 15 && !o.tagged || tried[o.is] < 5 {
			t.Errorf("%s: tried on %d templates", o.is, tried[o.is])
		}
	}
}

// suits reports whether a dialect has what the output needs, and its prompt leaves reasoning to the output.
func (o irregular) suits(d dialect.Dialect, w autoparser.Written) bool {
	r, tools := d.Reasoning, d.Tools
	start := strings.TrimSpace(cmp.Or(tools.SectionStart, tools.PerCallStart))
	marked := start != "" && strings.HasPrefix(strings.TrimSpace(w.Output), start)
	thinks := r.Mode == dialect.ReasoningTagBased && strings.TrimSpace(r.Start) != "" && strings.TrimSpace(r.End) != ""
	begun := r.Mode != dialect.ReasoningNone && strings.Contains(w.Prompt, strings.TrimSpace(r.Start))
	values := strings.TrimSpace(tools.Arguments.ValueSuffix)
	tagged := tools.Format == dialect.TagWithTagged && strings.ContainsAny(values, diff.Closers)
	return !begun && (marked || !o.marked) && (thinks || !o.thinks) && (tagged || !o.tagged)
}
