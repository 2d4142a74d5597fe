package peg

import (
	"cmp"
	"fmt"
	"slices"
)

// Limits of a program. They bound what a program from a foreign process can cost before it runs.
const (
	// MaxNodes is how many nodes a program may have.
	MaxNodes = 100_000
	// MaxText is how many bytes of text, delimiters and schemas it may hold.
	MaxText = 4 << 20
	// MaxRepeat is the largest finite bound of a Repeat, which is unrolled; Chars counts without limit.
	MaxRepeat = 256
)

// Validate says whether the program may run. The error is a Defects with everything that was found; a program whose
// references are broken is not examined further. Prompt nodes must be bound first.
func (p *Program) Validate() error {
	v := &validator{Program: p}
	fits := v.size()
	if fits && v.shape() {
		v.parents = p.parents()
		v.nullable = p.derive(v.parents, nullable)
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

// size says whether the program is small enough to look at.
func (v *validator) size() bool {
	if len(v.Nodes) > MaxNodes {
		v.add(0, "use rules for what is repeated", "%d nodes, at most %d are allowed", len(v.Nodes), MaxNodes)
		return false
	}
	text := 0
	for i := range v.Nodes {
		n := &v.Nodes[i]
		text += len(n.Text) + len(n.JSONSchema)
		for _, d := range n.Delims {
			text += len(d)
		}
	}
	if text > MaxText {
		v.add(0, "shorten its texts and schemas", "%d bytes of text, at most %d are allowed", text, MaxText)
	}
	return text <= MaxText
}

// shape checks each node by itself, and that all references lead somewhere.
func (v *validator) shape() bool {
	if v.Root < 0 || int(v.Root) >= len(v.Nodes) {
		v.add(v.Root, "let root be one of the nodes", "the root is not among the %d nodes", len(v.Nodes))
	}
	for i := range v.Nodes {
		v.kids(ID(i))
		v.fields(ID(i))
	}
	return len(v.found) == 0
}

func (v *validator) kids(id ID) {
	n := &v.Nodes[id]
	for _, k := range n.Kids {
		if k < 0 || int(k) >= len(v.Nodes) {
			v.add(id, "refer to nodes that exist", "refers to node %d of %d", k, len(v.Nodes))
		}
	}
	switch n.Op {
	case Sequence:
	case Choice:
		if len(n.Kids) == 0 {
			v.add(id, "give it an alternative", "a choice of nothing")
		}
	case Rule, Trigger:
		if len(n.Kids) == 0 {
			v.add(id, "define it with Builder.Rule", "rule %q is referred to and has no body", n.Text)
		} else if len(n.Kids) > 1 {
			v.add(id, "make a sequence of them", "rule %q has %d bodies", n.Text, len(n.Kids))
		}
	case Repeat, Peek, Not, Atomic, Schema, Tag:
		if len(n.Kids) != 1 {
			v.add(id, "give it exactly one", "%d children", len(n.Kids))
		}
	default:
		if len(n.Kids) != 0 {
			v.add(id, "leave them out", "has children, which its kind does not use")
		}
	}
}

func (v *validator) fields(id ID) {
	n := &v.Nodes[id]
	switch n.Op {
	case Literal:
		if n.Text == "" {
			v.add(id, "use an empty node", "a literal without text")
		}
	case Until:
		if slices.Contains(n.Delims, "") {
			v.add(id, "remove it", "an empty delimiter")
		}
	case StringContent:
		if len(n.Text) != 1 || n.Text == `\` {
			v.add(id, "let it be one byte that is not a backslash", "the quote is %q", n.Text)
		}
	case Value:
		if n.Values&AnyJSON == 0 || n.Values&^AnyPython != 0 {
			v.add(id, "name kinds of values that exist", "accepts no kind of value")
		}
	case Repeat:
		v.bounds(id)
		if n.Min > MaxRepeat || n.Max > MaxRepeat {
			v.add(id, "count with Chars, or leave the repetition without bound", "repeats up to %d times, at most %d are allowed", max(n.Min, n.Max), MaxRepeat)
		}
	case Chars:
		v.bounds(id)
		for _, r := range n.Ranges {
			if r.Lo > r.Hi || r.Lo < 0 {
				v.add(id, "order its ends", "the range %#x to %#x is empty", r.Lo, r.Hi)
			}
		}
	case Tag:
		if n.Role > Missing {
			v.add(id, "use a role that exists", "role %d is unknown", n.Role)
		}
		if n.Text == "" && n.Role == Missing {
			v.add(id, "give it the text of the marker", "a missing marker without text")
		}
		if n.Text != "" && n.Role != CallID && n.Role != CallName && n.Role != Key && n.Role != Missing {
			v.add(id, "leave it to what is matched", "text %q for the role %s, which is told as it streams", n.Text, n.Role)
		}
	case Prompt:
		v.add(id, "bind it first, with Program.Bind", "the generation prompt is not bound")
	default:
		if n.Op > Prompt {
			v.add(id, "use a kind that exists", "kind %d is unknown", n.Op)
		}
	}
}

func (v *validator) bounds(id ID) {
	if n := &v.Nodes[id]; n.Min < 0 || n.Max >= 0 && n.Max < n.Min {
		v.add(id, "order them", "the bounds %d and %d", n.Min, n.Max)
	}
}

// repetition finds loops that could go round without consuming anything.
func (v *validator) repetition() {
	for i := range v.Nodes {
		if n := &v.Nodes[i]; n.Op == Repeat && n.Max < 0 && v.nullable[n.Kids[0]] {
			v.add(ID(i), "repeat something that cannot be empty", "repeats without bound what can be empty")
		}
	}
}

// ending checks that the program accounts for the whole input.
func (v *validator) ending() {
	if v.endless()[v.Root] {
		v.add(v.Root, "let it end in an end node", "the program can match without reaching the end of the input")
	}
}
