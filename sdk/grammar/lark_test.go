package grammar_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

func TestLarkDecidesAsTheGrammarDoes(t *testing.T) {
	shared.Slow(t)
	for _, p := range programs {
		for state, prompt := range startStates {
			t.Run(p.name+"/"+state, func(t *testing.T) {
				for _, mode := range []grammar.Mode{grammar.Strict, grammar.Lazy} {
					g, c := build(t, p.make(mode == grammar.Strict), grammar.Options{Mode: mode, Prompt: prompt, Target: grammar.TargetLark})
					for _, n := range c.Notes {
						if state != "reasoning may begin" || !strings.Contains(n, "begins with \"<think>\"") {
							t.Errorf("note: %q", n)
						}
					}
					agrees(t, readLark(t, c.Content), g, c)
				}
			})
		}
	}
}

// neverThought reports whether a text starts a thought that does not end. Grammars may also take it
// for content, while the lexer waits for the end of the thought.
func neverThought(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "<think>") && !strings.Contains(text, "</think>")
}

// agrees samples texts of g, some with one character changed, and checks that lark decides like g.
func agrees(t *testing.T, lark *larkGrammar, g *grammar.Grammar, c *grammar.Constraint) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 9))
	sampler := g.Sampler(random)
	before := ""
	if c.Lazy {
		before = "Well, <b>. "
	}
	for range 12 {
		text, _ := sampler.Text(80)
		for _, text := range []string{before + text, before + corrupted(text, random)} {
			start, fires := grammar.FindTrigger(text, c.Triggers)
			want := c.Lazy && !fires || g.Match(text[start:]).Status == grammar.Accepted
			if neverThought(text) || !utf8.ValidString(text) {
				continue
			}
			if got := lark.accepts("", text); got != want {
				t.Fatalf("%q: %v, want %v\n%s", text, got, want, c.Content)
			}
		}
	}
}

func TestLarkOfSchemasDecidesAsTheGrammarDoes(t *testing.T) {
	for _, schema := range []string{
		`{"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}, "b": {"type": "array", "items": {"type": "integer"}}}, "required": ["a"]}`,
		`{"properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}, "any": {}}, "additionalProperties": {"type": "number"}}`,
		`{"enum": ["a", "ab", "abc", 1, 12, null]}`,
		`true`,
	} {
		t.Run(schema, func(t *testing.T) {
			var b peg.Builder
			p := b.Build(b.Schema(jsonschema.MustParse(schema), b.Value(peg.AnyJSON)))
			g, c := build(t, p, grammar.Options{Mode: grammar.Strict, Target: grammar.TargetLark})
			agrees(t, readLark(t, c.Content), g, c)
		})
	}
}

// What may end a rule may also begin what follows its call.
func TestLarkDistinguishesTheEndOfARuleFromWhatFollows(t *testing.T) {
	g := mustParse(t, `root ::= args "[</x>"
args ::= more "]<a>" ("[<" " "?)? more
more ::= ("]<b>" object ("[<" " "?)?)*
object ::= "{" object? "}"
`)
	c := &grammar.Constraint{Grammar: g.String()}
	content, lost, err := c.In(grammar.TargetLark)
	if err != nil || len(lost) > 0 {
		t.Fatalf("%v, lost %q", err, lost)
	}
	lark := readLark(t, content)
	for _, text := range []string{"]<a>[</x>", "]<a>[<[</x>", "]<a>[< ]<b>{}[</x>", "]<b>{{}}[<]<a>]<b>{}[<[</x>", "]<a>[<[<[</x>", "]<a>", "]<b>{}[</x>"} {
		if want := g.Match(text).Status == grammar.Accepted; lark.accepts("", text) != want {
			t.Errorf("%q: expected %v\n%s", text, want, content)
		}
	}
}

// Content may begin like a thought that never ends; the lexer cannot know that, and a note says so.
func TestLarkNotesThatAThoughtMustEnd(t *testing.T) {
	options := grammar.Options{Mode: grammar.Strict, Prompt: prompt, Target: grammar.TargetLark}
	if _, c := build(t, jsonCalls(true), options); len(c.Notes) != 1 || !strings.Contains(c.Notes[0], `"<think>"`) {
		t.Errorf("notes: %q", c.Notes)
	}
	options.Specials = []string{"<think>", "</think>"}
	if _, c := build(t, jsonCalls(true), options); len(c.Notes) != 0 {
		t.Errorf("notes, where it is a token: %q", c.Notes)
	}
}

func TestLarkNamesSpecialTokens(t *testing.T) {
	_, c := build(t, jsonCalls(true), grammar.Options{Mode: grammar.Strict, Prompt: prompt + "<think>", Target: grammar.TargetLark,
		Specials: []string{"</think>", "<tool_call>", "</tool_call>", "<|end|>", "<not used>"}})
	rules, _, _ := strings.Cut(strings.TrimPrefix(c.Content, "%llguidance {}\n\n"), "\n\n")
	for _, want := range []string{" </think>", " <tool_call> ", " </tool_call>", "<|end|>"} {
		if !strings.Contains(rules, want) {
			t.Errorf("%s is missing:\n%s", want, c.Content)
		}
	}
	if strings.Contains(c.Content, `"<`) || strings.Contains(c.Content, "not used") {
		t.Errorf("a special token is spelled:\n%s", c.Content)
	}
	readLark(t, c.Content)
}
