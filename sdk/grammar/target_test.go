package grammar_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/grammar/target"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

func TestALazyConstraintInOneGrammarBeginsWithFreeText(t *testing.T) {
	c := grammar.Constraint{Grammar: "root ::= \"<c>\" [0-9] root?\n", Lazy: true, Triggers: []grammar.Trigger{{Type: grammar.TriggerWord, Value: "<c>"}}}
	decides(t, mustParse(t, in(t, &c, grammar.TargetEBNF)), []string{"", "a <c", "a <<c>1", "<c>1<c>2"}, []string{"<c>", "<c>1 a", "a<c>x"})
}

// in returns a constraint in the notation of a target, in which nothing may be lost.
func in(t *testing.T, c *grammar.Constraint, target grammar.Target) string {
	t.Helper()
	content, lost, err := c.In(target)
	if err != nil || len(lost) > 0 {
		t.Fatalf("%v: lost %q, %v", target, lost, err)
	}
	return content
}

func TestAStrictConstraintIsTheSameInOtherNotations(t *testing.T) {
	c := grammar.Constraint{Grammar: "root ::= . [^a] x\nx ::= [\\x2D-z]*\n"}
	ebnf := in(t, &c, grammar.TargetEBNF)
	if want := "root ::= [^\\u0000] [^a] x\nx ::= [\\u002D-z]*\n"; ebnf != want {
		t.Errorf("got %q", ebnf)
	}
	tag := in(t, &c, grammar.TargetStructuralTag)
	want, _ := json.Marshal(map[string]any{"type": "structural_tag", "format": map[string]any{"type": "grammar", "grammar": ebnf}})
	if !sameJSON(t, []byte(tag), want) {
		t.Errorf("got %s", tag)
	}
}

// xgrammar reads all hexadecimal digits after \x: [\x2D0-9] would begin with U+02D0.
func TestCharacterCodesEndBeforeDigitsForXGrammar(t *testing.T) {
	c := grammar.Constraint{Grammar: "root ::= [\\x2D0-9] \"\\x01a\"\n"}
	if got, want := in(t, &c, grammar.TargetEBNF), "root ::= [\\u002D0-9] \"\\u0001a\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCharactersBeyondASCIIAreSpelledForXGrammar(t *testing.T) {
	c := grammar.Constraint{Grammar: "root ::= [a-cà-ã] [^<｜] [α-ω]+ [一-龥]\n"}
	ebnf, lost, err := c.In(grammar.TargetEBNF)
	if err != nil {
		t.Fatal(err)
	}
	want := "root ::= ([a-c] | \"à\" | \"á\" | \"â\" | \"ã\") [^<] (" + spelled("αβγδεζηθικλμνξοπρςστυφχψω") + ")+ [^\\u0000-\\u007F]\n"
	if ebnf != want {
		t.Errorf(" got %s\nwant %s", ebnf, want)
	}
	if want := []string{"characters beyond ASCII are not distinguished in [^<｜]", "characters beyond ASCII are not distinguished in [一-龥]"}; !slices.Equal(lost, want) {
		t.Errorf("lost %q", lost)
	}
}

// spelled returns the characters of s as literals.
func spelled(s string) string {
	var out []string
	for _, r := range s {
		out = append(out, strconv.Quote(string(r)))
	}
	return strings.Join(out, " | ")
}

