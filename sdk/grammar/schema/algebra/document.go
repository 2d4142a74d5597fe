package algebra

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Limits of one program's schemas: visits of a subschema, and references followed inside each other without a step.
const (
	MaxSchemaWork = 1 << 17
	maxReferences = 64
	MaxDepth      = 512 // of visits inside each other
	maxEffort     = 1 << 15
)

// Document is a schema, what is known of its parts, and how much work may still be spent on it.
type Document struct {
	root    *jsonschema.Value
	notes   *notes.List
	room    *int // visits that the program's schemas may still take, all told
	depth   int  // visits inside each other
	effort  int  // how many more comparisons of constants and alternatives may be made
	kindsOf map[*jsonschema.Value]Kinds
}

// New is a schema of which nothing is known yet. What it does not hold to goes into notes, its visits count towards room.
func New(root *jsonschema.Value, n *notes.List, room *int) *Document {
	return &Document{root: root, notes: n, room: room, effort: maxEffort, kindsOf: map[*jsonschema.Value]Kinds{}}
}

// Spend counts a visit and reports whether it may be made.
func (d *Document) Spend() bool {
	*d.room--
	return *d.room >= 0
}

// Enter begins a visit within others, which leave ends.
func (d *Document) Enter(path string) error {
	if !d.Spend() {
		return Errorf(path, "the program's schemas are too large: more than %d parts", MaxSchemaWork)
	}
	if d.depth++; d.depth > MaxDepth {
		return Errorf(path, "circular reference")
	}
	return nil
}

func (d *Document) Leave() { d.depth-- }

func (c *Document) Note(path, format string, args ...any) {
	c.notes.Add("schema: %s: %s", path, fmt.Sprintf(format, args...))
}
