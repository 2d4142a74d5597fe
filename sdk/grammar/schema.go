package grammar

import (
	"encoding/json"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

const maxSchemaWork = 1 << 17

func (b *builder) schema(id peg.ID, n *peg.Node) *expr { return b.expr(n.Kids[0]) }

func (b *builder) formatBody(name string) *expr { return nothing }

// FromSchema makes the constraint for one JSON value that follows schema.
func FromSchema(schema json.RawMessage) (*Constraint, error) {
	var p peg.Builder
	return Build(p.Build(p.Schema(schema, p.Value(peg.AnyJSON))), Options{Mode: Strict})
}
