package grammar_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/grammar/target"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

func TestEveryNodeHasAGrammar(t *testing.T) {
	for _, c := range []struct {
		name       string
		node       func(b *peg.Builder) peg.ID
		pass, fail []string
	}{
		{"empty", func(b *peg.Builder) peg.ID { return b.Seq(b.Empty(), b.End(), b.Lit("a")) }, []string{"a"}, []string{""}},
		{"choice", func(b *peg.Builder) peg.ID { return b.Choice(b.Lit("a"), b.Lit("b")) }, []string{"a", "b"}, []string{"ab"}},
		{"repeat", func(b *peg.Builder) peg.ID { return b.Repeat(1, 3, b.Lit("ab")) }, []string{"ab", "ababab"}, []string{"", "abababab"}},
		{"any", func(b *peg.Builder) peg.ID { return b.Any() }, []string{"é", "\n"}, []string{"", "ab"}},
		{"chars", func(b *peg.Builder) peg.ID { return b.Chars(2, 3, peg.Range{Lo: 'a', Hi: 'c'}) }, []string{"ab", "abc"}, []string{"a", "ad", "abca"}},
		{"chars outside", func(b *peg.Builder) peg.ID { return b.NotChars(1, -1, peg.Range{Lo: 'a', Hi: 'c'}) }, []string{"dé"}, []string{"", "da"}},
		{"space", func(b *peg.Builder) peg.ID { return b.Space() }, []string{"", " ", "\n", "\n\n\t "}, []string{"\n\n\n", "  ", "x"}},
		{"blanks", func(b *peg.Builder) peg.ID {
			return b.Chars(0, 64, peg.Range{Lo: '\t', Hi: '\r'}, peg.Range{Lo: ' ', Hi: ' '})
		}, []string{"", "\n  "}, []string{"\v"}},
		{"until one", func(b *peg.Builder) peg.ID { return b.Until("</a>") }, []string{"", "x</", "</b>", "<</"}, []string{"</a>", "x</a>", "<</a>"}},
		{"until several", func(b *peg.Builder) peg.ID { return b.Until("ab", "bc", "é") }, []string{"", "ac", "ba", "aab"[:2]}, []string{"ab", "bc", "xé"}},
		{"until one within another", func(b *peg.Builder) peg.ID { return b.Until("abcd", "bc") }, []string{"abd", "acd"}, []string{"abc", "abcd"}},
		{"until and its delimiter", func(b *peg.Builder) peg.ID { return b.Seq(b.Until("```"), b.Lit("```!")) }, []string{"```!", "x``y```!"}, []string{"x````!", "```", "x"}},
		{"until one of two", func(b *peg.Builder) peg.ID { return b.Seq(b.Until("\n</p>", "</p>"), b.Lit("</p>")) }, []string{"x</p>"}, []string{"x\n</p>"}},
		{"rest", func(b *peg.Builder) peg.ID { return b.Rest() }, []string{"", "a\n😀"}, nil},
		{"a JSON value", func(b *peg.Builder) peg.ID { return b.Value(peg.AnyJSON) },
			[]string{`{"a": [1, -2.5e+3, true, null, "\n\"é\u00e9"]}`, "[]", `""`}, []string{"{a: 1}", "True", "'a'", "01", `"` + "\n" + `"`, `[1,]`}},
		{"a Python value", func(b *peg.Builder) peg.ID { return b.Value(peg.AnyPython) },
			[]string{`{'a': True, "b": None}`, `'it\'s "x"'`, "false"}, []string{"TRUE", "'a\"", "'it's'"}},
		{"values of some kinds", func(b *peg.Builder) peg.ID { return b.Value(peg.NumberValue | peg.BoolValue) }, []string{"1", "true"}, []string{"null", `"a"`, "{}"}},
		{"the inside of a string", func(b *peg.Builder) peg.ID { return b.StringContent(`"`) }, []string{"", `a\"b`, "it's"}, []string{`"`, `\x`}},
		{"lookaheads restrict nothing", func(b *peg.Builder) peg.ID { return b.Seq(b.Peek(b.Lit("b")), b.Not(b.Lit("a")), b.Lit("a")) }, []string{"a"}, []string{"b", ""}},
		{"regions", func(b *peg.Builder) peg.ID {
			return b.Tag(peg.Call, b.Atomic(b.Lit("a"), b.Tag(peg.CallID, b.Lit("b"))))
		}, []string{"ab"}, []string{"a"}},
		{"a rule that refers to itself", func(b *peg.Builder) peg.ID {
			return b.Rule("list", b.Seq(b.Lit("("), b.Star(b.Ref("list")), b.Lit(")")))
		}, []string{"()", "(()(()))"}, []string{"", "(()"}},
		{"a rule that is there for tolerance", func(b *peg.Builder) peg.ID {
			missing := b.Rule("~missing", b.Empty())
			return b.Seq(b.Choice(b.Lit("a"), missing), b.Optional(missing, b.Lit("b")), b.Lit("c"))
		}, []string{"ac"}, []string{"c", "abc"}},
		{"rules of similar names", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Rule("a b", b.Plus(b.Lit("x"))), b.Rule("a-b", b.Plus(b.Lit("y"))), b.Rule("root", b.Plus(b.Lit("z"))), b.Rule("é", b.Plus(b.Lit("w"))))
		}, []string{"xyzw"}, []string{"xxyz"}},
		{"a prompt", func(b *peg.Builder) peg.ID { return b.Seq(b.Prompt(), b.Lit("a")) }, []string{"a"}, []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b peg.Builder
			g, _ := build(t, b.Build(c.node(&b)), grammar.Options{Mode: grammar.Strict})
			decides(t, g, c.pass, c.fail)
		})
	}
}

