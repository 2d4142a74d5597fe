package peg_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// sentence builds a program that uses every kind of node.
func sentence(b *peg.Builder) peg.ID {
	value := b.Ref("value")
	list := b.Seq(b.Lit("["), b.Star(value, b.Space()), b.Lit("]"))
	b.Rule("value", b.Choice(list, b.Schema(jsonschema.MustParse(`{"type":"integer"}`), b.Tag(peg.Scalar, b.Value(peg.NumberValue))),
		b.Seq(b.Lit(`"`), b.RawSchema(jsonschema.MustParse(`{}`), b.Tag(peg.QuotedString, b.StringContent(`"`))), b.Lit(`"`))))
	name := b.Tag(peg.CallName, b.Chars(1, 8, peg.Range{Lo: 'a', Hi: 'z'}, peg.Range{Lo: '-', Hi: '-'}))
	key := b.Atomic(b.Tag(peg.Key, b.NotChars(1, -1, peg.Range{Lo: '=', Hi: '='})), b.Lit("="))
	call := b.Tag(peg.Call, b.Atomic(b.Lit("<"), b.Not(b.Lit("/")), name, b.Peek(b.Any()), b.Any()), b.Star(key, value), b.Empty(), b.Lit(">"))
	return b.Seq(b.Prompt("<"), b.Tag(peg.Content, b.Until("<")), b.Repeat(1, 3, b.Trigger("call", call)),
		b.Optional(b.Tag(peg.Reasoning, b.Plus(b.Lit("hm")))), b.End())
}

func build(f func(*peg.Builder) peg.ID) *peg.Program {
	var b peg.Builder
	return b.Build(f(&b))
}

