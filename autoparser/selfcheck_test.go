package autoparser_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
)

func TestTheRowsOfTheSelfCheckAreDistinctQuestions(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range autoparser.SelfCheckRows() {
		if seen[row.ID] || !strings.HasSuffix(row.Question, "?") {
			t.Errorf("%s: %q", row.ID, row.Question)
		}
		seen[row.ID] = true
	}
}

// A dialect that a workaround makes wrong remains usable, and its faults are reported.
func TestAWrongDialectIsUsableAndSaysSo(t *testing.T) {
	l := learnSource(t, "x", archived(t, "tagged-calls"), "", "", rules(t, `
  - {name: r, because: of a test, seen-in: [x], when: 'name == "x"', set: {tools: {arguments: {value_suffix: "</other>"}}}}`))
	check := l.SelfCheck()
	if check.Failed == 0 || check.Passed == 0 || len(check.Failures()) != check.Failed {
		t.Fatalf("%s passed: %+v", check.Score(), check.Failures())
	}
	first := check.Failures()[0]
	if !strings.Contains(strings.Join(l.Lint(context.Background()), "\n"), "self-check "+first.ID+": "+first.Failed) {
		t.Errorf("lint %q does not report %+v", l.Lint(context.Background()), first)
	}
	if text := l.Explain(context.Background()).String(); !strings.Contains(text, "-- self-check --\n"+check.Score()+" passed") {
		t.Errorf("explanation:\n%s", text)
	}
}

// A template may open the last answer as it opens the prompt, although it removes the reasoning and
// the marker after it.
func TestAnAnswerThatIsLeftOpenIsReadAsTheModelWroteIt(t *testing.T) {
	const source = `{%- for m in messages %}{% if m.role == 'assistant' %}<bot>{% if loop.last %}<think>
{% endif %}{{ m.content.split('</think>')[-1] }}{% else %}<user>{{ m.content }}{% endif %}<end>{% endfor %}
{%- if add_generation_prompt %}<bot><think>
{% endif %}`
	l := learnSource(t, "x", source, "", "", nil)
	if got := l.Dialect.Reasoning.Start; got != "<think>\n" {
		t.Fatalf("reasoning begins with %q", got)
	}
	if check := l.SelfCheck(); check.Failed != 0 || check.Passed < 2 {
		t.Errorf("%s passed: %+v", check.Score(), check.Failures())
	}
}