func TestAStrictGrammarCoversWhatMayFollowThePrompt(t *testing.T) {
	var b peg.Builder
	think := b.Optional(b.Lit("<think>"), b.Tag(peg.Reasoning, b.Until("</think>")), b.Lit("</think>"))
	p := b.Build(b.Seq(b.Lit("<a>"), b.Space(), think, b.Space(), b.Tag(peg.Content, b.Until("<|end|>")), b.Optional(b.Lit("<|end|>")), b.End()))
	for _, c := range []struct {
		prompt     string
		pass, fail []string
	}{
		{"<a>", []string{"", "hi", "<think>x</think>hi", "hi<|end|>"}, []string{"hi<|end|>more"}},
		{"<a><thi", []string{"nk>x</think>", "s", ""}, nil},
		{"<a><think>", []string{"x</think>", "\n</think> y<|end|>"}, []string{"", "x", "x</think><|end|>z"}},
		{"<a><think>\nfirst </thi", []string{"nk>hi", "x</think>"}, []string{"", "nk"}},
		{"<a><think>\n\n</think>\n\n", []string{"", "hi", "</think>"}, []string{"<|end|>."}},
		{"<a>\n \n\t\n", []string{"hi", "<think></think>"}, nil},
		{"<a>Well, <|en", []string{"d|>", "x", ""}, []string{"d|>x"}},
	} {
		g, _ := build(t, p, grammar.Options{Mode: grammar.Strict, Prompt: c.prompt})
		t.Run(c.prompt, func(t *testing.T) { decides(t, g, c.pass, c.fail) })
	}
}

func TestThePromptMayEndWithinRepetitionsAndRules(t *testing.T) {
	var b peg.Builder
	list := b.Rule("list", b.Seq(b.Lit("("), b.Repeat(2, 3, b.Choice(b.Lit("ab"), b.Ref("list"))), b.Lit(")")))
	p := b.Build(b.Seq(list, b.Lit("!")))
	for prompt, texts := range map[string][2][]string{
		"(":      {{"abab)!", "ababab)!"}, {"ab)!", "abababab)!"}},
		"(a":     {{"bab)!", "babab)!"}, {"b)!"}},
		"(ab(ab": {{"ab))!", "abab)ab)!"}, {")!", "ab)!"}},
		"(abab)": {{"!"}, {"", "!!"}},
	} {
		g, _ := build(t, p, grammar.Options{Mode: grammar.Strict, Prompt: prompt})
		t.Run(prompt, func(t *testing.T) { decides(t, g, texts[0], texts[1]) })
	}
}

