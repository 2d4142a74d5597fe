package grammar

import (
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/sdk/grammar/target"
)

// Mode is the part of an output that a constraint covers.
type Mode uint8

// The modes of a constraint.
const (
	// Free: nothing.
	Free Mode = iota
	// Lazy: everything from the first trigger on.
	Lazy
	// Strict: the whole output.
	Strict
)

// TriggerType is how a trigger is looked for in the output.
type TriggerType string

// The types of triggers.
const (
	TriggerWord    TriggerType = "word"         // the text itself
	TriggerPattern TriggerType = "pattern"      // a regular expression; the grammar starts at its first group
	TriggerFull    TriggerType = "pattern_full" // the same, but it must match the whole output so far
)

// Target is the notation of a constraint. The zero value is GBNF.
type Target = target.Target

// The targets; see package target for the engines that read them.
const (
	TargetGBNF          = target.GBNF
	TargetStructuralTag = target.StructuralTag
	TargetEBNF          = target.EBNF
	TargetLark          = target.Lark
	TargetJSONSchema    = target.JSONSchema
)

// Trigger is a text whose occurrence in the output starts a lazy grammar.
type Trigger struct {
	Type  TriggerType `json:"type"`
	Value string      `json:"value"`
}

// Constraint is what an engine needs to sample only what the program parses.
type Constraint struct {
	Grammar  string    `json:"grammar"` // GBNF; covers the output, or the part from the trigger on if lazy
	Lazy     bool      `json:"lazy"`
	Triggers []Trigger `json:"triggers"`
	// Content is the whole constraint in the notation Target, triggers included. Both are empty for
	// GBNF, which is in Grammar.
	Target  Target `json:"target,omitempty"`
	Content string `json:"content,omitempty"`
	// Notes says what the grammar does not enforce, such as unsupported keywords of a schema.
	Notes []string `json:"notes,omitempty"`

	scans map[string]words.Scan // rules for text up to delimiters, by name
}