func TestTargetsAreNamed(t *testing.T) {
	for _, l := range target.All() {
		if got, err := target.Parse(string(l.Target)); err != nil || got != l.Target || l.Repetitions == 0 || l.Source == "" {
			t.Errorf("%+v: %v, %v", l, got, err)
		}
	}
	if got, err := target.Parse(""); got != grammar.TargetGBNF || err != nil {
		t.Errorf("without a name: %v, %v", got, err)
	}
	_, err := target.Parse("regex")
	if want := `unknown target "regex": expected one of gbnf, structural_tag, ebnf, lark, json_schema`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestBuildGivesTheConstraintInTheNotationOfItsTarget(t *testing.T) {
	for _, l := range target.All() {
		c, err := grammar.Build(jsonCalls(false), grammar.Options{Mode: grammar.Lazy, Target: l.Target})
		switch {
		case l.Target == grammar.TargetJSONSchema:
			if err == nil {
				t.Error("a grammar was written as a schema")
			}
		case err != nil:
			t.Errorf("%s: %v", l.Target, err)
		case l.Target == grammar.TargetGBNF:
			if c.Content != "" || c.Target != "" {
				t.Errorf("GBNF is said twice: %+v", c)
			}
		case c.Target != l.Target || c.Content == "" || c.Grammar == "":
			t.Errorf("%s: %+v", l.Target, c)
		}
	}
}

func TestBoundsAreRelaxedAsFarAsTheEngineNeeds(t *testing.T) {
	var b peg.Builder
	p := b.Build(b.Chars(0, 5000, peg.Range{Lo: 'a', Hi: 'z'}))
	for target, notes := range map[grammar.Target][]string{
		grammar.TargetGBNF: {"at most 5000 repetitions cannot be enforced: the limit of llama.cpp is 1999"},
		grammar.TargetEBNF: nil,
	} {
		c, err := grammar.Build(p, grammar.Options{Mode: grammar.Strict, Target: target})
		if target == grammar.TargetEBNF && err == nil && c.Content != "root ::= [a-z]{0,5000}\n" || !slices.Equal(c.Notes, notes) || err != nil {
			t.Errorf("%s: %+v, %v", target, c, err)
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}

func TestATriggerWordBeginsATag(t *testing.T) {
	words := func(words ...string) (out []grammar.Trigger) {
		for _, w := range words {
			out = append(out, grammar.Trigger{Type: grammar.TriggerWord, Value: w})
		}
		return out
	}
	c := grammar.Constraint{Grammar: "root ::= (\"<call>\" | \"<f=\" root) \"1\"\n", Lazy: true, Triggers: words("<call>", "<f=", "<f=x")}
	tag := []byte(in(t, &c, grammar.TargetStructuralTag))
	want := `{"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<call>", "<f="], "stop_after_first": true, "tags": [
		{"type": "tag", "begin": "<call>", "content": {"type": "grammar", "grammar": "root ::= \"1\"\n"}, "end": ""},
		{"type": "tag", "begin": "<f=", "content": {"type": "grammar", "grammar": "root ::= constrained \"1\"\nconstrained ::= (\"<call>\" | \"<f=\" constrained) \"1\"\n"}, "end": ""}]}}`
	if !sameJSON(t, tag, []byte(want)) {
		t.Errorf("got  %s\nwant %s", tag, want)
	}
	for message, triggers := range map[string][]grammar.Trigger{
		`trigger "x+": the engine does not support patterns as triggers; request a strict grammar`: {{Type: grammar.TriggerPattern, Value: "x+"}},
		`trigger "y": no text of the grammar begins with it: byte 0 cannot follow`:                 words("y"),
	} {
		c.Triggers = triggers
		if _, _, err := c.In(grammar.TargetStructuralTag); err == nil || err.Error() != message {
			t.Errorf("got %v, want %s", err, message)
		}
	}
}

func TestATriggerPatternBeginsATagForEachOfItsTexts(t *testing.T) {
	c := grammar.Constraint{Grammar: "root ::= \"{\" (\"\" | \" \") (\"\\\"name\\\"\" | \"\\\"n\\\"\") \"}\"\n", Lazy: true,
		Triggers: []grammar.Trigger{{Type: grammar.TriggerPattern, Value: `(\{\s*(?:"name"|"n"))`}}}
	tag, lost, err := c.In(grammar.TargetStructuralTag)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Format struct{ Triggers []string } }
	if err := json.Unmarshal([]byte(tag), &got); err != nil {
		t.Fatal(err)
	}
	if want := []string{`{ "n"`, `{ "name"`, `{"n"`, `{"name"`}; !slices.Equal(got.Format.Triggers, want) || len(lost) != 1 {
		t.Errorf("got %q, lost %q", got.Format.Triggers, lost)
	}
}

// TestXGrammarDecidesAsMatchDoes runs xgrammar itself, from the folder in the variable JUDGES.
func TestXGrammarDecidesAsMatchDoes(t *testing.T) {
	if os.Getenv("JUDGES") == "" {
		t.Skip("run make judge, which installs xgrammar")
	}
	var input bytes.Buffer
	random := rand.New(rand.NewPCG(9, 9))
	for _, p := range programs {
		for _, mode := range []grammar.Mode{grammar.Strict, grammar.Lazy} {
			g, c := build(t, p.make(mode == grammar.Strict), grammar.Options{Mode: mode, Prompt: prompt})
			writeCases(t, &input, p.name, g, c, random)
		}
	}
	for _, schema := range []string{
		`{"properties": {"h": {"format": "hostname"}, "m": {"format": "email"}, "p": {"pattern": "^[\\x01\\x1fa-f-]{2}$"}}, "additionalProperties": {"type": "number", "minimum": -0.05}}`,
		`{"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": {"enum": [{"a": [1, null]}, "-"]}, "minProperties": 1}`,
		`{"prefixItems": [{"type": "null"}, {"pattern": "(^a|b$)"}], "minItems": 1, "maxItems": 4, "items": {"$ref": "#"}}`,
	} {
		var b peg.Builder
		g, c := build(t, b.Build(b.Schema(jsonschema.MustParse(schema), b.Value(peg.AnyJSON))), grammar.Options{Mode: grammar.Strict})
		writeCases(t, &input, schema, g, c, random)
	}
	cmd := exec.Command("node", "testdata/xgrammar.cjs", xgrammar(t))
	cmd.Stdin = &input
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, &stderr)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, ": accepts ") || strings.Contains(line, ": refuses ") {
			t.Error(strings.TrimSpace(line))
		}
	}
	t.Logf("%s", out[max(0, len(out)-20):])
}

