package autoparser_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// TestRecordedOutputs runs the recorded outputs of every template that needs no handler of its own through everything:
// the template is learned, the request planned, the output parsed whole and byte by byte.
func TestRecordedOutputs(t *testing.T) {
	special := handled(t)
	learned := map[string]*autoparser.Learned{}
	f, err := os.Open(shared.Dir(t, "cases", "parse.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for c, err := range cases.Read(f) {
		if err != nil {
			t.Fatal(err)
		}
		if special[c.Template] {
			continue
		}
		if learned[c.Template] == nil {
			learned[c.Template] = learn(t, c)
		}
		t.Run(c.ID, func(t *testing.T) { parseRecorded(t, learned[c.Template], c) })
	}
}

// handled are the templates that were recorded with a handler of their own; one of these handlers the generic path replaces.
func handled(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(shared.Dir(t, "cases", "analysis.json"))
	if err != nil {
		t.Fatal(err)
	}
	var analyses map[string]struct{ Specialized string }
	if err := json.Unmarshal(data, &analyses); err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for template, a := range analyses {
		out[template] = a.Specialized != "" && a.Specialized != "Qwen3-Coder"
	}
	return out
}

// learn learns the template of a case, under the shipped rules.
func learn(t *testing.T, c *cases.Case) *autoparser.Learned {
	t.Helper()
	rules, err := workaround.Parse(dragoman.WorkaroundsName, dragoman.Workarounds)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(shared.Dir(t, "templates"), c.Template))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := autoparser.Open(c.Template, string(source), c.BOSToken, c.EOSToken, autoparser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	learned, err := autoparser.Learn(opened, rules)
	if err != nil {
		t.Fatal(err)
	}
	return learned
}

func parseRecorded(t *testing.T, l *autoparser.Learned, c *cases.Case) {
	t.Helper()
	req, err := c.ChatRequest()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := l.Plan(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	code, err := match.Compile(plan.Program, match.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, pieces := range [][]string{{c.Output}, strings.Split(c.Output, "")} {
		stream := &chat.Stream{StreamOptions: chat.StreamOptions{Tools: req.Tools, NoIDs: true}}
		m := match.New(code, stream.Add)
		m.Prompt(plan.GenerationPrompt)
		for _, p := range pieces {
			m.Feed([]byte(p))
		}
		report := m.Finish()
		stream.Finish(chat.FinishStop)
		if d := cases.Compare(*c.Expect, cases.MessageOf(stream.Message())); d != "" {
			t.Fatalf("%s\n%s %v\noutput %q\ndialect %+v", d, report.Status, report.Faults, c.Output, l.Dialect)
		}
	}
}
