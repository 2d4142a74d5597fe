package sound_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/sound"
)

func check(t *testing.T, p *peg.Program) []sound.Finding {
	t.Helper()
	findings, err := sound.Check(p)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

// TestFindings checks programs whose commitments drop alternatives, and beside them the same formats written so that they
// do not.
func TestFindings(t *testing.T) {
	content := func(b *peg.Builder, delims ...string) peg.ID { return b.Tag(peg.Content, b.Until(delims...)) }
	reasoning := func(b *peg.Builder, delims ...string) peg.ID { return b.Tag(peg.Reasoning, b.Until(delims...)) }
	name := func(b *peg.Builder) peg.ID {
		return b.Tag(peg.CallName, b.Chars(1, 8, peg.Range{Lo: 'a', Hi: 'z'}))
	}
	arguments := func(b *peg.Builder) peg.ID { return b.Tag(peg.Arguments, b.Value(peg.ObjectValue)) }
	for _, test := range []struct {
		does    string
		program func(*peg.Builder) peg.ID
		want    []string
	}{
		{"speech before the alternatives part", func(b *peg.Builder) peg.ID {
			return b.Choice(b.Seq(b.Lit("m"), content(b, "<"), b.Lit("<a>")), b.Seq(b.Lit("m"), reasoning(b, "<"), b.Lit("<b>")))
		}, []string{`after "ma" speech of node`}},
		{"the common speech taken out", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Lit("m"), content(b, "<a>", "<b>"), b.Choice(b.Lit("<a>"), b.Lit("<b>")))
		}, nil},
		{"alternatives that part before they speak", func(b *peg.Builder) peg.ID {
			return b.Choice(b.Seq(b.Lit("<a>"), content(b, "!"), b.Lit("!")), b.Seq(b.Lit("<b>"), content(b, "?"), b.Lit("?")))
		}, nil},
		{"a name that also begins other text", func(b *peg.Builder) peg.ID {
			return b.Choice(b.Tag(peg.Call, name(b), b.Lit("("), arguments(b), b.Lit(")")), content(b))
		}, []string{`after "a" a complete header of node`}},
		{"a header that can still be text", func(b *peg.Builder) peg.ID {
			return b.Choice(b.Tag(peg.Call, b.Atomic(name(b), b.Lit("(")), arguments(b), b.Lit(")")), content(b))
		}, []string{`after "a(" a complete header of node`}},
		{"a call that is atomic as a whole", func(b *peg.Builder) peg.ID {
			return b.Choice(b.Tag(peg.Call, b.Atomic(name(b), b.Lit("("), arguments(b), b.Lit(")"))), content(b))
		}, nil},
		{"text before a marker that is optional", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Optional(content(b, "<a>", "<b>"), b.Lit("<a>")), reasoning(b, "<b>"), b.Lit("<b>"))
		}, []string{`after "<" speech of node`}},
		{"text before a marker without which the output is cut off", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Optional(content(b, "<a>"), b.Lit("<a>")), reasoning(b))
		}, nil},
		{"text before a marker that always follows", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Star(b.Lit("<a>"), content(b, "<a>", "<b>")), b.Lit("<b>"))
		}, nil},
		{"a value that may be the beginning of a text", func(b *peg.Builder) peg.ID {
			value := b.Choice(b.Tag(peg.Scalar, b.Value(peg.NumberValue)), b.Tag(peg.String, b.Until("<")))
			return b.Tag(peg.Call, name(b), b.Lit(":"), b.Tag(peg.Key, b.Lit("x")), value, b.Lit("<"))
		}, []string{`after "-" speech of node`}},
		{"a value that is looked at as a whole", func(b *peg.Builder) peg.ID {
			value := b.Choice(b.Atomic(b.Tag(peg.Scalar, b.Value(peg.NumberValue)), b.Peek(b.Lit("<"))), b.Tag(peg.String, b.Until("<")))
			return b.Tag(peg.Call, name(b), b.Lit(":"), b.Tag(peg.Key, b.Lit("x")), value, b.Lit("<"))
		}, nil},
		{"text before markers of which one follows", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Optional(content(b, "<a>", "<b>"), b.Choice(b.Lit("<a>"), b.Lit("<b>"))), reasoning(b, "<c>"))
		}, nil},
		{"text before markers that may not follow", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Optional(content(b, "<a>", "<b>", "<c>"), b.Choice(b.Lit("<a>"), b.Lit("<b>"))), reasoning(b))
		}, []string{`after "a" speech of node`}},
		{"a header that looks at what tells it from text", func(b *peg.Builder) peg.ID {
			call := b.Tag(peg.Call, b.Atomic(name(b), b.Peek(b.Lit("("))), b.Lit("("), arguments(b), b.Lit(")"))
			return b.Choice(call, b.Tag(peg.Content, b.Plus(b.Chars(1, 1, peg.Range{Lo: 'a', Hi: 'z'}))))
		}, nil},
		{"a header that looks at what text may have, too", func(b *peg.Builder) peg.ID {
			call := b.Tag(peg.Call, b.Atomic(name(b), b.Peek(b.Lit("("))), b.Lit("("), arguments(b), b.Lit(")"))
			return b.Choice(call, content(b))
		}, []string{`after "a(" a complete header of node`}},
		{"items that begin as what follows them", func(b *peg.Builder) peg.ID {
			return b.Seq(b.Star(b.Lit("-"), b.Tag(peg.Content, b.Chars(1, 1, peg.Range{Lo: 'a', Hi: 'z'}))), b.Optional(b.Lit("-end")))
		}, []string{`after "-e" speech of node`}},
	} {
		t.Run(test.does, func(t *testing.T) {
			var b peg.Builder
			findings := check(t, b.Build(b.Seq(test.program(&b), b.End())))
			if len(findings) != len(test.want) {
				t.Fatalf("got %v, want %v", findings, test.want)
			}
			for i, f := range findings {
				if !strings.Contains(f.String(), test.want[i]) || f.Unsure {
					t.Errorf("got %v, want %s", f, test.want[i])
				}
			}
		})
	}
}

