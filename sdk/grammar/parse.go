package grammar

import (
	"math/rand/v2"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/automaton"
	"github.com/dragoman-project/dragoman/internal/cfg/sample"
)

// Grammar is a parsed grammar. It is immutable and safe for concurrent use.
type Grammar struct {
	rules *cfg.Grammar
	code  *automaton.Automaton
}

// Status is the relation of a text to a grammar.
type Status = automaton.Status

// Result is the outcome of a match.
type Result = automaton.Result

// The statuses of a text.
const (
	Incomplete = automaton.Incomplete
	Accepted   = automaton.Accepted
	Refused    = automaton.Refused
)

// SyntaxError is a syntax error in a grammar, with its place.
type SyntaxError = cfg.SyntaxError

// Parse reads a grammar in GBNF exactly as llama.cpp does: a rule takes one line, continues on the
// next one only within parentheses and after "::=" and "|", and has a name of letters, digits and
// hyphens. What llama.cpp rejects is an error: undefined rules, left recursion, more than 2000
// repetitions. So are references to tokens (`<[10]>`, `<think>`), because a text does not determine
// its tokens.
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

// String returns the grammar in GBNF: the rules in use, root first.
func (g *Grammar) String() string { return cfg.Print(nil, g.rules.Root) }

// Match reports whether the grammar accepts text, and where text leaves it.
func (g *Grammar) Match(text string) Result { return automaton.NewMatcher(g.code).Feed(text) }

// Explain is Match that also lists, for people, what the grammar accepts behind the text, or in place of what it refuses: texts as
// far as they are fixed, and classes of characters.
func (g *Grammar) Explain(text string) (Result, []string) {
	m := automaton.NewMatcher(g.code)
	return m.Feed(text), m.Words()
}

// Sampler returns a sampler of the grammar's texts.
func (g *Grammar) Sampler(random *rand.Rand) *sample.Sampler { return sample.New(g.rules.Root, random) }
