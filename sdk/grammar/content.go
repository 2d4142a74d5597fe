package grammar

import (
	"errors"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// holdContent reads the grammar for content, gives its rules names of their own, and makes room for it in the program: one
// place in each way through it.
func (b *builder) holdContent(o Options) error {
	if o.Content == "" {
		return nil
	}
	g, err := Parse(o.Content)
	if err != nil {
		return err
	}
	if o.Mode != Strict || slices.ContainsFunc(b.p.Nodes, func(n peg.Node) bool { return n.Op == peg.Trigger }) {
		return errors.New("a grammar for the content and calls of tools do not go together: leave out one of them")
	}
	for _, r := range g.rules.Rules {
		r.Name = b.Fresh("content-" + r.Name)
	}
	b.content = g.rules.Root
	h := holder{p: &peg.Program{Nodes: slices.Clone(b.p.Nodes), Root: b.p.Root}, speaks: map[peg.ID]bool{}, held: map[peg.ID]peg.ID{}, muted: map[peg.ID]peg.ID{}}
	if !h.contains(h.p.Root) {
		return errors.New("program: it has no content that a grammar could hold")
	}
	h.p.Root = h.hold(h.p.Root)
	b.p = h.p
	b.parents = make([]int, len(b.p.Nodes))
	for _, n := range b.p.Nodes {
		for _, k := range n.Kids {
			b.parents[k]++
		}
	}
	return nil
}

// holder rewrites a program so that every way through it has content once: what repeats it does so one time, and what
// comes after it has none.
type holder struct {
	p      *peg.Program
	speaks map[peg.ID]bool // has content
	held   map[peg.ID]peg.ID
	muted  map[peg.ID]peg.ID
}

// contains says whether a node has content. What is there for tolerance alone does not count.
func (h *holder) contains(id peg.ID) bool {
	if known, ok := h.speaks[id]; ok {
		return known
	}
	h.speaks[id] = false
	n := &h.p.Nodes[id]
	switch {
	case n.Op == peg.Tag && n.Role == peg.Content:
		h.speaks[id] = true
	case n.Op == peg.Rule && tolerance(n.Text), n.Op == peg.Tag && n.Role == peg.Reasoning:
	default:
		h.speaks[id] = slices.ContainsFunc(n.Kids, h.contains)
	}
	return h.speaks[id]
}

// copied is a node like id with other kids.
func (h *holder) copied(id peg.ID, kids []peg.ID) peg.ID {
	n := h.p.Nodes[id]
	n.Kids = kids
	return h.add(n)
}

func (h *holder) add(n peg.Node) peg.ID {
	h.p.Nodes = append(h.p.Nodes, n)
	return peg.ID(len(h.p.Nodes) - 1)
}

// hold is node id, which contains content, with content once.
func (h *holder) hold(id peg.ID) peg.ID {
	n := h.p.Nodes[id]
	if n.Op == peg.Tag && n.Role == peg.Content {
		return id
	}
	if known, ok := h.held[id]; ok {
		return known
	}
	h.held[id] = id
	var kids []peg.ID
	switch n.Op {
	case peg.Repeat:
		h.held[id] = h.hold(n.Kids[0])
		return h.held[id]
	case peg.Choice:
		for _, k := range n.Kids {
			if h.contains(k) {
				kids = append(kids, h.hold(k))
			}
		}
	default:
		kids = h.first(n.Kids)
	}
	h.held[id] = h.copied(id, kids)
	return h.held[id]
}

// first holds the first of kids that has content, and mutes the others.
func (h *holder) first(kids []peg.ID) []peg.ID {
	var out []peg.ID
	done := false
	for _, k := range kids {
		switch {
		case !h.contains(k):
		case done:
			k = h.mute(k)
		default:
			k, done = h.hold(k), true
		}
		out = append(out, k)
	}
	return out
}

// mute is node id without content.
func (h *holder) mute(id peg.ID) peg.ID {
	if !h.contains(id) {
		return id
	}
	if known, ok := h.muted[id]; ok {
		return known
	}
	h.muted[id] = id
	n := h.p.Nodes[id]
	if n.Op == peg.Tag && n.Role == peg.Content || n.Op == peg.Repeat {
		h.muted[id] = h.add(peg.Node{Op: peg.Empty})
		return h.muted[id]
	}
	var kids []peg.ID
	for _, k := range n.Kids {
		kids = append(kids, h.mute(k))
	}
	h.muted[id] = h.copied(id, kids)
	return h.muted[id]
}
