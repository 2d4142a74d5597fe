package workaround

import (
	"strings"
	"testing"
)

func TestPredicates(t *testing.T) {
	f := Facts{Source: "line one\n<tool_call>{}</tool_call>", Name: "acme-7b.jinja"}
	f.Dialect.Tools.Format = "json_native"
	f.Dialect.Stop = []string{"</s>"}
	f.Capabilities.EnableThinking = true
	for source, want := range map[string]bool{
		`true`: true,
		`source contains "<tool_call>" and not (source contains "<think>")`: true,
		`source matches "(?s)one.*</tool_call>"`:                            true,
		`source matches "^two"`:                                             false,
		`name startsWith "acme-" && name endsWith ".jinja"`:                 true,
		`dialect.tools.format in ["json_native", "none"]`:                   true,
		`dialect.tools.format == "none" or capabilities.enable_thinking`:    true,
		`"</s>" in dialect.stop`:                                            true,
		`dialect.tools.json.array_wrapped`:                                  false,
	} {
		p, err := CompilePredicate(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got, err := p.Match(f); got != want || err != nil {
			t.Errorf("%s: expected %v, found %v, %v", source, want, got, err)
		}
	}
}

func TestPredicatesThatAreRefused(t *testing.T) {
	for source, want := range map[string]string{
		"":                                    `1:1: empty expression`,
		strings.Repeat("(", MaxPredicate+1):   `1:1: the expression has 4097 bytes; at most 4096 are allowed`,
		`source`:                              `1:1: expected bool, but got string`,
		`sourc contains "x"`:                  `1:1: unknown name sourc`,
		`dialect.reasoning.moode == ""`:       `1:19: unknown field moode`,
		`capabilities.thinks`:                 `1:14: unknown field thinks`,
		`source matches name`:                 `the right side of matches must be a string literal`,
		`source matches "("`:                  `missing closing )`,
		`len(source) > 1`:                     `1:1: functions are not allowed in predicates`,
		`all(1..9, # > 0)`:                    `1:6: ranges are not allowed in predicates`,
		`1 in 1..1000000000`:                  `ranges are not allowed in predicates`,
		"let x = source;\nx contains \"a\"":   `variables are not allowed in predicates`,
		"source contains \"a\" and\n  foo(1)": `2:3: functions are not allowed in predicates`,
		`source | upper() == ""`:              `functions are not allowed in predicates`,
	} {
		_, err := CompilePredicate(source)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: expected %q, found %v", source, want, err)
		}
	}
}

func TestDeepNestingDoesNotExhaustTheStack(t *testing.T) {
	for _, source := range []string{
		strings.Repeat("!", MaxPredicate-4) + "true",
		strings.Repeat("(", MaxPredicate/2-2) + "true" + strings.Repeat(")", MaxPredicate/2-2),
		strings.Repeat("[", MaxPredicate/2) + strings.Repeat("]", MaxPredicate/2),
	} {
		p, err := CompilePredicate(source)
		if err != nil {
			continue // refusing it is as good
		}
		if _, err := p.Match(Facts{}); err != nil {
			t.Errorf("%.20s…: %v", source, err)
		}
	}
}

func TestTheZeroPredicateNeverHolds(t *testing.T) {
	for _, p := range []*Predicate{nil, {}} {
		if holds, err := p.Match(Facts{Source: "x"}); holds || err != nil {
			t.Error(holds, err)
		}
	}
}

func FuzzCompilePredicate(f *testing.F) {
	for _, seed := range []string{`source contains "x"`, `let a = 1; a`, `source matches "a*"`, `{"a": 1}.a`, `dialect?.tools`, `name[1:2] == ""`} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, source string) {
		if p, err := CompilePredicate(source); err == nil {
			_, _ = p.Match(Facts{Source: "abc", Name: "n"})
		}
	})
}
