package peg

import (
	"crypto/sha256"
	"unsafe"

	"github.com/dragoman-project/dragoman/internal/cache"
)

// Digest identifies a program by everything in it: programs with equal digests are equal, wherever they were built.
type Digest [sha256.Size]byte

// Digest returns the digest of the program.
func (p *Program) Digest() Digest {
	if p.digest != nil {
		return *p.digest
	}
	w := cache.NewWriter()
	w.Number(int64(p.Root))
	for i := range p.Nodes {
		p.Nodes[i].digest(w)
	}
	return Digest(w.Key())
}

// Sealed returns the program with its digest computed once and for all, for callers that keep programs or look them up more
// than once. The nodes are shared, and must not be changed any more.
func (p *Program) Sealed() *Program {
	if p.digest != nil {
		return p
	}
	digest := p.Digest()
	return &Program{Nodes: p.Nodes, Root: p.Root, digest: &digest}
}

// Equal reports whether the programs are the same in everything, sealed or not.
func (p *Program) Equal(other *Program) bool {
	if p == nil || other == nil {
		return p == other
	}
	return p.Digest() == other.Digest()
}

func (n *Node) digest(w *cache.Writer) {
	w.Number(int64(n.Op))
	w.Number(int64(len(n.Kids)))
	for _, kid := range n.Kids {
		w.Number(int64(kid))
	}
	w.Text(n.Text)
	w.Number(int64(len(n.Delims)))
	for _, d := range n.Delims {
		w.Text(d)
	}
	w.Number(int64(len(n.Ranges)))
	for _, r := range n.Ranges {
		w.Number(int64(r.Lo))
		w.Number(int64(r.Hi))
	}
	w.Bool(n.Negated)
	w.Number(int64(n.Min))
	w.Number(int64(n.Max))
	w.Number(int64(n.Values))
	w.Number(int64(n.Role))
	w.Bytes(n.JSONSchema.Raw())
	w.Bool(n.Raw)
}

// Size returns about how many bytes of memory the program takes.
func (p *Program) Size() int {
	n := cap(p.Nodes) * int(unsafe.Sizeof(Node{}))
	for i := range p.Nodes {
		n += p.Nodes[i].size()
	}
	return n
}

// size returns about how many bytes n refers to.
func (n *Node) size() int {
	size := len(n.Text) + n.JSONSchema.Size()
	for _, d := range n.Delims {
		size += int(unsafe.Sizeof(d)) + len(d)
	}
	return size + cap(n.Kids)*int(unsafe.Sizeof(ID(0))) + cap(n.Ranges)*int(unsafe.Sizeof(Range{}))
}
