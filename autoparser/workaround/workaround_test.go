package workaround

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
)

const whole = `version: 1
workarounds:
  - name: wrapped-with-thoughts
    because: content is wrapped only when the model thinks
    seen-in: [one.jinja]
    when: source contains "Write your thoughts"
    set:
      reasoning: {mode: tag_based, start: "<think>", end: "</think>"}
      content:
        mode: wrapped_with_reasoning
        start: "<response>"
        end: "</response>"
      tools:
        json: {array_wrapped: true, parameter_order: [name, arguments]}
  - name: loose-ends
    because: the template writes stray blanks
    when: |
      dialect.reasoning.mode == "none" and
        capabilities.tools
    trim: [reasoning.start, reasoning.end]
    preserve: ["<|a|>"]
    stop: ["</s>", "<|end|>"]
    request: [trim-content, developer-role]
`

func parsed(t *testing.T, text string) *Set {
	t.Helper()
	s, err := Parse("rules.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRulesApplyInTheOrderOfTheFile(t *testing.T) {
	f := Facts{Source: "… Write your thoughts …", Name: "one.jinja"}
	f.Dialect.Reasoning.Mode = dialect.ReasoningNone
	f.Dialect.Stop = []string{"</s>"}
	f.Capabilities.Tools = true
	d, applied := parsed(t, strings.Replace(whole, `start: "<think>"`, `start: " <think>\n"`, 1)).Apply(f)

	want := dialect.Dialect{
		Reasoning: dialect.Reasoning{Mode: "tag_based", Start: "<think>", End: "</think>"},
		Content:   dialect.Content{Mode: "wrapped_with_reasoning", Start: "<response>", End: "</response>"},
		Tools:     dialect.Tools{JSON: dialect.JSON{ArrayWrapped: true, ParameterOrder: []string{"name", "arguments"}}},
		Preserve:  []string{"<|a|>"},
		Stop:      []string{"</s>", "<|end|>"},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
	wantApplied := []Applied{
		{
			Rule: "wrapped-with-thoughts", Because: "content is wrapped only when the model thinks",
			Changes: []Change{
				{"reasoning.mode", "none", "tag_based"},
				{"reasoning.start", `""`, `" <think>\n"`},
				{"reasoning.end", `""`, `"</think>"`},
				{"content.mode", "", "wrapped_with_reasoning"},
				{"content.start", `""`, `"<response>"`},
				{"content.end", `""`, `"</response>"`},
				{"tools.json.array_wrapped", "false", "true"},
				{"tools.json.parameter_order", "[]", `["name", "arguments"]`},
			},
		},
		{
			Rule: "loose-ends", Because: "the template writes stray blanks",
			Changes: []Change{
				{"reasoning.start", `" <think>\n"`, `"<think>"`},
				{"preserve", "[]", `["<|a|>"]`},
				{"stop", `["</s>"]`, `["</s>", "<|end|>"]`},
			},
			Requests: []Normalisation{TrimContent, DeveloperRole},
		},
	}
	if diff := cmp.Diff(wantApplied, applied); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"</s>"}, f.Dialect.Stop); diff != "" {
		t.Errorf("the facts changed: %s", diff)
	}
}

func TestPredicatesSeeTheDialectDetected(t *testing.T) {
	s := parsed(t, `
version: 1
workarounds:
  - {name: a, because: b, when: 'true', set: {reasoning: {mode: tag_based}}}
  - {name: b, because: b, when: dialect.reasoning.mode == "tag_based", set: {reasoning: {start: x}}}
`)
	if _, applied := s.Apply(Facts{}); len(applied) != 1 {
		t.Errorf("expected rule a alone to hold, found %v", applied)
	}
}

func TestARuleThatHoldsForNothingChangesNothing(t *testing.T) {
	in := Facts{Dialect: dialect.Dialect{UserStart: "u", Preserve: []string{"p"}}}
	d, applied := parsed(t, whole).Apply(in)
	if diff := cmp.Diff(in.Dialect, d); diff != "" || applied != nil {
		t.Error(diff, applied)
	}
	var none *Set
	if d, applied := none.Apply(in); d.UserStart != "u" || applied != nil || none.Hash() != "" || none.Name() != "" {
		t.Error("a missing set does something")
	}
}

func TestTheHashFollowsTheBytes(t *testing.T) {
	a, b, c := parsed(t, whole), parsed(t, whole), parsed(t, whole+"# x\n")
	if a.Hash() != b.Hash() || a.Hash() == c.Hash() || len(a.Hash()) != 64 {
		t.Error(a.Hash(), b.Hash(), c.Hash())
	}
}

func TestJoinedRulesApplyInOrder(t *testing.T) {
	own := parsed(t, "version: 1\nworkarounds:\n  - {name: last, because: a test, when: 'true', set: {reasoning: {start: \"<last>\"}}}\n")
	joined := Join(parsed(t, whole), own)
	d, applied := joined.Apply(Facts{Source: "Write your thoughts"})
	if d.Reasoning.Start != "<last>" || applied[len(applied)-1].Rule != "last" || len(joined.Rules()) != 3 || joined.Name() != "rules.yaml, rules.yaml" {
		t.Errorf("%q, applied %v, of %q", d.Reasoning.Start, applied, joined.Name())
	}
	if joined.Hash() == own.Hash() || Join(own) != own || len(Join().Rules()) != 0 {
		t.Error("a joined set is identified by one of its files, or one of a single file is not that file's")
	}
}

func TestEveryFieldOfADialectCanBeSet(t *testing.T) {
	for _, f := range fields() {
		value := map[string]string{"bool": "true", "slice": "[x]", "string": "x"}[f.typ.Kind().String()]
		if c := choices(f.typ); c != nil {
			value = c[len(c)-1]
		}
		set := value
		for _, name := range reversed(strings.Split(f.path, ".")) {
			set = "{" + name + ": " + set + "}"
		}
		d, _ := parsed(t, "version: 1\nworkarounds:\n - {name: a, because: b, when: 'true', set: "+set+"}\n").Apply(Facts{})
		if got := strings.Trim(show(f.in(&d)), `[]"`); got != strings.Trim(value, "[]") {
			t.Errorf("%s: set to %s, found %s", f.path, value, got)
		}
	}
}

func reversed(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append([]string{text}, out...)
	}
	return out
}

func TestLintFindsRulesOfNoUse(t *testing.T) {
	s := parsed(t, `version: 1
workarounds:
  - {name: useful, because: b, when: source contains "a", set: {user_start: u}}
  - {name: useless, because: b, when: source contains "a", set: {user_start: u}}
  - {name: unmet, because: b, when: source contains "z", set: {user_start: u}}
  - {name: strayed, because: b, seen-in: [two], when: name == "one", stop: [s]}
  - {name: broken, because: b, when: 'dialect.preserve[3] == "x"', stop: [s]}
`)
	got := s.Lint([]Facts{{Name: "one", Source: "a"}, {Name: "two"}})
	want := `rules.yaml:4:1: rule "useless" no longer changes anything; remove it
rules.yaml:5:1: rule "unmet" holds for none of the templates; remove it, or correct its predicate
rules.yaml:6:1: rule "strayed" does not hold for "two", which seen-in lists; correct one of them
rules.yaml:7:1: rule "broken" cannot be evaluated: 1:17: index out of range: 3 (array length is 0)
rules.yaml:7:1: rule "broken" cannot be evaluated: 1:17: index out of range: 3 (array length is 0)`
	if diff := cmp.Diff(want, got.Error()); diff != "" {
		t.Error(diff)
	}
}
