package peg

// Nullable says of every node whether it can match without consuming anything. The references of the program must be
// in order.
func (p *Program) Nullable() []bool {
	return p.derive(func(n *Node) int {
		switch n.Op {
		case Literal, Any, Value:
			return never
		case Chars:
			if n.Min > 0 {
				return never
			}
		case Sequence:
			return len(n.Kids)
		case Choice, Rule, Trigger, Atomic, Schema, Tag:
			return 1
		case Repeat:
			return min(n.Min, 1)
		}
		return 0 // empty, end, lookaheads, space, until, the inside of a string, an empty prompt
	})
}

// endless says of every node whether it can match short of the end of the input.
func (p *Program) endless() []bool {
	return p.derive(func(n *Node) int {
		switch n.Op {
		case End:
			return never
		case Until:
			if len(n.Delims) == 0 {
				return never
			}
		case Sequence:
			return len(n.Kids)
		case Choice, Rule, Trigger, Atomic, Schema, Tag:
			return 1
		case Repeat:
			return min(n.Min, 1)
		}
		return 0
	})
}

const never = -1

// derive finds the nodes of which something holds, where it holds of a node as soon as it holds of need(node) of its
// kids: at once (0), never, or so many. The time is linear in the size of the program, whatever its order.
func (p *Program) derive(need func(*Node) int) []bool {
	holds := make([]bool, len(p.Nodes))
	missing := make([]int, len(p.Nodes))
	parents := make([][]ID, len(p.Nodes))
	var fresh []ID
	for i := range p.Nodes {
		for _, k := range p.Nodes[i].Kids {
			parents[k] = append(parents[k], ID(i))
		}
		if missing[i] = need(&p.Nodes[i]); missing[i] == 0 {
			holds[i] = true
			fresh = append(fresh, ID(i))
		}
	}
	for len(fresh) > 0 {
		id := fresh[len(fresh)-1]
		fresh = fresh[:len(fresh)-1]
		for _, up := range parents[id] {
			if missing[up]--; missing[up] == 0 {
				holds[up] = true
				fresh = append(fresh, up)
			}
		}
	}
	return holds
}