func TestProgramsPrintAsGrammars(t *testing.T) {
	const want = `program <- prompt("<") content(until("<")) call{1,3} reasoning("hm"+)? end
trigger call <-
    call(
        atomic("<" !"/" call-name([a-z\-]{1,8}) &. .)
        (atomic(key([^=]+) "=") value)*
        empty
        ">"
    )
value <-
    (
        "[" (value space)* "]"
        / schema({"type":"integer"}, scalar(value(number)))
        / ` + "`\"` raw-schema({}, quoted-string(string(`\"`))) `\"`" + `
    )
`
	if got := build(sentence).String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPrintingNamesWhatIsSharedOrBroken(t *testing.T) {
	shared := build(func(b *peg.Builder) peg.ID {
		part := b.Choice(b.Lit(strings.Repeat("a", 20)), b.Lit(strings.Repeat("b", 30)))
		return b.Seq(part, b.Lit("-"), part)
	})
	two := build(func(b *peg.Builder) peg.ID {
		return b.Seq(b.Trigger("call", b.Lit("a")), b.Trigger("call", b.Lit("b")), b.Ref("nothing"))
	})
	for _, test := range []struct {
		program *peg.Program
		want    string
	}{
		{shared, "program <- node-2 \"-\" node-2\nnode-2 <- (\"aaaaaaaaaaaaaaaaaaaa\" / \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\")\n"},
		{two, "program <- call call-3 nothing\ntrigger call <- \"a\"\ntrigger call-3 <- \"b\"\nnothing is not defined\n"},
		{&peg.Program{}, "program <- node-0?\n"},
		{&peg.Program{Nodes: []peg.Node{{Op: peg.Sequence, Kids: []peg.ID{0, 7, -1}}}}, "program <- node-0 node-7? node--1?\n"},
	} {
		if got := test.program.String(); got != test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
}

func TestProgramsSurviveJSON(t *testing.T) {
	p := build(sentence)
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back peg.Program
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*p, back) {
		t.Errorf("got\n%s\nwant\n%s", back.String(), p)
	}
	for _, part := range []string{`{"op":"literal","text":"["}`, `"role":"call-name"`, `"values":"number"`} {
		if !strings.Contains(string(data), part) {
			t.Errorf("no %s in %s", part, data)
		}
	}
}

func TestDecodingRefusesUnknownNames(t *testing.T) {
	for text, want := range map[string]string{
		`{"nodes":[{"op":"sing"}]}`:                      `unknown kind of node "sing"`,
		`{"nodes":[{"op":"tag","role":"title"}]}`:        `unknown role "title"`,
		`{"nodes":[{"op":"value","values":"number|x"}]}`: `unknown kind of value "x"`,
	} {
		var p peg.Program
		if err := json.Unmarshal([]byte(text), &p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := json.Marshal(peg.Node{Op: 99}); err == nil {
		t.Error("an unknown kind was encoded")
	}
	if _, err := json.Marshal(peg.Node{Values: 1 << 12}); err == nil {
		t.Error("an unknown kind of value was encoded")
	}
}

func TestBindReplacesPrompts(t *testing.T) {
	p := build(func(b *peg.Builder) peg.ID { return b.Seq(b.Prompt("<think>", "<x>"), b.End()) })
	for prompt, want := range map[string]string{
		"": "program <- empty end\n", "<think>\n": "program <- empty end\n", "hi": "program <- \"hi\" end\n",
		"hi<x><think>": "program <- \"hi\" end\n",
	} {
		if got := p.Bind(prompt).String(); got != want {
			t.Errorf("%q: %s, want %s", prompt, got, want)
		}
	}
	if !strings.Contains(p.String(), "prompt(") {
		t.Error("the program itself was bound")
	}
}

func TestAProgramOfEveryKindIsValid(t *testing.T) {
	if err := build(sentence).Bind("").Validate(); err != nil {
		t.Error(err)
	}
}

// TestDefects validates programs with one thing wrong each.
func TestDefects(t *testing.T) {
	for _, test := range []struct {
		name    string
		program func(*peg.Builder) peg.ID
		want    string
	}{
		{"a root that is not there", func(*peg.Builder) peg.ID { return 3 },
			"node 3: the root is not among the 0 nodes: set the root to a node"},
		{"a child that is not there", func(b *peg.Builder) peg.ID { return b.Seq(b.End(), 9) },
			"node 1, end node-9?: refers to node 9 of 2: refer to existing nodes"},
		{"a rule without a body", func(b *peg.Builder) peg.ID { return b.Seq(b.Ref("x"), b.End()) },
			`node 0, rule: rule "x" is used but not defined: define it with Builder.Rule`},
		{"an unbound prompt", func(b *peg.Builder) peg.ID { return b.Seq(b.Prompt(), b.End()) },
			"node 0, prompt(): the generation prompt is not bound: bind it first, with Program.Bind"},
		{"a choice of nothing", func(b *peg.Builder) peg.ID { return b.Seq(b.Choice(nil...), b.End()) },
			"node 0, choice: a choice without alternatives: add one"},
		{"an empty delimiter", func(b *peg.Builder) peg.ID { return b.Seq(b.Until("a", ""), b.End()) },
			`node 0, until("a", ""): an empty delimiter: remove it`},
		{"a quote of two bytes", func(b *peg.Builder) peg.ID { return b.Seq(b.StringContent("''"), b.End()) },
			`node 0, string("''"): the quote is "''": use one byte other than a backslash`},
		{"a value of no kind", func(b *peg.Builder) peg.ID { return b.Seq(b.Value(peg.PythonQuotes), b.End()) },
			"node 0, value(python-quotes): accepts no kind of value: name existing kinds of values"},
		{"bounds in the wrong order", func(b *peg.Builder) peg.ID { return b.Seq(b.Repeat(2, 1, b.Lit("a")), b.End()) },
			`node 1, "a"{2,1}: the bounds 2 and 1: order them`},
		{"too many repetitions", func(b *peg.Builder) peg.ID { return b.Seq(b.Repeat(0, 1000, b.Lit("a")), b.End()) },
			`node 1, "a"{0,1000}: repeats up to 1000 times, at most 256 are allowed: count with Chars, or leave the repetition without bound`},
		{"an empty range", func(b *peg.Builder) peg.ID { return b.Seq(b.Chars(1, 1, peg.Range{Lo: 'b', Hi: 'a'}), b.End()) },
			"node 0, [b-a]: the range 0x62 to 0x61 is empty: order its ends"},
		{"left recursion", func(b *peg.Builder) peg.ID {
			x := b.Ref("x")
			b.Rule("x", b.Choice(b.Seq(b.Space(), x, b.Lit("a")), b.Lit("b")))
			return b.Seq(x, b.End())
		}, `node 0, (space x "a" / "b"): left recursion: consume something before coming back`},
		{"repetition of nothing", func(b *peg.Builder) peg.ID { return b.Seq(b.Star(b.Space()), b.End()) },
			"node 1, space*: repeats without bound what can be empty: repeat something that cannot be empty"},
		{"no end", func(b *peg.Builder) peg.ID { return b.Choice(b.Seq(b.Lit("a"), b.End()), b.Lit("b")) },
			`node 4, ("a" end / "b"): the program can match without reaching the end of the input: end it in an end node`},
		{"the rest in a lookahead", func(b *peg.Builder) peg.ID { return b.Seq(b.Peek(b.Rest()), b.End()) },
			"node 0, rest: takes the rest of the output within an atomic region or a lookahead: bound it by a delimiter"},
		{"the rest as a name", func(b *peg.Builder) peg.ID { return b.Tag(peg.Call, b.Tag(peg.CallName, b.Rest())) },
			"node 0, rest: takes the rest of the output within an atomic region or a lookahead: bound it by a delimiter"},
		{"a call within a call", func(b *peg.Builder) peg.ID {
			name := b.Tag(peg.CallName, b.Lit("f"))
			return b.Seq(b.Tag(peg.Call, name, b.Tag(peg.Call, name)), b.End())
		}, `node 2, call(call-name("f")): a call within a call: end the first before the next begins`},
		{"content within a call", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Tag(peg.Call, b.Tag(peg.CallName, b.Lit("f")), b.Tag(peg.Content, b.Lit("a"))), b.End())
		}, `node 3, content("a"): content within a call: end the call first`},
		{"a key outside of calls", func(b *peg.Builder) peg.ID { return b.Seq(b.Tag(peg.Key, b.Lit("a")), b.End()) },
			`node 1, key("a"): key outside of a call: put it into a call`},
		{"reasoning within content", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Tag(peg.Content, b.Tag(peg.Reasoning, b.Lit("a"))), b.End())
		}, `node 1, reasoning("a"): reasoning within text of another role: let it stand alone`},
		{"an argument within an id", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Tag(peg.Call, b.Tag(peg.CallID, b.Tag(peg.CallName, b.Lit("f")), b.Tag(peg.Key, b.Lit("a")))), b.End())
		}, `node 3, key("a"): key within text of another role: let it stand alone`},
		{"too much to be shown", func(b *peg.Builder) peg.ID { return b.Seq(b.Tag(peg.Key, b.Lit(strings.Repeat("é", 99))), b.End()) },
			`node 1, key( "` + strings.Repeat("é", 53) + "…: key outside of a call: put it into a call"},
		{"a call without a name", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Tag(peg.Call, b.Optional(b.Tag(peg.CallName, b.Lit("f")))), b.End())
		}, `node 3, call(call-name("f")?): a call without a name: tag a name in every alternative`},
		{"arguments before the name", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Tag(peg.Call, b.Tag(peg.Arguments, b.Value(peg.ObjectValue)), b.Tag(peg.CallName, b.Lit("f"))), b.End())
		}, "node 1, arguments(value(object)): arguments that can come before the name of their call: make the call atomic"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := build(test.program).Validate()
			if err == nil || err.Error() != test.want {
				t.Errorf("got\n%v\nwant\n%v", err, test.want)
			}
		})
	}
}

