// Package target writes constraints in the notations of inference engines.
//
// A target is a notation together with the engine that reads it; the table has one row for each,
// with the limits of the engine, and each notation has a file. All start from the same grammar in
// GBNF, so that every engine enforces the same language:
//
//	gbnf              llama.cpp     as it is
//	structural_tag    xgrammar      structural_tag.go
//	ebnf              xgrammar      ebnf.go
//	lark              llguidance    lark.go, and package lark
//	json_schema       any           json_schema.go: not a grammar, but a schema made from the request
package target

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
)

// Target is the notation in which an engine reads a constraint. The zero value is GBNF.
type Target string

// The targets.
const (
	GBNF          Target = "gbnf"           // llama.cpp: a grammar, and triggers beside it
	StructuralTag Target = "structural_tag" // xgrammar in vLLM and SGLang: JSON that assigns grammars to parts of the output
	EBNF          Target = "ebnf"           // xgrammar: one grammar for the whole output
	Lark          Target = "lark"           // llguidance: one grammar for the whole output
	JSONSchema    Target = "json_schema"    // engines that support nothing but a JSON Schema for the whole output
)

// Limits are the limits of the engine behind a target.
type Limits struct {
	Target Target
	Engine string
	// Repetitions is the largest bound that the engine accepts.
	Repetitions int
	// Bytes is the largest size of a constraint; 0 if unknown.
	Bytes int
	// Source is where the limits come from.
	Source string
}

// engines is the table of targets. Bounds over Repetitions are relaxed and noted; a constraint of
// more than Bytes is noted.
var engines = []Limits{
	{GBNF, "llama.cpp", cfg.MaxRepetitions - 1, 0,
		"MAX_REPETITION_THRESHOLD of llama-grammar.cpp: repetitions times the rules that are repeated must be fewer than 2000"},
	{StructuralTag, "xgrammar", 10000, 0,
		"measured with 0.1.27: no bound is refused, but one of 20,000 takes 0.4 s to compile and one of 100,000 takes 5 s"},
	{EBNF, "xgrammar", 10000, 0, "as for structural_tag"},
	{Lark, "llguidance", cfg.MaxRepetitions - 1, 500000,
		"max_grammar_size of its ParserLimits; bounds are expanded and count towards it"},
	{JSONSchema, "the engine", cfg.MaxRepetitions - 1, 0,
		"engines make a grammar of the schema themselves, and llama.cpp's limits hold for most of them"},
}

// All returns the targets with the limits of their engines.
func All() []Limits { return slices.Clone(engines) }

// Parse parses the name of a target; an empty one is GBNF.
func Parse(name string) (Target, error) {
	l, err := Target(name).Limits()
	return l.Target, err
}

// Limits returns the row of the table.
func (t Target) Limits() (Limits, error) {
	var names []string
	for _, l := range engines {
		if l.Target == t || t == "" {
			return l, nil
		}
		names = append(names, string(l.Target))
	}
	return Limits{}, fmt.Errorf("unknown target %q: expected one of %s", string(t), strings.Join(names, ", "))
}

// Constraint is a constraint to be written in another notation.
type Constraint struct {
	Grammar  string // GBNF
	Lazy     bool
	Triggers []Trigger
	Scans    map[string]words.Scan // rules for text up to delimiters, by name
	Specials []string              // special tokens, for notations that name them
}

// Trigger is a text, or a pattern for texts, that starts a lazy grammar.
type Trigger struct {
	Text    string
	Pattern bool
}

// Write returns a constraint in the notation of t, and notes on what is lost. An error says what
// the notation cannot express.
func (t Target) Write(c Constraint) (content string, lost []string, err error) {
	l, err := t.Limits()
	if err != nil {
		return "", nil, err
	}
	g, err := cfg.Parse(c.Grammar, max(l.Repetitions, cfg.MaxRepetitions))
	if err != nil {
		return "", nil, err
	}
	tr := &translation{g, notes.New()}
	switch l.Target {
	case GBNF:
		content = c.Grammar
	case StructuralTag:
		content, err = tr.structuralTag(c)
	case EBNF:
		content, err = tr.ebnf(c)
	case Lark:
		content, err = tr.lark(c)
	default:
		err = fmt.Errorf("a grammar cannot be written as a JSON Schema; use AnswerSchema")
	}
	if l.Bytes > 0 && len(content) > l.Bytes {
		tr.notes.Add("the constraint has %d bytes; %s may reject more than %d", len(content), l.Engine, l.Bytes)
	}
	return content, tr.notes.Texts, err
}

// translation is the state of one translation.
type translation struct {
	grammar *cfg.Grammar
	notes   *notes.List // what is lost
}