func TestTriggersAreTheFirstWordsOfTriggerRules(t *testing.T) {
	word := func(s string) grammar.Trigger { return grammar.Trigger{Type: grammar.TriggerWord, Value: s} }
	pattern := func(s string) grammar.Trigger { return grammar.Trigger{Type: grammar.TriggerPattern, Value: s} }
	for _, c := range []struct {
		name string
		call func(b *peg.Builder) peg.ID
		want []grammar.Trigger
	}{
		{"a marker", func(b *peg.Builder) peg.ID { return b.Lit("<call>") }, []grammar.Trigger{word("<call>")}},
		{"a marker with the white space that belongs to it", func(b *peg.Builder) peg.ID { return b.Lit("<call>\n") }, []grammar.Trigger{word("<call>\n")}},
		{"white space before the marker", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Space(), b.Optional(b.Lit("\n")), b.Tag(peg.Call, b.Atomic(b.Lit("<call>"))))
		}, []grammar.Trigger{word("<call>")}},
		{"one marker or another", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Choice(b.Lit("<a>"), b.Lit("<b>"), b.Rule("~c", b.Lit("<c>"))), b.Lit("x"))
		}, []grammar.Trigger{word("<a>"), word("<b>")}},
		{"an optional marker", func(b *peg.Builder) peg.ID { return b.Seq(b.Optional(b.Lit("<calls>")), b.Lit("<call>")) },
			[]grammar.Trigger{word("<call>"), word("<calls>")}},
		{"JSON alone", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Lit("{"), b.Space(), b.Lit(`"name"`), b.Space(), b.Lit(":"), b.Space(), b.Value(peg.StringValue))
		}, []grammar.Trigger{pattern(`(\{\s*"name")`)}},
		{"a bracket alone", func(b *peg.Builder) peg.ID { return b.Seq(b.Lit("["), b.Plus(b.Any())) }, []grammar.Trigger{word("[")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b peg.Builder
			p := b.Build(b.Seq(b.Tag(peg.Content, b.Until("<")), b.Trigger("call", c.call(&b)), b.End()))
			_, got := build(t, p, grammar.Options{Mode: grammar.Lazy})
			if !slices.Equal(got.Triggers, c.want) {
				t.Errorf("got %v, want %v", got.Triggers, c.want)
			}
		})
	}
}

func TestGivenTriggersReplaceDerivedOnes(t *testing.T) {
	given := []grammar.Trigger{{Type: grammar.TriggerPattern, Value: "x+"}}
	_, c := build(t, jsonCalls(false), grammar.Options{Mode: grammar.Lazy, Triggers: given})
	if !slices.Equal(c.Triggers, given) || !c.Lazy {
		t.Errorf("got %+v", c)
	}
}

func TestALazyGrammarContinuesAfterTheTrigger(t *testing.T) {
	var b peg.Builder
	call := b.Trigger("call", b.Seq(b.Lit("<c>"), b.Value(peg.NumberValue), b.Lit("</c>")))
	section := b.Seq(b.Lit("<s>"), b.Repeat(1, 3, call), b.Lit("</s>"))
	p := b.Build(b.Seq(b.Tag(peg.Content, b.Until("<s>")), section, b.Optional(b.Lit("."))))
	g, _ := build(t, p, grammar.Options{Mode: grammar.Lazy})
	decides(t, g, []string{"<c>1</c></s>", "<c>1</c><c>2</c><c>3</c></s>."},
		[]string{"<s><c>1</c></s>", "<c>1</c>", "<c>1</c><c>2</c><c>3</c><c>4</c></s>", "x"})
}

func TestFindTrigger(t *testing.T) {
	word, pattern, full := grammar.TriggerWord, grammar.TriggerPattern, grammar.TriggerFull
	for _, c := range []struct {
		name, output string
		triggers     []grammar.Trigger
		start        int
		ok           bool
	}{
		{"none", "abc", nil, 0, false},
		{"a word", "ab<c>d<c>", []grammar.Trigger{{Type: word, Value: "<c>"}}, 2, true},
		{"no word", "ab<c", []grammar.Trigger{{Type: word, Value: "<c>"}}, 0, false},
		{"the first of two words to be complete", "<long> <a>", []grammar.Trigger{{Type: word, Value: "<long> <a"}, {Type: word, Value: "<l"}}, 0, true},
		{"a pattern starts at its match", "say x42", []grammar.Trigger{{Type: pattern, Value: `x\d+`}}, 4, true},
		{"or at its group", "say x42", []grammar.Trigger{{Type: pattern, Value: `x(\d)`}}, 5, true},
		{"or at the first group that matched something", "say x42", []grammar.Trigger{{Type: pattern, Value: `x(y?)(4)`}}, 5, true},
		{"an anchored pattern is the whole output so far", " to=f", []grammar.Trigger{{Type: pattern, Value: `^\s+to$`}}, 0, true},
		{"and not a part of it", "go to", []grammar.Trigger{{Type: pattern, Value: `^\s+to$`}}, 0, false},
		{"a full pattern too", "aab", []grammar.Trigger{{Type: full, Value: `a(a)`}}, 1, true},
		{"a full pattern elsewhere", "xaa", []grammar.Trigger{{Type: full, Value: `aa`}}, 0, false},
		{"a pattern that does not compile", "x", []grammar.Trigger{{Type: pattern, Value: `(`}}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if start, ok := grammar.FindTrigger(c.output, c.triggers); start != c.start || ok != c.ok {
				t.Errorf("got %d %v, want %d %v", start, ok, c.start, c.ok)
			}
		})
	}
}

