package grammar

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// schema returns the grammar of a Schema node. If the schema accepts any value, the result is any
// value that the program can read there.
func (b *builder) schema(id peg.ID, n *peg.Node) *cfg.Expr {
	leaf := b.leaf(n.Kids[0])
	of := schema.Source{Schema: n.JSONSchema, Scope: b.scope, Spelling: b.spelling(n.Kids[0])}
	if n.Raw {
		of.Bare, of.Escaped, of.Delims = b.expr(n.Kids[0]), leaf.Op == peg.StringContent, leaf.Delims
	}
	e, err := b.schemas.Convert(of)
	switch {
	case err != nil:
		return b.fail("program: node %d: %w", id, err)
	case !n.Raw && leaf.Op == peg.Value && cfg.Equal(e, b.Value("value", of.Spelling)):
		return b.value(leaf.Values)
	}
	return e
}

// leaf returns the node at or below id that determines where text without quotes ends.
func (b *builder) leaf(id peg.ID) *peg.Node {
	for range len(b.p.Nodes) {
		n := &b.p.Nodes[id]
		switch n.Op {
		case peg.Tag, peg.Atomic, peg.Rule, peg.Schema:
			id = n.Kids[0]
		case peg.Sequence, peg.Choice:
			if len(n.Kids) != 1 {
				return n
			}
			id = n.Kids[0]
		default:
			return n
		}
	}
	return &peg.Node{}
}

// spelling returns how the values that a node matches may be spelled, according to its Value nodes
// and literals, except under rules that only add tolerance.
func (b *builder) spelling(id peg.ID) rules.Spelling {
	var s rules.Spelling
	seen := map[peg.ID]bool{}
	var walk func(id peg.ID)
	walk = func(id peg.ID) {
		n := &b.p.Nodes[id]
		if seen[id] || n.Tolerates() {
			return
		}
		seen[id] = true
		switch n.Op {
		case peg.Value:
			of := spellingOf(n.Values)
			s.Literals, s.Quotes = s.Literals || of.Literals, s.Quotes || of.Quotes
		case peg.Literal:
			s.Literals = s.Literals || n.Text == "True" || n.Text == "None"
		case peg.Peek, peg.Not:
			return
		}
		for _, k := range n.Kids {
			walk(k)
		}
	}
	walk(id)
	return s
}
