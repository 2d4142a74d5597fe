package workaround

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rule returns a file with a rule that is complete except for the given lines.
func rule(lines ...string) string {
	return "version: 1\nworkarounds:\n  - name: a\n    because: b\n    when: 'true'\n    " + strings.Join(lines, "\n    ") + "\n"
}

func TestEveryFaultIsReportedWithItsPlace(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{"empty file", "", `1:1: the file is empty; expected "version: 1" and "workarounds:"; write "workarounds: []" for no rules`},
		{"comments alone", "# nothing\n", `1:1: the file is empty; expected "version: 1" and "workarounds:"; write "workarounds: []" for no rules`},
		{"null document", "---\n", `1:1: the file is empty; expected "version: 1" and "workarounds:"; write "workarounds: []" for no rules`},
		{"no YAML", "version: 1\nworkarounds: [\n", `2:1: invalid YAML: did not find expected node content`},
		{"tab", "version: 1\nworkarounds:\n\t- a\n", `3:1: invalid YAML: found character that cannot start any token`},
		{"a list", "- a\n", `1:1: the file: expected a mapping, found a list`},
		{"no version", "workarounds: []\n", `1:1: missing version; expected "version: 1"`},
		{"other version", "version: 2\nworkarounds: []\n", `1:10: unknown version 2; expected 1`},
		{"two documents", "version: 1\nworkarounds: []\n---\na: b\n", `3:1: second document; put all rules into one`},
		{"unknown key", "version: 1\nrules: []\n", `2:1: the file: unknown key "rules"; expected one of version, workarounds`},
		{"unknown key of a rule", rule("stop: [x]", "sett: {}"), `7:5: a rule: unknown key "sett"; expected one of because, name, preserve, request, seen-in, set, stop, trim, vouch, when`},
		{"a key twice", rule("stop: [x]", "stop: [y]"), `7:5: a rule: duplicate key "stop"; remove one`},
		{"unknown field", rule("set: {tools: {function: {prefix: x}}}"), `6:30: set.tools.function: unknown key "prefix"; expected one of close, name_prefix, name_suffix`},
		{"unknown mode", rule("set: {reasoning: {mode: always}}"), `6:29: reasoning.mode: expected one of none, tag_based, tools_only, found "always"`},
		{"wrong type of a text", rule("set: {user_start: 1}"), `6:23: user_start: expected a string, found "1" (quote it to make it a string)`},
		{"wrong type of a truth", rule("set: {tools: {json: {array_wrapped: 'yes'}}}"), `6:41: tools.json.array_wrapped: expected true or false, found "yes" (quote it to make it a string)`},
		{"a field that is no mapping", rule("set: {tools: x}"), `6:18: set.tools: expected a mapping, found "x" (quote it to make it a string)`},
		{"null", rule("set: {user_start: }"), `6:23: user_start: expected a string, found nothing`},
		{"an alias", rule("set: &s {user_start: x}", "stop: *s"), `7:11: a rule: "stop" is an alias; write the value itself`},
		{"no list", rule("stop: x"), `6:11: stop: expected a list, found "x" (quote it to make it a string)`},
		{"empty item", rule("stop: ['']"), `6:12: stop: expected a non-empty string, found an empty one`},
		{"trim of no text", rule("trim: [reasoning.start, reasoning.mode]"), `6:29: trim: unknown string field "reasoning.mode"`},
		{"unknown normalisation", rule("request: [shout]"), `6:15: request: expected one of trim-content, developer-role, no-system-role, no-null-content, object-arguments, joined-content, null-content, tool-parameters, found "shout"`},
		{"does nothing", rule("seen-in: [x]"), `3:5: rule "a" has no effect; expected set, trim, preserve, stop, request or vouch`},
		{"bad name", "version: 1\nworkarounds:\n  - {name: A b, because: b, when: 'true', stop: [x]}\n", `3:12: invalid name "A b"; expected lower-case letters and digits in parts separated by "-", "_" or "."`},
		{"no reason", "version: 1\nworkarounds:\n  - {name: a, when: 'true', stop: [x]}\n", `3:5: rule "a": missing "because"; expected the reason, so that others can tell whether it still holds`},
		{"expression", "version: 1\nworkarounds:\n  - name: a\n    because: b\n    when: source contain \"x\"\n    stop: [x]\n", `5:18: when: unexpected token Identifier("contain")`},
		{"expression in quotes", "version: 1\nworkarounds:\n  - {name: a, because: b, when: 'source == 1', stop: [x]}\n", `3:41: when: invalid operation: == (mismatched types string and int)`},
		{"expression of several lines", "version: 1\nworkarounds:\n  - name: a\n    because: b\n    when: |\n      source contains \"x\" and\n      dialect.tool.format == \"none\"\n    stop: [x]\n", `7:9: when: unknown field tool`},
		{"two rules of one name", "version: 1\nworkarounds:\n  - {name: a, because: b, when: 'true', stop: [x]}\n  - {name: a, because: b, when: 'true', stop: [x]}\n", `4:1: duplicate rule name "a", first used in line 3; rename one of the rules`},
		{"several at once", rule("sett: {}", "stop: 1"), "6:5: a rule: unknown key \"sett\"; expected one of because, name, preserve, request, seen-in, set, stop, trim, vouch, when\nrules.yaml:7:11: stop: expected a list, found \"1\" (quote it to make it a string)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set, err := Parse("rules.yaml", []byte(test.text))
			if err == nil || set != nil {
				t.Fatalf("expected a fault alone, found %v and %v", set, err)
			}
			if diff := cmp.Diff("rules.yaml:"+test.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnEmptyListOfRulesIsASet(t *testing.T) {
	if s := parsed(t, "version: 1\nworkarounds: []\n"); len(s.Rules()) != 0 {
		t.Error(s.Rules())
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(rule("stop: *a")))
	f.Add([]byte("version: 1\nworkarounds:\n  - &a {name: a, set: {<<: *a}}\n"))
	f.Add([]byte("{version: 1, workarounds: [[]]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := Parse("f", data)
		if (set == nil) == (err == nil) {
			t.Fatal(set, err)
		}
		set.Apply(Facts{Source: "x"})
	})
}