// TestTheSearchEnds checks a program that has too many states to look at all of them.
func TestTheSearchEnds(t *testing.T) {
	var b peg.Builder
	item := b.Ref("item")
	b.Rule("item", b.Choice(b.Seq(b.Lit("("), b.Star(item), b.Lit(")")), b.Seq(b.Lit("("), b.Star(item), b.Lit("]")), b.Chars(1, 3, peg.Range{Lo: 'a', Hi: 'z'})))
	p := b.Build(b.Seq(b.Choice(b.Seq(b.Star(b.Lit("x"), item), b.Tag(peg.Content, b.Lit("."))), b.Seq(b.Star(b.Lit("x"), item), b.Tag(peg.Content, b.Lit(".!")))), b.End()))
	findings := check(t, p)
	if len(findings) == 0 || !findings[0].Unsure || !strings.Contains(findings[0].String(), "(search given up)") {
		t.Error(findings)
	}
}

// Points differ by the rules that they return to, and rules that call each other have more ways to return than can be looked at.
func TestProgramsOfManyRulesAreExaminedInBoundedTime(t *testing.T) {
	shared.Slow(t)
	const n = 1000
	var b peg.Builder
	var rules []peg.ID
	rule := func(i int) string { return fmt.Sprint("r", i%n) }
	for i := range n {
		rules = append(rules, b.Rule(rule(i), b.Choice(b.Lit("a"), b.Seq(b.Lit("b"), b.Ref(rule(7*i+1)), b.Ref(rule(13*i+5)), b.Tag(peg.Content, b.Lit("c"))))))
	}
	findings, err := sound.Check(b.Build(b.Seq(rules[0], b.Choice(rules...), b.End())))
	if err != nil || !slices.ContainsFunc(findings, func(f sound.Finding) bool { return f.Unsure }) {
		t.Errorf("%d findings, %v", len(findings), err)
	}
}
