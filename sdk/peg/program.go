package peg

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// ID is the index of a node in Program.Nodes.
type ID int32

// Range is a range of code points, both ends included.
type Range struct {
	Lo rune `json:"lo"`
	Hi rune `json:"hi"`
}

// Node is one node of a program. Kids are indices into Program.Nodes; which of the other fields matter depends on Op.
type Node struct {
	Op         Op                `json:"op"`
	Kids       []ID              `json:"kids,omitempty"`
	Text       string            `json:"text,omitempty"`
	Delims     []string          `json:"delims,omitempty"`
	Ranges     []Range           `json:"ranges,omitempty"`
	Negated    bool              `json:"negated,omitempty"`
	Min        int               `json:"min,omitempty"`
	Max        int               `json:"max,omitempty"`
	Values     Values            `json:"values,omitempty"`
	Role       Role              `json:"role,omitempty"`
	JSONSchema jsonschema.Schema `json:"schema,omitzero"`
	Raw        bool              `json:"raw,omitempty"`
}

// Program is a parser as data: an arena of nodes. It is immutable once built and may be shared.
type Program struct {
	Nodes []Node `json:"nodes"`
	Root  ID     `json:"root"`

	digest *Digest // of a sealed program
}

// Tolerates reports whether the node is a rule for the parser alone: its name begins with "~", and grammars leave it out.
func (n *Node) Tolerates() bool { return isRule(n) && strings.HasPrefix(n.Text, "~") }

// Omits reports whether node id is a rule for the parser alone that matches only the empty text: it stands for what the
// format requires and the output lacks.
func (p *Program) Omits(id ID) bool {
	n := &p.Nodes[id]
	if !n.Tolerates() {
		return false
	}
	body := &p.Nodes[n.Kids[0]]
	return body.Op == Empty || body.Op == Tag && body.Role == Missing && p.Nodes[body.Kids[0]].Op == Empty
}
