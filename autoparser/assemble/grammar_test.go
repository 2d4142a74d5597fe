package assemble_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

func choose(mode chat.ToolMode, name string) func(*chat.Request) {
	return func(r *chat.Request) { r.ToolChoice = chat.ToolChoice{Mode: mode, Name: name} }
}

func TestAnEnforcedCallIsAllThatTheGrammarAllows(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		one := s.withIDs(cases.Message{ToolCalls: []cases.Call{paris}})
		other := s.withIDs(cases.Message{ToolCalls: []cases.Call{call("ping")}})
		two := s.withIDs(cases.Message{ToolCalls: []cases.Call{paris, call("ping")}})
		unknown := s.withIDs(cases.Message{ToolCalls: []cases.Call{call("who_knows")}})
		required, named := choose(chat.ToolRequired, ""), choose(chat.ToolNamed, "get_weather")
		tests := []struct {
			what   string
			change []func(*chat.Request)
			output string
			ok     bool
		}{
			{"a required call", []func(*chat.Request){required}, s.answer(one), true},
			{"a required call, ended", []func(*chat.Request){required}, s.answer(one) + s.EndOfTurn, true},
			{"text alone where a call is required", []func(*chat.Request){required}, "Hello.", false},
			{"nothing where a call is required", []func(*chat.Request){required}, "", false},
			{"a second call", []func(*chat.Request){required}, s.answer(two), false},
			{"a second call, in parallel", []func(*chat.Request){required, parallel}, s.answer(two), true},
			{"the tool named", []func(*chat.Request){named}, s.answer(one), true},
			{"another than the tool named", []func(*chat.Request){named}, s.answer(other), false},
			{"an unknown tool", []func(*chat.Request){required}, s.answer(unknown), false},
		}
		for _, test := range tests {
			if s.Tools.JSON.PythonDicts && test.ok {
				continue // grammars allow JSON only
			}
			g := constraint(t, s.input(test.change...))
			if got := g.Match(strings.TrimSpace(test.output)); (got.Status == grammar.Accepted) != test.ok {
				t.Errorf("%s: %q: %s at byte %d, expected %q\n%s", test.what, test.output, got.Status, got.Offset, got.Expected, g)
			}
		}
	})
}

