package grammar

import (
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/sdk/grammar/target"
)

// Mode says which constraint a program is to become.
type Mode uint8

// The modes of a constraint.
const (
	// Free: no constraint.
	Free Mode = iota
	// Lazy: sampling is free until a trigger occurs in the output, and constrained from there on.
	Lazy
	// Strict: the whole output is constrained.
	Strict
)

// TriggerType says how a trigger is looked for in the output.
type TriggerType string

// The types of triggers.
const (
	TriggerWord    TriggerType = "word"         // the text itself
	TriggerPattern TriggerType = "pattern"      // a regular expression; the grammar starts at its first group
	TriggerFull    TriggerType = "pattern_full" // the same, but it must match the whole output so far
)

// Target is the notation in which an engine takes a constraint. The zero value is GBNF.
type Target = target.Target

// The targets. Package target has the table of them.
const (
	TargetGBNF          = target.GBNF
	TargetStructuralTag = target.StructuralTag
	TargetEBNF          = target.EBNF
	TargetLark          = target.Lark
	TargetJSONSchema    = target.JSONSchema
)

// Trigger is a text whose appearance in the output starts a lazy grammar.
type Trigger struct {
	Type  TriggerType `json:"type"`
	Value string      `json:"value"`
}

// Constraint is what an engine needs in order to sample only what the program parses.
type Constraint struct {
	Grammar  string    `json:"grammar"` // GBNF; its root covers the output, or what follows from the trigger when lazy
	Lazy     bool      `json:"lazy"`
	Triggers []Trigger `json:"triggers"`
	// Target is the notation of Content, and Content the whole constraint in it, triggers included. Both are empty where
	// the notation is GBNF, which Grammar has.
	Target  Target `json:"target,omitempty"`
	Content string `json:"content,omitempty"`
	// Notes say what the grammar could not hold to, such as unsupported keywords of a schema.
	Notes []string `json:"notes,omitempty"`

	scans map[string]words.Scan // rules that are text up to delimiters
}
