package autoparser_test

import (
	"context"
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

// TestRecordedOutputs parses the recorded outputs of every template that needs no dedicated
// handler: it learns the template, plans the request, and parses the output whole and byte by byte.
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

// handled returns the templates that the generic path does not serve: those recorded with a
// dedicated handler, except one that the generic path replaces, and those without recordings that a
// shipped plugin claims.
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
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "templates"), "*.jinja"))
	if err != nil {
		t.Fatal(err)
	}
	claims := shared.Claims(t)
	out := map[string]bool{}
	for _, file := range files {
		name := filepath.Base(file)
		if a, recorded := analyses[name]; recorded {
			out[name] = a.Specialized != "" && a.Specialized != "Qwen3-Coder"
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = shared.Claimant(t, claims, strings.TrimSuffix(name, ".jinja"), string(source)) != ""
	}
	return out
}

// unread lists the templates that the generic path does not parse correctly yet, each with the fact
// that no comparison reveals: a part of them is unproven, and served as content, or a row of their
// self-check fails. A template whose self-check passes must not be listed.
var unread = map[string]string{}

// learn learns the template of a case with the shipped rules.
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
	learned, err := autoparser.Learn(context.Background(), opened, rules)
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
		report := m.Finish(false)
		stream.Finish(chat.FinishStop)
		if d := cases.Compare(*c.Expect, cases.MessageOf(stream.Message())); d != "" {
			t.Fatalf("%s\n%s %v\noutput %q\ndialect %+v", d, report.Status, report.Faults, c.Output, l.Dialect)
		}
	}
}