func TestErrorsOfProgramsWithoutAGrammar(t *testing.T) {
	strict := grammar.Options{Mode: grammar.Strict}
	for _, c := range []struct {
		name    string
		program func(b *peg.Builder) peg.ID
		options grammar.Options
		message string
	}{
		{"a prompt that does not fit", func(b *peg.Builder) peg.ID { return b.Lit("<a>") }, grammar.Options{Mode: grammar.Strict, Prompt: "<b>"},
			`program: it cannot begin with the generation prompt: byte 1 of "<b>"`},
		{"no trigger", func(b *peg.Builder) peg.ID { return b.Lit("a") }, grammar.Options{Mode: grammar.Lazy},
			`program: no trigger rule is reachable, so a lazy grammar has no start; mark the start of a call as a trigger, or request a strict grammar`},
		{"tolerance only", func(b *peg.Builder) peg.ID { return b.Rule("~x", b.Lit("a")) }, strict,
			`program: it matches no text`},
		{"left recursion", func(b *peg.Builder) peg.ID { return b.Rule("a", b.Choice(b.Seq(b.Ref("a"), b.Lit("x")), b.Lit("y"))) }, strict,
			`program: left-recursive rule "a"`},
		{"an undefined rule", func(b *peg.Builder) peg.ID { return b.Ref("a") }, strict,
			`program: node 0: missing child (a rule that is used but never defined?)`},
		{"a literal that is not UTF-8", func(b *peg.Builder) peg.ID { return b.Lit("\xff") }, strict,
			`program: node 0: the literal "\xff" is not UTF-8`},
		{"a delimiter that is not UTF-8", func(b *peg.Builder) peg.ID { return b.Until("\xff") }, strict,
			`program: node 0: the delimiter "\xff" is not UTF-8`},
		{"a schema at fault", func(b *peg.Builder) peg.ID {
			return b.Schema(jsonschema.MustParse(`{"properties": {"a/b": {"type": "text"}}}`), b.Value(peg.AnyJSON))
		}, strict, `program: node 1: schema: #/properties/a~1b/type: unknown type "text": there are object, array, string, number, integer, boolean and null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b peg.Builder
			_, err := grammar.Build(b.Build(c.program(&b)), c.options)
			if err == nil || err.Error() != c.message {
				t.Errorf("\n got %v\nwant %s", err, c.message)
			}
		})
	}
}

func TestANodeThatContainsItselfIsAnError(t *testing.T) {
	p := &peg.Program{Nodes: []peg.Node{{Op: peg.Sequence, Kids: []peg.ID{0}}}}
	if _, err := grammar.Build(p, grammar.Options{Mode: grammar.Strict}); err == nil {
		t.Error("want an error")
	}
	p = &peg.Program{Nodes: []peg.Node{{Op: peg.Sequence, Kids: []peg.ID{7}}}}
	if _, err := grammar.Build(p, grammar.Options{Mode: grammar.Lazy}); err == nil {
		t.Error("want an error")
	}
}

func TestContentFollowsAGrammarOfItsOwn(t *testing.T) {
	var b peg.Builder
	p := b.Build(b.Seq(b.Lit("<think>"), b.Tag(peg.Reasoning, b.Until("</think>")), b.Lit("</think>"), b.Space(), b.Tag(peg.Content, b.Rest()), b.End()))
	const own = "root ::= space root | \"yes\" | \"no\"\nspace ::= \"-\""
	g, _ := build(t, p, grammar.Options{Mode: grammar.Strict, Prompt: "<think>", Content: own})
	decides(t, g, []string{"x</think>yes", "</think>\n--no"}, []string{"yes", "x</think>maybe", "x</think>yes no", "x</think>- yes"})

	for _, o := range []grammar.Options{{Mode: grammar.Lazy, Content: own}, {Mode: grammar.Strict, Content: own}} {
		_, err := grammar.Build(jsonCalls(false), o)
		if err == nil || err.Error() != "a grammar for the content cannot be combined with tool calls; omit one of them" {
			t.Errorf("got %v", err)
		}
	}
	if _, err := grammar.Build(p, grammar.Options{Mode: grammar.Strict, Content: "root"}); err == nil {
		t.Error("want an error")
	}
}

func TestFreeMeansNoConstraint(t *testing.T) {
	if c, err := grammar.Build(&peg.Program{}, grammar.Options{}); c != nil || err != nil {
		t.Errorf("got %v, %v", c, err)
	}
}

func TestBoundsThatEnginesRejectAreRelaxed(t *testing.T) {
	var b peg.Builder
	_, c := build(t, b.Build(b.Chars(3000, 5000, peg.Range{Lo: 'a', Hi: 'z'})), grammar.Options{Mode: grammar.Strict})
	if c.Grammar != "root ::= [a-z]{1999,}\n" || len(c.Notes) != 2 {
		t.Errorf("got %s %q", c.Grammar, c.Notes)
	}
}

// manyTools returns a program for n tools of five parameters.
func manyTools(n int) *peg.Program {
	var b peg.Builder
	var named []peg.ID
	for i := range n {
		schema := fmt.Sprintf(`{"type": "object", "properties": {"path_%d": {"type": "string"}, "line": {"type": "integer", "minimum": 1},
			"mode": {"enum": ["a", "b", "c"]}, "flags": {"type": "array", "items": {"type": "string"}}, "deep": {"type": "boolean"}}, "required": ["path_%d"]}`, i, i)
		named = append(named, b.Rule(fmt.Sprintf("tool-%d", i), b.Seq(
			b.Atomic(b.Tag(peg.CallName, b.Lit(fmt.Sprintf("tool_%d", i))), b.Lit(`", "arguments": `)),
			b.Tag(peg.Arguments, b.Schema(jsonschema.MustParse(schema), b.Value(peg.ObjectValue))))))
	}
	call := b.Tag(peg.Call, b.Lit("<tool_call>"), b.Space(), b.Lit(`{"name": "`), b.Choice(named...), b.Lit("}"), b.Lit("</tool_call>"))
	return turn(&b, call, "<tool_call>", false)
}

