package peg

import (
	"cmp"
	"fmt"
	"slices"
)

// Limits of a program. They bound what a program from another process can cost before it runs.
const (
	// MaxNodes is how many nodes a program may have.
	MaxNodes = 100_000
	// MaxText is how many bytes of text, delimiters and schemas it may hold.
	MaxText = 4 << 20
	// MaxRepeat is the largest finite bound of a Repeat, which is unrolled; Chars counts without limit.
	MaxRepeat = 256
)

// Validate reports whether the program may run. The error is a Defects with everything that was found; a program with
// broken references is not examined further. Prompt nodes must be bound first.
func (p *Program) Validate() error {
	v := &validator{Program: p}
	fits := v.size()
	if fits && v.shape() {
		v.parents = p.parents()
		v.nullable = p.nullable(v.parents)
		v.recursion()
		v.repetition()
		v.ending()
		v.nesting()
	}
	if len(v.found) == 0 {
		return nil
	}
	slices.SortStableFunc(v.found, func(a, b Defect) int { return cmp.Compare(a.Node, b.Node) })
	if fits {
		v.quote()
	}
	return v.found
}

type validator struct {
	*Program
	parents  parents
	nullable []bool
	found    Defects
}

func (v *validator) add(node ID, fix, what string, args ...any) {
	v.found = append(v.found, Defect{Node: node, What: fmt.Sprintf(what, args...), Fix: fix})
}

// exceed adds that the program is larger than allowed.
func (v *validator) exceed(fix, what string, args ...any) {
	v.found = append(v.found, Defect{What: fmt.Sprintf(what, args...), Fix: fix, Limit: true})
}

// size reports whether the program is small enough to be examined.
func (v *validator) size() bool {
	if len(v.Nodes) > MaxNodes {
		v.exceed("use rules for what is repeated", "%d nodes, at most %d are allowed", len(v.Nodes), MaxNodes)
		return false
	}
	text := 0
	for i := range v.Nodes {
		n := &v.Nodes[i]
		text += len(n.Text) + len(n.JSONSchema.Raw())
		for _, d := range n.Delims {
			text += len(d)
		}
	}
	if text > MaxText {
		v.exceed("shorten its texts and schemas", "%d bytes of text, at most %d are allowed", text, MaxText)
	}
	return text <= MaxText
}

// shape checks each node by itself, and that all references lead to nodes.
func (v *validator) shape() bool {
	if v.Root < 0 || int(v.Root) >= len(v.Nodes) {
		v.add(v.Root, "set the root to a node", "the root is not among the %d nodes", len(v.Nodes))
	}
	for i := range v.Nodes {
		v.kids(ID(i))
		if check := v.Nodes[i].Op.kind().check; check != nil {
			check(v, ID(i))
		}
	}
	return len(v.found) == 0
}

// kids checks that a node has as many kids as its shape wants, and that they exist.
func (v *validator) kids(id ID) {
	n := &v.Nodes[id]
	for _, k := range n.Kids {
		if k < 0 || int(k) >= len(v.Nodes) {
			v.add(id, "refer to existing nodes", "refers to node %d of %d", k, len(v.Nodes))
		}
	}
	switch shape := n.Op.Shape(); {
	case shape == Chain, shape.HasOneKid() && len(n.Kids) == 1:
	case shape == Alternatives:
		if len(n.Kids) == 0 {
			v.add(id, "add one", "a choice without alternatives")
		}
	case isRule(n) && len(n.Kids) == 0:
		v.add(id, "define it with Builder.Rule", "rule %q is used but not defined", n.Text)
	case isRule(n):
		v.add(id, "make a sequence of them", "rule %q has %d bodies", n.Text, len(n.Kids))
	case shape.HasOneKid():
		v.add(id, "give it exactly one", "%d kids", len(n.Kids))
	case len(n.Kids) > 0:
		v.add(id, "leave them out", "has kids, which its kind does not use")
	}
}

// repetition finds loops that could go round without consuming anything.
func (v *validator) repetition() {
	for i := range v.Nodes {
		if n := &v.Nodes[i]; n.Op.Shape() == Loop && n.Max < 0 && v.nullable[n.Kids[0]] {
			v.add(ID(i), "repeat something that cannot be empty", "repeats without bound what can be empty")
		}
	}
}

// ending checks that the program accounts for the whole input.
func (v *validator) ending() {
	if v.endless(v.parents)[v.Root] {
		v.add(v.Root, "end it in an end node", "the program can match without reaching the end of the input")
	}
}
