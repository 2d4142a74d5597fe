package code

import (
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// start is what a match of a node that is not empty can begin with.
type start struct {
	bytes   scan.ByteSet // its first byte is one of these
	texts   []string     // it begins with one of these, white space aside
	unknown bool         // anything
	vague   bool         // texts is not complete
}

// maxStarts is how many texts are worth looking for.
const maxStarts = 64

// firstBytes is the set of bytes that a match of node id can begin with; nil if it may be empty, or cannot be told.
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

// start is what node id can begin with. The program is free of left recursion, so this comes to an end.
func (c *compiler) start(id peg.ID) *start {
	if s := c.starts[id]; s != nil {
		return s
	}
	s := new(start)
	n := &c.Program.Nodes[id]
	switch n.Op {
	case peg.Sequence:
		for _, k := range n.Kids {
			s.or(c.start(k))
			if !c.nullable[k] {
				break
			}
		}
	case peg.Choice, peg.Repeat, peg.Rule, peg.Trigger, peg.Atomic, peg.Schema, peg.Tag:
		for _, k := range n.Kids {
			s.or(c.start(k))
		}
	default:
		s.leaf(n)
	}
	c.starts[id] = s
	return s
}

// leaf is the start of a node without kids, or of a lookahead, which consumes nothing.
func (s *start) leaf(n *peg.Node) {
	switch n.Op {
	case peg.Literal:
		s.bytes.Add(n.Text[0])
		s.texts = []string{n.Text}
	case peg.Space:
		s.bytes = scan.SetOf(scan.Blanks)
	case peg.Value:
		s.oneOf(scan.NewAccept(n.Values).First)
	case peg.Chars:
		s.oneOf(scan.NewClass(n.Ranges, n.Negated).First())
	case peg.Any, peg.Until, peg.StringContent:
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

// or makes other a possible start, too.
func (s *start) or(other *start) {
	s.bytes.AddAll(&other.bytes)
	s.texts = append(s.texts, other.texts...)
	s.unknown = s.unknown || other.unknown
	s.vague = s.vague || other.vague || len(s.texts) > maxStarts
	if s.vague {
		s.texts = nil
	}
}