// writeCases samples texts of g, some with one character changed, and writes them for each notation
// of c, except those that lost parts of the constraint affect.
func writeCases(t *testing.T, out *bytes.Buffer, name string, g *grammar.Grammar, c *grammar.Constraint, random *rand.Rand) {
	t.Helper()
	before := ""
	if c.Lazy {
		before = "Well. "
	}
	var pass, fail []string
	for s := g.Sampler(random); len(pass) < 40; {
		text, _ := s.Text(200)
		for _, text := range []string{before + text, before + corrupted(text, random)} {
			if strings.Contains(text, "\x00") || !utf8.ValidString(text) {
				continue
			}
			start, fires := grammar.FindTrigger(text, c.Triggers)
			if c.Lazy && !fires || g.Match(text[start:]).Status == grammar.Accepted {
				pass = append(pass, text)
			} else {
				fail = append(fail, text)
			}
		}
	}
	ebnf, lost, err := c.In(grammar.TargetEBNF)
	if err != nil {
		t.Fatal(err)
	}
	tag, _, err := c.In(grammar.TargetStructuralTag)
	if err != nil {
		t.Fatal(err)
	}
	e := json.NewEncoder(out)
	for _, notation := range []map[string]any{{"ebnf": ebnf}, {"tag": tag}} {
		notation["name"], notation["pass"] = name, pass
		if len(lost) == 0 {
			notation["fail"] = fail
		}
		if err := e.Encode(notation); err != nil {
			t.Fatal(err)
		}
	}
}

// xgrammar returns the path of a copy of the package's code, which claims to be an ES module and is
// not.
func xgrammar(t *testing.T) string {
	t.Helper()
	code, err := os.ReadFile(filepath.Join(os.Getenv("JUDGES"), "node_modules/@mlc-ai/web-xgrammar/lib/index.js"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "xgrammar.cjs")
	if err := os.WriteFile(path, code, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
