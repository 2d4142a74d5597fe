package target

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
)

// Target is the notation in which an engine takes a constraint. The zero value is GBNF.
type Target string

// The targets.
const (
	GBNF          Target = "gbnf"           // llama.cpp: a grammar, and triggers beside it
	StructuralTag Target = "structural_tag" // xgrammar in vLLM and SGLang: JSON that says which parts follow which grammar
	EBNF          Target = "ebnf"           // xgrammar: one grammar for the whole output
	Lark          Target = "lark"           // llguidance: one grammar for the whole output
	JSONSchema    Target = "json_schema"    // engines that hold the output to a JSON Schema and to nothing else
)

// Limits are what the engine behind a target takes.
type Limits struct {
	Target Target
	Engine string
	// Repetitions are the most times that a bound may name.
	Repetitions int
	// Bytes are the most bytes that a constraint may have; 0: no bound is known.
	Bytes int
	// Source says where the limits are from.
	Source string
}

// engines is the table of targets, in the order in which they are listed. Bounds over Repetitions are relaxed, and a note
// says so; what has more than Bytes gets a note.
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

// All lists the targets with the limits of their engines.
func All() []Limits { return slices.Clone(engines) }

// Parse reads the name of a target; an empty one is GBNF. The error lists those that there are.
func Parse(name string) (Target, error) {
	l, err := Target(name).Limits()
	return l.Target, err
}

// Limits finds the row of the table.
func (t Target) Limits() (Limits, error) {
	var names []string
	for _, l := range engines {
		if l.Target == t || t == "" {
			return l, nil
		}
		names = append(names, string(l.Target))
	}
	return Limits{}, fmt.Errorf("unknown target %q: there are %s", string(t), strings.Join(names, ", "))
}

// Constraint is what is to be written in another notation.
type Constraint struct {
	Grammar  string // GBNF
	Lazy     bool
	Triggers []Trigger
	Scans    map[string]words.Scan // rules that are text up to delimiters
	Specials []string              // special tokens, which a notation that tells them from their spelling names
}

// Trigger is a text, or a pattern for texts, that begins a lazy grammar.
type Trigger struct {
	Text    string
	Pattern bool
}

// Write writes a constraint in the notation of a target, and says what is lost in it. An error says what the notation has no
// words for.
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
		err = fmt.Errorf("a grammar is no JSON Schema: make one of the request (AnswerSchema)")
	}
	if l.Bytes > 0 && len(content) > l.Bytes {
		tr.notes.Add("the constraint has %d bytes, and %s may take no more than %d", len(content), l.Engine, l.Bytes)
	}
	return content, tr.notes.Texts, err
}

// translation is a constraint on its way into another notation.
type translation struct {
	grammar *cfg.Grammar
	notes   *notes.List // what is lost
}