// TestLookaheadsMayHoldTags looks for the header of a call, tags included, within text of another role.
func TestLookaheadsMayHoldTags(t *testing.T) {
	p := build(func(b *peg.Builder) peg.ID {
		header := b.Atomic(b.Lit("["), b.Tag(peg.CallName, b.Lit("f")), b.Lit("]"))
		text := b.Tag(peg.Content, b.Star(b.Not(header), b.Any()), b.Optional(b.Peek(b.Tag(peg.Key, b.Lit("[")))))
		return b.Seq(text, b.Optional(b.Tag(peg.Call, header)), b.End())
	})
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

// TestBrokenNodes validates nodes that a Builder cannot build.
func TestBrokenNodes(t *testing.T) {
	for _, test := range []struct {
		node peg.Node
		want string
	}{
		{peg.Node{Op: 99}, "99: kind 99 is unknown: use an existing kind"},
		{peg.Node{Op: peg.Literal}, `"": a literal without text: use an empty node`},
		{peg.Node{Op: peg.Any, Kids: []peg.ID{0}}, "end: has kids, which its kind does not use: leave them out"},
		{peg.Node{Op: peg.Atomic}, "atomic: 0 kids: give it exactly one"},
		{peg.Node{Op: peg.Rule, Text: "r", Kids: []peg.ID{0, 0}}, `end end: rule "r" has 2 bodies: make a sequence of them`},
		{peg.Node{Op: peg.Tag, Role: 99, Kids: []peg.ID{0}}, "99(end): role 99 is unknown: use an existing role"},
		{peg.Node{Op: peg.Tag, Role: peg.String, Text: "a", Kids: []peg.ID{0}}, `string="a"(end): text "a" for the role string, whose text is what matches: leave the text out`},
		{peg.Node{Op: peg.Chars, Min: -1}, "[]{-1,0}: the bounds -1 and 0: order them"},
	} {
		p := &peg.Program{Nodes: []peg.Node{{Op: peg.End}, test.node}}
		if err := p.Validate(); err == nil || err.Error() != "node 1, "+test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
		if p.Root = 1; p.String() == "" {
			t.Error("nothing printed")
		}
	}
}

func TestNodesThatContainThemselvesAreDefects(t *testing.T) {
	p := &peg.Program{Nodes: []peg.Node{{Op: peg.Sequence, Kids: []peg.ID{1, 0}}, {Op: peg.Literal, Text: "a"}}}
	want := `node 0, "a" node-0: contains itself: name the part that repeats as a rule`
	if err := p.Validate(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAllDefectsAreReported(t *testing.T) {
	err := build(func(b *peg.Builder) peg.ID {
		return b.Seq(b.Until(""), b.Prompt(), b.Ref("x"))
	}).Validate()
	var defects peg.Defects
	if !errors.As(err, &defects) || len(defects) != 3 {
		t.Fatalf("%v", err)
	}
	for i, d := range defects {
		if int(d.Node) != i {
			t.Errorf("defect %d is of node %d", i, d.Node)
		}
	}
}

func TestLargeProgramsAreRefused(t *testing.T) {
	many := &peg.Program{Nodes: make([]peg.Node, peg.MaxNodes+1)}
	long := build(func(b *peg.Builder) peg.ID { return b.Seq(b.Lit(strings.Repeat("a", peg.MaxText+1)), b.End()) })
	for _, p := range []*peg.Program{many, long} {
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "are allowed") {
			t.Errorf("got %v", err)
		}
	}
}

// TestValidationIsLinear validates programs of the largest size with their nodes in the worst order.
func TestValidationIsLinear(t *testing.T) {
	chain := make([]peg.Node, peg.MaxNodes)
	for i := range chain[:len(chain)-1] {
		chain[i] = peg.Node{Op: peg.Rule, Text: "r", Kids: []peg.ID{peg.ID(i + 1)}}
	}
	wide := make([]peg.Node, peg.MaxNodes)
	for i := range wide[1:] {
		wide[0].Kids = append(wide[0].Kids, peg.ID(i+1))
	}
	wide[0].Op = peg.Sequence
	for _, nodes := range [][]peg.Node{chain, wide} {
		nodes[len(nodes)-1] = peg.Node{Op: peg.End}
		p := &peg.Program{Nodes: nodes}
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
		if p.String() == "" {
			t.Error("nothing printed")
		}
	}
}
