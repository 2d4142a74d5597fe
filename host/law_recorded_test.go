package host

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// These tests hold the law that the grammar and the parser are one program, for every template
// whose dialect is learned without a plugin.

const lawTools = `, "tools": [
	{"type": "function", "function": {"name": "get_weather", "description": "d", "parameters": {"type": "object", "properties": {
		"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 14}, "unit": {"enum": ["celsius", "fahrenheit"], "type": "string"}}, "required": ["city"]}}},
	{"type": "function", "function": {"name": "plot", "description": "d", "parameters": {"type": "object", "properties": {
		"points": {"type": "array", "items": {"type": "number"}}, "options": {"type": "object"}, "title": {"type": "string", "maxLength": 5}}, "required": ["points"]}}}]`

// lawSubject returns a host without plugins over the shared templates, and their paths.
func lawSubject(t *testing.T) (*Subject, []string) {
	t.Helper()
	dir := shared.Dir(t, "templates")
	paths, err := filepath.Glob(filepath.Join(dir, "*.jinja"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%q: %v", paths, err)
	}
	return aHost(t).Subject(dir), paths
}

func TestWhatTheGrammarOfATemplateAllowsIsRead(t *testing.T) {
	s, paths := lawSubject(t)
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			for _, members := range []string{`, "tool_choice": "required"`, `, "parallel_tool_calls": true`} {
				if c, planned := constraint(t, s, name, members); c != nil {
					drawnAreRead(t, planned, c)
				}
			}
		})
	}
}

// drawnAreRead draws texts from the grammar of a plan and parses them. It also checks that the
// grammar refuses each text with another tool name, at that name.
func drawnAreRead(t *testing.T, planned check.Planned, c *grammar.Constraint) {
	t.Helper()
	g, err := grammar.Parse(c.Grammar)
	if err != nil {
		t.Fatal(err)
	}
	sampler := g.Sampler(rand.New(rand.NewPCG(5, 8)))
	for range 8 {
		text, ok := sampler.Text(60)
		if !ok {
			t.Fatal("the grammar accepts nothing")
		}
		message, report, err := planned.Parse(slices.Values([][]byte{[]byte(text)}), false)
		if err != nil || len(report.Faults) > 0 || report.Status == chat.Malformed || !c.Lazy && len(message.ToolCalls) == 0 {
			t.Errorf("%q parsed with the faults %+v, error %v: %+v", text, report.Faults, err, message)
		}
		if len(message.ToolCalls) == 0 {
			continue
		}
		at := strings.LastIndex(text, message.ToolCalls[len(message.ToolCalls)-1].Name)
		if r := g.Match(text[:at] + "\x01" + text[at:]); r.Status != grammar.Refused || r.Offset != at {
			t.Errorf("%q, with another name at byte %d: %v at byte %d", text, at, r.Status, r.Offset)
		}
	}
}

// deliberate maps the templates and cases whose triggers fire elsewhere than at the first call to
// the reason.
var deliberate = map[string]string{
	"openai-gpt-oss-120b.jinja": "comparison alone does not find its channels; a plugin reads it",
	"Kimi-K2-Thinking/11":       "calls without their section are parsed, but the grammar requires it and so begins there",
}

// TestTriggersFireWhereACallBegins checks that a trigger fires where the first call begins, with
// only markers and white space in between, and that none fires after the reasoning in an output
// without calls.
func TestTriggersFireWhereACallBegins(t *testing.T) {
	s, _ := lawSubject(t)
	data, err := os.ReadFile(shared.Dir(t, "cases", "parse.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	fired := 0
	for line := range bytes.Lines(data) {
		var c cases.Case
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if deliberate[c.Template] == "" && deliberate[c.ID] == "" && triggersFire(t, s, &c) {
			fired++
		}
	}
	if fired < 50 {
		t.Errorf("triggers fire in only %d outputs", fired)
	}
}

// triggersFire checks one recorded output and reports whether a trigger fires in it.
func triggersFire(t *testing.T, s *Subject, c *cases.Case) bool {
	t.Helper()
	req, err := c.ChatRequest()
	if err != nil {
		t.Fatal(err)
	}
	planned, err := s.Plan(context.Background(), check.Template{Name: c.Template, BOSToken: c.BOSToken, EOSToken: c.EOSToken, Handler: autoparser.HandlerName}, req)
	if err != nil || planned.Plan().Constraint == nil || !planned.Plan().Constraint.Lazy || c.Partial {
		return false
	}
	message, report, err := planned.Parse(slices.Values([][]byte{[]byte(c.Output)}), false)
	if err != nil || len(report.Faults) > 0 {
		return false // a plugin's format
	}
	reasoned, call := 0, -1
	for _, span := range report.Spans {
		switch end := span.End - report.PromptLength; {
		case span.Region == chat.ReasoningRegion:
			reasoned = max(end, 0)
		case span.Region == chat.CallRegion && call < 0:
			call = span.Start - report.PromptLength
		}
	}
	if call >= 0 && call < reasoned {
		return false // a call within reasoning
	}
	at, fires := grammar.FindTrigger(c.Output[reasoned:], planned.Plan().Constraint.Triggers)
	switch {
	case fires != (len(message.ToolCalls) > 0):
		t.Errorf("%s: trigger fires %v at byte %d of %q, which has %d calls", c.ID, fires, reasoned+at, c.Output, len(message.ToolCalls))
	case fires && !onlyMarkers(report, reasoned+at, call):
		t.Errorf("%s: trigger fires at byte %d of %q, but the call begins at byte %d", c.ID, reasoned+at, c.Output, call)
	}
	return fires
}

// onlyMarkers reports whether neither content nor reasoning lies between two offsets in the output,
// and from is not after to.
func onlyMarkers(report *chat.Report, from, to int) bool {
	return from <= to && !slices.ContainsFunc(report.Spans, func(s chat.Span) bool {
		start, end := s.Start-report.PromptLength, s.End-report.PromptLength
		return end > from && start < to && (s.Region == chat.ContentRegion || s.Region == chat.ReasoningRegion)
	})
}

func TestProseFiresNoTrigger(t *testing.T) {
	h := aHost(t)
	for template, prose := range map[string][]string{
		"chatml-json":      {"Write {\"name\": \"f\"} or <tool call>.", "a < b, <tool", "```json\n{}\n```"},
		"chatml-tagged":    {"<b>, <function>, </tool_call", "x = [1, 2]"},
		"chatml-reasoning": {"{\"arguments\": {}}"},
	} {
		p, err := h.Plan(t.Context(), template, withTool(t, weatherParameters, ``))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range prose {
			if at, fires := grammar.FindTrigger(text, p.Plan.Constraint.Triggers); fires {
				t.Errorf("%s: trigger fires at byte %d of %q: %v", template, at, text, p.Plan.Constraint.Triggers)
			}
		}
		if strings.TrimSpace(p.Plan.Constraint.Grammar) == "" {
			t.Errorf("%s has no grammar", template)
		}
	}
}