func TestTheSizeOfAGrammarGrowsLinearly(t *testing.T) {
	size := func(n int) int {
		_, c := build(t, manyTools(n), grammar.Options{Mode: grammar.Lazy})
		return len(c.Grammar)
	}
	ten, twenty, forty := size(10), size(20), size(40)
	if first, second := twenty-ten, forty-twenty; second > first*22/10 {
		t.Errorf("10 tools: %d bytes, 20: %d, 40: %d", ten, twenty, forty)
	}
	object := func(n int) int {
		var props []string
		for i := range n {
			props = append(props, fmt.Sprintf(`"p%02d": {"type": "integer"}`, i))
		}
		c, err := grammar.FromSchema(jsonschema.MustParse(`{"properties": {` + strings.Join(props, ",") + `}, "additionalProperties": true}`))
		if err != nil {
			t.Fatal(err)
		}
		return len(c.Grammar)
	}
	ten, twenty, forty = object(10), object(20), object(40)
	if first, second := twenty-ten, forty-twenty; second > first*22/10 {
		t.Errorf("10 properties: %d bytes, 20: %d, 40: %d", ten, twenty, forty)
	}
}

// BenchmarkCold20x5 builds the constraint for 20 tools of five parameters for each target, and
// reports its size.
func BenchmarkCold20x5(b *testing.B) {
	p := manyTools(20)
	for _, l := range target.All() {
		if l.Target == grammar.TargetJSONSchema {
			continue
		}
		b.Run(string(l.Target), func(b *testing.B) {
			size := 0
			for b.Loop() {
				c, err := grammar.Build(p, grammar.Options{Mode: grammar.Lazy, Target: l.Target})
				if err != nil {
					b.Fatal(err)
				}
				if size = len(c.Content); c.Target == "" {
					size = len(c.Grammar)
				}
			}
			b.ReportMetric(float64(size)/20, "B/tool")
			b.ReportMetric(float64(size)/100, "B/parameter")
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	g, _ := build(b, manyTools(20), grammar.Options{Mode: grammar.Lazy})
	text := `<tool_call>{"name": "tool_7", "arguments": {"path_7": "` + strings.Repeat("x", 10_000) + `"}}</tool_call>`
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if r := g.Match(text); r.Status != grammar.Accepted {
			b.Fatal(r)
		}
	}
}