func TestGrammarsInsistOnRequiredArguments(t *testing.T) {
	s := named(t, "tags with lines")
	var properties, required []string
	for i := range 6 {
		properties = append(properties, fmt.Sprintf(`"a%d":{"type":"integer"}`, i))
		required = append(required, fmt.Sprintf(`"a%d"`, i))
	}
	tool := func(n int) string {
		return `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required[:n], ",") + `]}`
	}
	for _, test := range []struct {
		required int
		args     string
		ok       bool
	}{
		{0, "", true},
		{0, "a5 a1", true},
		{1, "", false},
		{1, "a0", true},
		{1, "a5 a0 a4", true},
		{2, "a0", false},
		{2, "a1 a0", true},
		{2, "a0 a0", false},
		{3, "a2 a5 a1 a0", true},
		{3, "a2 a5 a1", false},
		{5, "a4 a3 a5 a1 a2 a0", true},
		{5, "a4 a3 a5 a1 a2", false},
	} {
		var args []string
		for _, name := range strings.Fields(test.args) {
			args = append(args, name, "1")
		}
		g := constraint(t, s.input(choose(chat.ToolRequired, ""), one(tool(test.required))))
		output := s.answer(cases.Message{ToolCalls: []cases.Call{call("f", args...)}})
		if got := g.Match(output); (got.Status == grammar.Accepted) != test.ok {
			t.Errorf("%d required, %q: %s at byte %d, expected %q", test.required, test.args, got.Status, got.Offset, got.Expected)
		}
	}
}

// Members before the name of a call in JSON are accepted where the template writes them, and an id
// in its learned position.
func TestMembersBeforeANameAreWrittenWhereTheTemplateHasThem(t *testing.T) {
	nested := dialect.JSON{FunctionField: "function", NameField: "function.name", ArgsField: "function.arguments"}
	outside, inside, counted := nested, nested, dialect.JSON{GenIDField: "id", NameField: "name", ArgsField: "arguments"}
	outside.IDField, outside.ParameterOrder = "id", []string{"id", "function.name", "function.arguments"}
	inside.IDField, inside.ParameterOrder = "function.id", []string{"function.id", "function.name", "function.arguments"}
	counted.ParameterOrder = []string{"id", "name", "arguments"}
	constant := dialect.JSON{FunctionField: "do", NameField: "do.name", ArgsField: "do.arguments", Constants: []string{`kind: "call"`, "version: 2", "do.now: true"}}
	typed := dialect.JSON{IDField: "id", NameField: "name", ArgsField: "arguments", ParameterOrder: []string{"id", "name", "arguments"}, Constants: []string{`type: "use"`}}
	const arguments = `"arguments": {"text": "x"}`
	for _, c := range []struct {
		json     dialect.JSON
		call     string
		accepted bool
	}{
		{outside, `{"id": "1", "type": "function", "function": {"name": "get", ` + arguments + `}}`, true},
		{outside, `{"id": "1", "function": {"name": "get", ` + arguments + `}}`, true},
		{outside, `{"type": "function", "function": {"name": "get", ` + arguments + `}}`, false},
		{outside, `{"type": "function", "function": {"id": "1", "name": "get", ` + arguments + `}}`, false},
		{inside, `{"type": "function", "function": {"id": "1", "name": "get", ` + arguments + `}}`, true},
		{inside, `{"id": "1", "type": "function", "function": {"name": "get", ` + arguments + `}}`, false},
		{counted, `{"id": 7, "name": "get", ` + arguments + `}`, true},
		{counted, `{"id": "7", "name": "get", ` + arguments + `}`, true},
		{counted, `{"name": "get", ` + arguments + `}`, false},
		{constant, `{"kind": "call", "version": 2, "do": {"now": true, "name": "get", ` + arguments + `}}`, true},
		{constant, `{"do": {"name": "get", ` + arguments + `}}`, true},
		{constant, `{"type": "function", "do": {"name": "get", ` + arguments + `}}`, false},
		{typed, `{"type": "use", "id": "1", "name": "get", ` + arguments + `}`, true},
		{typed, `{"id": "1", "type": "use", "name": "get", ` + arguments + `}`, true},
		{typed, `{"type": "other", "id": "1", "name": "get", ` + arguments + `}`, false},
	} {
		s := sample{name: "JSON", Dialect: dialect.Dialect{Tools: dialect.Tools{Format: dialect.JSONNative, PerCallStart: "<call>", PerCallEnd: "</call>", JSON: c.json}}}
		in := s.input(choose(chat.ToolRequired, ""))
		if got := constraint(t, in).Match("<call>" + c.call + "</call>"); (got.Status == grammar.Accepted) != c.accepted {
			t.Errorf("%s: %s at byte %d, expected %q", c.call, got.Status, got.Offset, got.Expected)
		}
		if m, _ := newParser(t, in).run("<call>" + c.call + "</call>"); len(m.ToolCalls) != 1 || m.ToolCalls[0].Name != "get" {
			t.Errorf("%s: %+v", c.call, m)
		}
	}
}

func TestALazyGrammarBeginsWhereACallBegins(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		a := assemble.Assemble(s.input())
		if s.markerless() {
			if a.Grammar != grammar.Free {
				t.Errorf("a call cannot be told from prose, but the grammar is %v", a.Grammar)
			}
			return
		}
		c, err := grammar.Build(a.Program, grammar.Options{Mode: a.Grammar, Prompt: s.prompt})
		if err != nil {
			t.Fatal(err)
		}
		m := s.withIDs(cases.Message{ToolCalls: []cases.Call{paris}})
		before := "Let me see: [1, 2] <b>{\"a\": 1}</b>.\n"
		output := before + s.section(m.ToolCalls)
		at, fired := grammar.FindTrigger(output, c.Triggers)
		if !fired || at != len(before) {
			t.Fatalf("%v: fires at byte %d (%v) of %q, expected %d", c.Triggers, at, fired, output, len(before))
		}
		g, err := grammar.Parse(c.Grammar)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Match(strings.TrimSpace(output[at:])); got.Status != grammar.Accepted && !s.Tools.JSON.PythonDicts {
			t.Errorf("%q: %s at byte %d, expected %q\n%s", output[at:], got.Status, got.Offset, got.Expected, c.Grammar)
		}
	})
}

func TestACallOfATemplateWithoutCallsIsJSON(t *testing.T) {
	s := sample{name: "no calls"}
	in := s.input(choose(chat.ToolRequired, ""))
	output := `{"name": "get", "arguments": {"text": "x"}}`
	if got := constraint(t, in).Match(output); got.Status != grammar.Accepted {
		t.Errorf("%s at byte %d, expected %q", got.Status, got.Offset, got.Expected)
	}
	for _, in := range []assemble.Input{in, s.input()} {
		newParser(t, in).check(t, output, cases.Message{ToolCalls: []cases.Call{call("get", "text", `"x"`)}})
	}
	if a := assemble.Assemble(s.input()); a.Grammar != grammar.Free || len(a.Notes) != 0 {
		t.Errorf("no call required: grammar %v, notes %q", a.Grammar, a.Notes)
	}
	if a := assemble.Assemble(in); len(a.Notes) != 1 {
		t.Errorf("expected a note, found %q", a.Notes)
	}
}

// The program parses whatever a constraint allows as the intended message.
func TestWhatTheGrammarAllowsParses(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		for _, change := range [][]func(*chat.Request){{choose(chat.ToolRequired, "")}, {choose(chat.ToolRequired, ""), parallel}, {schema(amount)}} {
			in := s.input(change...)
			sampler := constraint(t, in).Sampler(rand.New(rand.NewPCG(1, 2)))
			p := newParser(t, in)
			for range 40 {
				text, ok := sampler.Text(60)
				if !ok {
					continue
				}
				got, report := p.run(text)
				if report.Status != chat.Complete || in.Request.JSONSchema.IsZero() && len(got.ToolCalls) == 0 {
					t.Fatalf("%q: %s %v %v", text, report.Status, report.Faults, got)
				}
			}
		}
	})
}
