// Package algebra computes with JSON Schemas: it merges schemas that must hold together, rewrites
// negations and conditions as choices, and decides whether a constant follows a schema and whether
// two schemas exclude each other.
//
// Its results are schemas again, with only the keywords that package schema can turn into a
// grammar. A Document is the schema at hand, against whose root references are resolved. All work
// is bounded: visits by a budget for the whole program, comparisons by one for each schema. What
// must be ignored to stay within the bounds, or because it cannot be expressed, is noted.
//
// # Words
//
// Keywords *beside* another one are in the same object and hold, too. A *contradiction* is a schema
// that no value follows. A *condition* is an if, a dependency, or a "not" about objects.
package algebra

import (
	"fmt"
	"regexp"

	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Limits for the schemas of one program: the number of visits to subschemas, the length of a chain
// of references, and the depth of visits.
const (
	MaxVisits      = 1 << 17
	maxReferences  = 64
	MaxDepth       = 512 // of nested visits
	maxComparisons = 1 << 15
)

// Document is a schema with what is known about its parts, and what remains of the budget for
// processing it.
type Document struct {
	Work        *work.Meter
	root        *jsonschema.Value
	notes       *notes.List
	budget      *int // the visits left for all schemas of the program
	depth       int  // the depth of nested visits
	comparisons int  // the comparisons of constants and alternatives left
	kindsOf     map[*jsonschema.Value]Kinds
	patterns    map[string]*regexp.Regexp // compiled; nil: not supported
}

// New returns a document. What is not enforced is added to n, and visits are deducted from budget. m counts
// all work.
func New(root *jsonschema.Value, n *notes.List, budget *int, m *work.Meter) *Document {
	return &Document{Work: m, root: root, notes: n, budget: budget, comparisons: maxComparisons, kindsOf: map[*jsonschema.Value]Kinds{}, patterns: map[string]*regexp.Regexp{}}
}

// Spend counts a visit and reports whether the budget allows it.
func (d *Document) Spend() bool {
	*d.budget--
	return *d.budget >= 0
}

// stepsOfVisit is what a visit costs in addition to what the keywords count.
const stepsOfVisit = 16

// Enter begins a nested visit, which Leave ends.
func (d *Document) Enter(path string) error {
	if !d.Spend() {
		return Errorf(path, "the program's schemas are too large: more than %d parts", MaxVisits)
	}
	d.Work.Spend(stepsOfVisit)
	if d.depth++; d.depth > MaxDepth {
		return Errorf(path, "circular reference")
	}
	return nil
}

// Leave ends a nested visit.
func (d *Document) Leave() { d.depth-- }

// Note notes what is not enforced at a place of the schema.
func (d *Document) Note(path, format string, args ...any) {
	d.notes.Add("schema: %s: %s", path, fmt.Sprintf(format, args...))
}
