package peg

import (
	"crypto/sha256"
	"encoding/binary"
)

// Digest tells programs apart by everything in them: those with equal digests are equal, whoever made them.
type Digest [sha256.Size]byte

// Digest is the digest of the program.
func (p *Program) Digest() Digest {
	b := make(digestible, 0, 64*len(p.Nodes))
	b.number(int(p.Root))
	for i := range p.Nodes {
		b.node(&p.Nodes[i])
	}
	return sha256.Sum256(b)
}

// digestible is bytes that say the same only of what is the same.
type digestible []byte

func (b *digestible) node(n *Node) {
	b.number(int(n.Op))
	b.number(len(n.Kids))
	for _, kid := range n.Kids {
		b.number(int(kid))
	}
	b.text(n.Text)
	b.number(len(n.Delims))
	for _, d := range n.Delims {
		b.text(d)
	}
	b.number(len(n.Ranges))
	for _, r := range n.Ranges {
		b.number(int(r.Lo))
		b.number(int(r.Hi))
	}
	b.truth(n.Negated)
	b.number(n.Min)
	b.number(n.Max)
	b.number(int(n.Values))
	b.number(int(n.Role))
	b.text(string(n.JSONSchema))
	b.truth(n.Raw)
}

func (b *digestible) number(n int) { *b = binary.AppendVarint(*b, int64(n)) }

func (b *digestible) truth(t bool) {
	if t {
		b.number(1)
	} else {
		b.number(0)
	}
}

func (b *digestible) text(s string) {
	b.number(len(s))
	*b = append(*b, s...)
}
