package grammar_test

import (
	"math/rand/v2"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// The grammar and the parser are one program: these tests check both directions.

func build(t testing.TB, p *peg.Program, o grammar.Options) (*grammar.Grammar, *grammar.Constraint) {
	t.Helper()
	c, err := grammar.Build(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return mustParse(t, c.Grammar), c
}

// parse runs p over prompt and output.
func parse(t testing.TB, p *peg.Program, prompt, output string) *chat.Report {
	t.Helper()
	code, err := match.Compile(p.Bind(prompt), match.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := match.New(code, func(chat.Event) {})
	m.Prompt(prompt)
	m.Feed([]byte(output))
	return m.Finish(false)
}

// startStates are the generation prompts that an output can follow.
var startStates = map[string]string{
	"reasoning may begin": prompt,
	"reasoning has begun": prompt + "<think>\nSo",
	"reasoning is over":   prompt + "<think>\n\n</think>\n\n",
}

func TestWhatAGrammarAcceptsItsProgramParses(t *testing.T) {
	for _, p := range programs {
		for state, prompt := range startStates {
			t.Run(p.name+"/"+state, func(t *testing.T) {
				program := p.make(true)
				g, _ := build(t, program, grammar.Options{Mode: grammar.Strict, Prompt: prompt})
				s := g.Sampler(rand.New(rand.NewPCG(1, uint64(len(state)))))
				for range 60 {
					output, ok := s.Text(300)
					if !ok {
						t.Fatal("the grammar accepts nothing")
					}
					if r := parse(t, program, prompt, output); len(r.Faults) > 0 {
						t.Fatalf("%q: %v", output, r.Faults)
					}
				}
			})
		}
	}
}

func TestWhatALazyGrammarAcceptsAfterATriggerItsProgramParses(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			program := p.make(false)
			g, c := build(t, program, grammar.Options{Mode: grammar.Lazy, Prompt: prompt})
			s := g.Sampler(rand.New(rand.NewPCG(5, 6)))
			for range 60 {
				constrained, _ := s.Text(300)
				output := "Some text. " + constrained
				if start, ok := grammar.FindTrigger(output, c.Triggers); !ok || output[start:] != constrained {
					t.Fatalf("%q: trigger %v at %d", output, ok, start)
				}
				if r := parse(t, program, prompt, output); len(r.Faults) > 0 {
					t.Fatalf("%q: %v", output, r.Faults)
				}
			}
		})
	}
}

func TestValidOutputsAreAcceptedAndInvalidOnesRejectedAtTheFault(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			strict, _ := build(t, p.make(true), grammar.Options{Mode: grammar.Strict, Prompt: prompt})
			lazy, c := build(t, p.make(false), grammar.Options{Mode: grammar.Lazy, Prompt: prompt})
			for _, output := range p.good {
				if r := parse(t, p.make(true), prompt, output); len(r.Faults) > 0 {
					t.Fatalf("%q does not parse: %v", output, r.Faults)
				}
				if r := strict.Match(output); r.Status != grammar.Accepted {
					t.Errorf("%q: strict: %v at %d, expected %v", output, r.Status, r.Offset, r.Expected)
				}
				start, _ := grammar.FindTrigger(output, c.Triggers)
				if r := lazy.Match(output[start:]); r.Status != grammar.Accepted {
					t.Errorf("%q: lazy: %v at %d, expected %v", output[start:], r.Status, r.Offset, r.Expected)
				}
			}
			for output, at := range p.bad {
				for name, g := range map[string]*grammar.Grammar{"strict": strict, "lazy": lazy} {
					if r := g.Match(output); r.Status == grammar.Accepted || r.Offset != at {
						t.Errorf("%q: %s: %v at %d, want it to go wrong at %d", output, name, r.Status, r.Offset, at)
					}
				}
			}
		})
	}
}
