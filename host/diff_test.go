package host_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/check"
)

// thoughts is a case that holds if the rule "first" sets the reasoning markers.
const thoughts = `{"id": "thoughts", "kind": "parse", "template": "chatml-json", "request": {"messages": [{"role": "user", "content": "Hi"}]},
	"output": "<first>one</first>two", "expect": {"content": "two", "reasoning_content": "one", "tool_calls": []}}`

// prose is a case that holds under every rule.
const prose = `{"id": "prose", "kind": "parse", "template": "chatml-json", "request": {"messages": [{"role": "user", "content": "Hi"}]},
	"output": "two", "expect": {"content": "two", "reasoning_content": "", "tool_calls": []}}`

// lines formats cases as a file, one per line.
func lines(cases ...string) string {
	for i, c := range cases {
		cases[i] = strings.ReplaceAll(c, "\n", " ")
	}
	return strings.Join(cases, "\n") + "\n"
}

func input(cases ...string) []check.Input {
	return []check.Input{{Name: "cases.jsonl", Reader: strings.NewReader(lines(cases...))}}
}

func rulesFile(name, content string) host.RulesFile {
	return host.RulesFile{Name: name, Data: []byte(content)}
}

func TestADiffListsChangedFieldsAndCases(t *testing.T) {
	h := start(t, nil)
	src, _, err := h.Template(context.Background(), "chatml-json")
	must(t, err)
	other, _, err := h.Template(context.Background(), "chatml-tagged")
	must(t, err)
	templates := []host.TemplateSource{src, other}
	diff, err := h.DiffRules(context.Background(), rulesFile("old.yaml", rule("first")), rulesFile("new.yaml", rule("second")), templates, input(thoughts, prose))
	must(t, err)
	if len(diff.Templates) != 1 || diff.Templates[0].Template != "chatml-json" {
		t.Fatalf("changed templates %+v, want chatml-json alone", diff.Templates)
	}
	got := diff.Templates[0]
	want := []host.FieldDiff{{Field: "reasoning.end", Before: "</first>", After: "</second>"}, {Field: "reasoning.start", Before: "<first>", After: "<second>"}}
	if len(got.Fields) != 2 || strings.Trim(got.Fields[0].After, `"`) != want[0].After || strings.Trim(got.Fields[1].Before, `"`) != want[1].Before {
		t.Errorf("fields %+v, want %+v", got.Fields, want)
	}
	if len(got.Cases) != 1 || got.Cases[0].Case != "thoughts" || !got.Cases[0].IsRegression() {
		t.Fatalf("cases %+v, want a regression of thoughts alone", got.Cases)
	}
	for _, part := range []string{"reasoning_content", `expected "one"`, `found    ""`} {
		if !strings.Contains(got.Cases[0].Difference, part) {
			t.Errorf("the difference lacks %s:\n%s", part, got.Cases[0].Difference)
		}
	}
	back, err := h.DiffRules(context.Background(), rulesFile("old.yaml", rule("second")), rulesFile("new.yaml", rule("first")), templates, input(thoughts))
	must(t, err)
	if len(back.Templates) != 1 || len(back.Templates[0].Cases) != 1 || back.Templates[0].Cases[0].After != "" {
		t.Errorf("in reverse, the case should hold again: %+v", back)
	}
}

func TestTheSameRulesChangeNothing(t *testing.T) {
	h := start(t, nil)
	src, _, err := h.Template(context.Background(), "chatml-json")
	must(t, err)
	diff, err := h.DiffRules(context.Background(), rulesFile("a", rule("first")), rulesFile("b", rule("first")+"# a remark\n"), []host.TemplateSource{src}, input(thoughts))
	must(t, err)
	if !diff.Empty() {
		t.Errorf("found %+v", diff)
	}
}

func TestFaultsInEitherFileAreReportedWithTheirPosition(t *testing.T) {
	h := start(t, nil)
	diff, err := h.DiffRules(context.Background(), rulesFile("old.yaml", "version: 1\nworkarounds:\n  - nam: x\n"), rulesFile("new.yaml", "version: 7\n"), nil, nil)
	must(t, err)
	var places []string
	for _, f := range diff.Faults {
		places = append(places, f.File)
		if f.Line == 0 || f.Column == 0 || f.Message == "" {
			t.Errorf("fault %+v lacks a position or a message", f)
		}
	}
	if all := strings.Join(places, " "); !strings.Contains(all, "old.yaml") || !strings.Contains(all, "new.yaml") {
		t.Errorf("faults %+v, want some in both files", diff.Faults)
	}
}

func TestTryingRulesChangesNothing(t *testing.T) {
	e := startEdited(t)
	before := e.Snapshot().Generation
	diff, err := e.TryRules(context.Background(), rulesFile("document", rule("second")), input(thoughts))
	must(t, err)
	if len(diff.Templates) != 1 || len(diff.Templates[0].Fields) != 2 || len(diff.Templates[0].Cases) != 1 {
		t.Errorf("found %+v", diff)
	}
	if e.Snapshot().Generation != before || e.inForce(t) != "first one" {
		t.Error("trying rules changed what is in force")
	}
}

func TestRulesInForceAreListedWithTheTemplatesTheyMatch(t *testing.T) {
	e := startEdited(t)
	rules, hash := e.Workarounds(context.Background())
	if len(rules) != 1 || hash != sha(rule("first")) {
		t.Fatalf("%d rules with hash %s", len(rules), hash)
	}
	m := rules[0].Matches
	if len(m) != 1 || m[0].Template != "chatml-json" || len(m[0].Applied.Changes) == 0 {
		t.Errorf("the rule matches %+v, want chatml-json", m)
	}
}
