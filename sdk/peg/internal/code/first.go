package code

import (
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// start is what a match of a node can begin with, unless it is empty.
type start struct {
	bytes   scan.ByteSet // its first byte is one of these
	texts   []string     // it begins with one of these, white space aside
	unknown bool         // it can begin with anything
	vague   bool         // texts is not complete
}

// maxStarts is how many texts are worth looking for.
const maxStarts = 64

// firstBytes returns the set of bytes that a match of node id can begin with; nil if it may be empty, or is unknown.
func (c *compiler) firstBytes(id peg.ID) *scan.ByteSet {
	if c.nullable[id] {
		return nil
	}
	s := c.start(id)
	if s.unknown {
		return nil
	}
	return &s.bytes
}

// start returns what node id can begin with. The program has no left recursion, so this terminates.
func (c *compiler) start(id peg.ID) *start {
	if s := c.starts[id]; s != nil {
		return s
	}
	s := new(start)
	n := &c.Program.Nodes[id]
	switch n.Op.Shape() {
	case peg.Leaf:
		s.leaf(n)
	case peg.Lookahead: // consumes nothing
	case peg.Chain:
		for _, k := range n.Kids {
			s.or(c.start(k))
			if !c.nullable[k] {
				break
			}
		}
	default:
		for _, k := range n.Kids {
			s.or(c.start(k))
		}
	}
	c.starts[id] = s
	return s
}

// leaf sets the start of a leaf.
func (s *start) leaf(n *peg.Node) {
	switch n.Op {
	case peg.Empty, peg.End:
	case peg.Literal:
		s.bytes.Add(n.Text[0])
		s.texts = []string{n.Text}
	case peg.Space:
		s.bytes = scan.SetOf(scan.Blanks)
	case peg.Value:
		s.oneOf(scan.NewAccept(n.Values).First)
	case peg.Chars:
		s.oneOf(scan.NewClass(n.Ranges, n.Negated).First())
	default:
		s.unknown, s.vague = true, true
	}
}

// oneOf makes the start one of the given bytes.
func (s *start) oneOf(set scan.ByteSet) {
	s.bytes = set
	for b := range utf8.RuneSelf {
		if set.Has(byte(b)) {
			s.texts = append(s.texts, string(rune(b)))
		}
	}
	s.vague = set.Has(utf8.RuneSelf)
}

// or adds other to the possible starts.
func (s *start) or(other *start) {
	s.bytes.AddAll(&other.bytes)
	s.texts = append(s.texts, other.texts...)
	s.unknown = s.unknown || other.unknown
	s.vague = s.vague || other.vague || len(s.texts) > maxStarts
	if s.vague {
		s.texts = nil
	}
}
