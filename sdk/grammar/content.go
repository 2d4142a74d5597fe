package grammar

import (
	"errors"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// restrictContent parses the grammar for the content, renames its rules, and rewrites the program
// so that each way through it has one place for the content.
func (b *builder) restrictContent(o Options) error {
	if o.Content == "" {
		return nil
	}
	g, err := Parse(o.Content)
	if err != nil {
		return err
	}
	if o.Mode != Strict || slices.ContainsFunc(b.p.Nodes, func(n peg.Node) bool { return n.Op == peg.Trigger }) {
		return errors.New("a grammar for the content cannot be combined with tool calls; omit one of them")
	}
	for _, r := range g.rules.Rules {
		r.Name = b.Fresh("content-" + r.Name)
	}
	b.content = g.rules.Root
	h := contentRewriter{p: &peg.Program{Nodes: slices.Clone(b.p.Nodes), Root: b.p.Root}, has: map[peg.ID]bool{}, single: map[peg.ID]peg.ID{}, without: map[peg.ID]peg.ID{}}
	if !h.hasContent(h.p.Root) {
		return errors.New("program: no content that a grammar could constrain")
	}
	h.p.Root = h.keepOne(h.p.Root)
	b.p = h.p
	b.parents = make([]int, len(b.p.Nodes))
	for _, n := range b.p.Nodes {
		for _, k := range n.Kids {
			b.parents[k]++
		}
	}
	return nil
}

// contentRewriter rewrites a program so that every way through it has content exactly once: a
// repetition of content becomes one, and later content is removed.
type contentRewriter struct {
	p       *peg.Program
	has     map[peg.ID]bool // whether a node has content
	single  map[peg.ID]peg.ID
	without map[peg.ID]peg.ID
}

// hasContent reports whether a node has content, not counting rules that only add tolerance.
func (h *contentRewriter) hasContent(id peg.ID) bool {
	if known, ok := h.has[id]; ok {
		return known
	}
	h.has[id] = false
	n := &h.p.Nodes[id]
	switch {
	case n.Op == peg.Tag && n.Role == peg.Content:
		h.has[id] = true
	case n.Tolerates(), n.Op == peg.Tag && n.Role == peg.Reasoning:
	default:
		h.has[id] = slices.ContainsFunc(n.Kids, h.hasContent)
	}
	return h.has[id]
}

// copyWith adds a copy of a node with other children.
func (h *contentRewriter) copyWith(id peg.ID, kids []peg.ID) peg.ID {
	n := h.p.Nodes[id]
	n.Kids = kids
	return h.add(n)
}

func (h *contentRewriter) add(n peg.Node) peg.ID {
	h.p.Nodes = append(h.p.Nodes, n)
	return peg.ID(len(h.p.Nodes) - 1)
}

// keepOne returns a variant of a node, which has content, with content exactly once.
func (h *contentRewriter) keepOne(id peg.ID) peg.ID {
	n := h.p.Nodes[id]
	if n.Op == peg.Tag && n.Role == peg.Content {
		return id
	}
	if known, ok := h.single[id]; ok {
		return known
	}
	h.single[id] = id
	var kids []peg.ID
	switch n.Op {
	case peg.Repeat:
		h.single[id] = h.keepOne(n.Kids[0])
		return h.single[id]
	case peg.Choice:
		for _, k := range n.Kids {
			if h.hasContent(k) {
				kids = append(kids, h.keepOne(k))
			}
		}
	default:
		kids = h.keepFirst(n.Kids)
	}
	h.single[id] = h.copyWith(id, kids)
	return h.single[id]
}

// keepFirst keeps the content of the first of kids that has any, and removes that of the others.
func (h *contentRewriter) keepFirst(kids []peg.ID) []peg.ID {
	var out []peg.ID
	done := false
	for _, k := range kids {
		switch {
		case !h.hasContent(k):
		case done:
			k = h.remove(k)
		default:
			k, done = h.keepOne(k), true
		}
		out = append(out, k)
	}
	return out
}

// remove returns a variant of a node without content.
func (h *contentRewriter) remove(id peg.ID) peg.ID {
	if !h.hasContent(id) {
		return id
	}
	if known, ok := h.without[id]; ok {
		return known
	}
	h.without[id] = id
	n := h.p.Nodes[id]
	if n.Op == peg.Tag && n.Role == peg.Content || n.Op == peg.Repeat {
		h.without[id] = h.add(peg.Node{Op: peg.Empty})
		return h.without[id]
	}
	var kids []peg.ID
	for _, k := range n.Kids {
		kids = append(kids, h.remove(k))
	}
	h.without[id] = h.copyWith(id, kids)
	return h.without[id]
}
