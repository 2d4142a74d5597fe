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
	"errors"
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/internal/work"
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

// rows is the table of targets. Bounds over Repetitions are relaxed and noted; a constraint of more
// than Bytes is noted.
var rows = []struct {
	Limits
	write func(*translation, Constraint) (string, error)
}{
	{Limits{GBNF, "llama.cpp", cfg.MaxRepetitions - 1, 0,
		"MAX_REPETITION_THRESHOLD of llama-grammar.cpp: repetitions times the rules that are repeated must be fewer than 2000"},
		func(_ *translation, c Constraint) (string, error) { return c.Grammar, nil }},
	{Limits{StructuralTag, "xgrammar", 10000, 0,
		"measured with 0.1.27: no bound is refused, but one of 20,000 takes 0.4 s to compile and one of 100,000 takes 5 s"},
		(*translation).structuralTag},
	{Limits{EBNF, "xgrammar", 10000, 0, "as for structural_tag"}, (*translation).ebnf},
	{Limits{Lark, "llguidance", cfg.MaxRepetitions - 1, 500000,
		"max_grammar_size of its ParserLimits; bounds are expanded and count towards it"},
		(*translation).lark},
	{Limits{JSONSchema, "the engine", cfg.MaxRepetitions - 1, 0,
		"engines make a grammar of the schema themselves, and llama.cpp's limits hold for most of them"},
		func(*translation, Constraint) (string, error) {
			return "", errors.New("a grammar cannot be written as a JSON Schema; use AnswerSchema")
		}},
}

// All returns the targets with the limits of their engines.
func All() []Limits {
	all := make([]Limits, len(rows))
	for i, r := range rows {
		all[i] = r.Limits
	}
	return all
}

// Parse parses the name of a target; an empty one is GBNF.
func Parse(name string) (Target, error) {
	i, err := Target(name).row()
	if err != nil {
		return "", err
	}
	return rows[i].Target, nil
}

// Limits returns the limits of the engine.
func (t Target) Limits() (Limits, error) {
	i, err := t.row()
	if err != nil {
		return Limits{}, err
	}
	return rows[i].Limits, nil
}

// row returns the index of t in the table.
func (t Target) row() (int, error) {
	var names []string
	for i, r := range rows {
		if r.Target == t || t == "" {
			return i, nil
		}
		names = append(names, string(r.Target))
	}
	return 0, fmt.Errorf("unknown target %q: expected one of %s", string(t), strings.Join(names, ", "))
}

// Constraint is a constraint to be written in another notation.
type Constraint struct {
	Grammar  string // GBNF
	Lazy     bool
	Triggers []Trigger
	Scans    map[string]words.Scan // rules for text up to delimiters, by name
	Specials []string              // special tokens, for notations that name them
	Work     *work.Meter           // counts the work; nil: unbounded
}

// Trigger is a text, or a pattern for texts, that starts a lazy grammar.
type Trigger struct {
	Text    string
	Pattern bool
}

// Write returns a constraint in the notation of t, and notes on what is lost. An error says what
// the notation cannot express.
func (t Target) Write(c Constraint) (content string, lost []string, err error) {
	i, err := t.row()
	if err != nil {
		return "", nil, err
	}
	row := rows[i]
	c.Work.Check()
	g, err := cfg.Parse(c.Grammar, max(row.Repetitions, cfg.MaxRepetitions))
	if err != nil {
		return "", nil, err
	}
	c.Work.Check()
	tr := &translation{g, notes.New(), c.Work}
	content, err = row.write(tr, c)
	if row.Bytes > 0 && len(content) > row.Bytes {
		tr.notes.Add("the constraint has %d bytes; %s may reject more than %d", len(content), row.Engine, row.Bytes)
	}
	return content, tr.notes.Texts, err
}

// translation is the state of one translation.
type translation struct {
	grammar *cfg.Grammar
	notes   *notes.List // what is lost
	work    *work.Meter
}
