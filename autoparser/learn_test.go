package autoparser_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// archived returns the template of a golden archive.
func archived(t testing.TB, name string) string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return fileNamed(a.Files, "template.jinja")
}

func rules(t *testing.T, yaml string) *workaround.Set {
	t.Helper()
	set, err := workaround.Parse("rules.yaml", []byte("version: 1\nworkarounds:\n"+yaml))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestLearningIsAFunctionOfTemplateAndRules(t *testing.T) {
	once := learnSource(t, "x", archived(t, "wrapped-content"), "<s>", "</s>", nil).Explain(context.Background())
	again := learnSource(t, "x", archived(t, "wrapped-content"), "<s>", "</s>", nil).Explain(context.Background())
	if d := cmp.Diff(once, again); d != "" {
		t.Errorf("-once +again\n%s", d)
	}
}

func TestTheTimeOfDayTeachesNothing(t *testing.T) {
	source := "{{ strftime_now('%H:%M:%S.%f') }}" + archived(t, "json-calls")
	if d := cmp.Diff(learnSource(t, "x", archived(t, "json-calls"), "", "", nil).Dialect, learnSource(t, "x", source, "", "", nil).Dialect); d != "" {
		t.Errorf("-without a clock +with one\n%s", d)
	}
}

// with applies other rules to what was learned.
func with(t *testing.T, l *autoparser.Learned, rules *workaround.Set) *autoparser.Learned {
	t.Helper()
	other, err := l.With(t.Context(), rules)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

func TestOtherRulesNeedNoNewAnswers(t *testing.T) {
	plain := learnSource(t, "x", archived(t, "json-calls"), "", "", nil)
	asked := plain.Template.Renderings()
	corrected := with(t, plain, rules(t, `
  - {name: r, because: of a test, seen-in: [x], when: 'name == "x"', set: {end_of_turn: "<other>"}, request: [trim-content]}`))
	if got := corrected.Dialect.EndOfTurn; got != "<other>" {
		t.Errorf("end of turn %q", got)
	}
	if plain.Dialect.EndOfTurn != "<|over|>" || corrected.Detected.Dialect.EndOfTurn != "<|over|>" {
		t.Errorf("the rule changed the detected end of turn: %q, %q", plain.Dialect.EndOfTurn, corrected.Detected.Dialect.EndOfTurn)
	}
	checked := plain.Template.Renderings()
	if asked == 0 || checked == asked || checked > 2*asked {
		t.Errorf("learning rendered %d times, the self-check of the corrected dialect %d times", asked, checked-asked)
	}
	for range 10 {
		with(t, plain, rules(t, `
  - {name: r, because: of a test, seen-in: [x], when: 'name == "y"', set: {end_of_turn: "<other>"}}`))
	}
	if now := plain.Template.Renderings(); now != checked {
		t.Errorf("rules that change nothing made %d renderings", now-checked)
	}
	if style := corrected.Style(); len(style.Normalise) != 1 || style.Normalise[0] != workaround.TrimContent {
		t.Errorf("style %+v", style)
	}
	if back := with(t, corrected, nil); back.Dialect.EndOfTurn != "<|over|>" || len(back.Workarounds) != 0 {
		t.Errorf("without rules: %q, %v", back.Dialect.EndOfTurn, back.Workarounds)
	}
}

func TestATemplateThatCannotBeReadIsContent(t *testing.T) {
	for name, source := range map[string]string{
		"nothing at all":            "",
		"always the same":           "hello",
		"always an error":           "{{ raise_exception('no') }}",
		"answers in disorder":       "{% for m in messages | reverse %}{{ m.content }}{% endfor %}",
		"every message upside down": "{% for m in messages %}{{ m.content | reverse }}{% endfor %}",
		"answers left out":          "{% for m in messages if m.role == 'user' %}{{ m.content }}{% endfor %}",
	} {
		t.Run(name, func(t *testing.T) {
			l := learnSource(t, name, source, "", "", nil)
			d := l.Dialect
			if d.Reasoning.Mode != dialect.ReasoningNone || d.Content.Mode != dialect.ContentPlain || d.Tools.Format != dialect.ToolsNone {
				t.Errorf("dialect %+v", d)
			}
			if len(l.Detected.Lint) == 0 {
				t.Error("no lint")
			}
		})
	}
}

func TestATemplateThatExceedsLimitsIsRefusedAtOnce(t *testing.T) {
	const endless = "{% for a in range(9999) %}{% for b in range(9999) %}{{ a }}{% endfor %}{% endfor %}"
	template, err := autoparser.Open("endless", endless, "", "", autoparser.Options{Limits: jinja.Limits{Steps: 100_000}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := autoparser.Learn(context.Background(), template, nil); !errors.Is(err, jinja.Limit) {
		t.Errorf("error %v", err)
	}
}

// Each of the loops is within the limits of a rendering.
const (
	loops     = "{% for a in range(999) %}{% for b in range(99) %}{% endfor %}{% endfor %}"
	long      = "{% for a in range(9999) %}{{ 'a line that fills the output' }}{% endfor %}"
	questions = "{% for m in messages %}{{ m.content }}{% endfor %}"
)

func TestATemplateThatExceedsTheBudgetOfLearningIsContent(t *testing.T) {
	for name, tt := range map[string]struct{ source, why string }{
		"steps":           {questions + loops, "more than 500000 steps in all renderings from which it is learned"},
		"output":          {questions + long, "the output is longer than"},
		"with tools only": {questions + "{% if tools %}{% for i in range(9) %}" + loops + "{% endfor %}{% endif %}", "more than 500000 steps"},
	} {
		t.Run(name, func(t *testing.T) {
			l := learnSource(t, "x", tt.source, "", "", nil)
			if l.Dialect.Content.Mode != dialect.ContentPlain || l.Dialect.Tools.Format != dialect.ToolsNone {
				t.Errorf("the dialect is %+v", l.Dialect)
			}
			if lint := strings.Join(l.Lint(t.Context()), "\n"); !strings.Contains(lint, "it costs too much to learn") || !strings.Contains(lint, tt.why) {
				t.Errorf("lint %q", lint)
			}
		})
	}
}

func TestLearningEndsWithItsContext(t *testing.T) {
	template, err := autoparser.Open("x", questions, "", "", autoparser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	if _, err := autoparser.Learn(ctx, template, nil); !errors.Is(err, jinja.Deadline) || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestASourceThatIsNoTemplateIsRefusedWithItsPlace(t *testing.T) {
	_, err := autoparser.Open("broken.jinja", "a\n{% if %}", "", "", autoparser.Options{})
	if !errors.Is(err, jinja.Syntax) || !strings.Contains(err.Error(), "broken.jinja:") {
		t.Errorf("error %v", err)
	}
}

// Many templates refuse to render one thing or another. A failing probe leaves questions open; the header of a turn, which
// another probe would have separated from a marker, must not become part of it.
func TestAProbeThatFailsPutsNoHeaderIntoAMarker(t *testing.T) {
	for name, source := range styles(t) {
		whole := learnSource(t, name, source, "<s>", "</s>", nil)
		header := whole.Dialect.AssistantStart
		if header == "" {
			continue
		}
		for _, fails := range []string{"answer", "prompt", "prompt, no thinking", "prompt to think", "two answers", "two calls"} {
			d := autoparser.LearnWithout(t.Context(), whole.Template, func(p probe.Probe) bool { return p.Name == fails }).Dialect
			for _, pair := range [][2]string{
				{d.Reasoning.Start, whole.Dialect.Reasoning.Start}, {d.Content.Start, whole.Dialect.Content.Start},
				{d.EndOfCalls, whole.Dialect.EndOfCalls}, {d.Tools.SectionEnd, whole.Dialect.Tools.SectionEnd},
			} {
				if strings.Contains(pair[0], header) && pair[0] != pair[1] {
					t.Errorf("%s without the probe %q: the header %q is part of %q", name, fails, header, pair[0])
				}
			}
		}
	}
}

func TestATemplateThatRefusesToThinkNotIsLearnedAllTheSame(t *testing.T) {
	const refusal = "{%- if enable_thinking is defined and enable_thinking is false %}{{ raise_exception('always thinks') }}{% endif %}"
	for name, source := range styles(t) {
		l := learnSource(t, name, refusal+source, "<s>", "</s>", nil)
		if !l.Template.Capabilities.Reasoning {
			continue // only the two prompts show how it thinks
		}
		was := learnSource(t, name, source, "<s>", "</s>", nil)
		if d := cmp.Diff(was.SelfCheck().Score(), l.SelfCheck().Score()); d != "" {
			t.Errorf("%s: self-check -was +now\n%s", name, d)
		}
	}
}

func TestToolsWithoutCallsAreLinted(t *testing.T) {
	l := learnSource(t, "x", "{% for t in tools or [] %}{{ t | tojson }}{% endfor %}{% for m in messages %}{{ m.content }}|{% endfor %}", "", "", nil)
	if !strings.Contains(strings.Join(l.Lint(context.Background()), "\n"), "calls are not rendered: how they are written") {
		t.Errorf("lint %q", l.Lint(context.Background()))
	}
	told := with(t, l, rules(t, `
  - {name: x, because: y, seen-in: [x], when: "true", set: {tools: {format: json_native, section_start: "<c>"}}}`))
	if !strings.Contains(strings.Join(told.Lint(context.Background()), "\n"), "calls are not rendered: prompts leave out") {
		t.Errorf("lint %q", told.Lint(context.Background()))
	}
}

// The fields of an explanation's JSON are stable: extend this test, but do not remove any.
func TestTheJSONOfAnExplanationKeepsItsMembers(t *testing.T) {
	l := learnSource(t, "x", archived(t, "json-calls"), "", "", rules(t, `
  - {name: r, because: of a test, seen-in: [x], when: 'name == "x"', set: {end_of_turn: "<other>"}, request: [trim-content]}`))
	data, err := json.Marshal(l.Explain(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	var e map[string]any
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	for member, inner := range map[string][]string{
		"template":       nil,
		"capabilities":   {"id", "question", "yes"},
		"normalisations": {"id", "because"},
		"comparisons":    {"id", "question", "differs", "a", "b", "before", "right"},
		"dialect":        {"field", "value", "by", "seen"},
		"workarounds":    {"name", "because", "changes", "asks"},
		"self_check":     {"passed", "failed", "rows"},
		"lint":           nil,
	} {
		v, ok := e[member]
		if !ok {
			t.Errorf("%q is missing", member)
		}
		for _, name := range inner {
			if list, ok := v.([]any); ok {
				v = list[0]
			}
			if _, ok := v.(map[string]any)[name]; !ok {
				t.Errorf("%q is missing in %q: %v", name, member, v)
			}
		}
	}
}

// FuzzLearn checks that every source either fails to compile or can be learned.
func FuzzLearn(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		f.Add(archived(f, strings.TrimSuffix(filepath.Base(path), ".txtar")))
	}
	f.Add("{% for m in messages %}{{ m }}{% endfor %}{{ tools }}")
	f.Fuzz(func(t *testing.T, source string) {
		template, err := autoparser.Open("fuzz", source, "<s>", "</s>", autoparser.Options{Limits: jinja.Limits{Steps: 50_000, Memory: 1 << 20, Output: 1 << 16}})
		if err != nil {
			return
		}
		learned, err := autoparser.Learn(context.Background(), template, nil)
		if err != nil {
			return
		}
		if again, err := autoparser.Learn(context.Background(), template, nil); err != nil || again.Explain(context.Background()).String() != learned.Explain(context.Background()).String() {
			t.Errorf("learning twice gives different results: %v", err)
		}
	})
}

// BenchmarkLearn also reports the number of renderings and the cost of learning relative to
// compiling the template, which is meaningful even on a busy machine.
func BenchmarkLearn(b *testing.B) {
	paths, err := filepath.Glob(filepath.Join(shared.Dir(b, "templates"), "*.jinja"))
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(filepath.Base(path), ".jinja"), func(b *testing.B) {
			b.ReportAllocs()
			var compiling, learning time.Duration
			var renderings int64
			for b.Loop() {
				began := time.Now()
				if _, err := jinja.Compile("x", string(source), jinja.Options{}); err != nil {
					b.Fatal(err)
				}
				compiled := time.Now()
				l := learnSource(b, "x", string(source), "<s>", "</s>", nil)
				compiling, learning = compiling+compiled.Sub(began), learning+time.Since(compiled)
				renderings = l.Template.Renderings()
			}
			b.ReportMetric(float64(learning)/float64(compiling), "compilations")
			b.ReportMetric(float64(learning.Milliseconds())/float64(b.N), "ms/learning")
			b.ReportMetric(float64(renderings), "renderings")
		})
	}
}
