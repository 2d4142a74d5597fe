package grammar

import (
	"math/rand/v2"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/automaton"
	"github.com/dragoman-project/dragoman/internal/cfg/sample"
)

// Grammar is a grammar that can be matched, sampled and printed. It never changes and may be shared.
type Grammar struct {
	rules *cfg.Grammar
	code  *automaton.Automaton
}

// Status says how a text stands to a grammar, and Result where it leaves it.
type (
	Status = automaton.Status
	Result = automaton.Result
)

// The statuses of a text.
const (
	Incomplete = automaton.Incomplete
	Accepted   = automaton.Accepted
	Refused    = automaton.Refused
)

// SyntaxError is what is wrong with the text of a grammar, and where.
type SyntaxError = cfg.SyntaxError

// Parse reads a grammar in GBNF exactly as llama.cpp does: a rule is a line, goes on over line ends only inside
// parentheses and after "::=" and "|", and is named by letters, digits and hyphens. What llama.cpp refuses is an error
// here: undefined rules, left recursion, repetitions over 2000. References to tokens (`<[10]>`, `<think>`) are an error
// too, because a text alone does not tell its tokens.
func Parse(source string) (*Grammar, error) {
	rules, err := cfg.Parse(source, cfg.MaxRepetitions)
	if err != nil {
		return nil, err
	}
	code, err := automaton.Compile(rules.Root)
	if err != nil {
		return nil, err
	}
	return &Grammar{rules, code}, nil
}

// String prints the grammar as GBNF: the rules in use, root first.
func (g *Grammar) String() string { return cfg.Print(g.rules.Root) }

// Match says whether the grammar accepts text.
func (g *Grammar) Match(text string) Result { return automaton.NewMatcher(g.code).Feed(text) }

// Sampler returns a source of texts, drawn by random.
func (g *Grammar) Sampler(random *rand.Rand) *sample.Sampler { return sample.New(g.rules.Root, random) }
