package peg

// Nullable says of every node whether it can match without consuming anything. The references of the program must be
// in order.
func (p *Program) Nullable() []bool { return p.derive(p.parents(), nullable) }

// nullable is how many kids of a node must be able to match nothing for the node to be.
func nullable(n *Node) int {
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
}

// endless says of every node whether it can match short of the end of the input.
func (v *validator) endless() []bool {
	return v.derive(v.parents, func(n *Node) int {
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
func (p *Program) derive(parents parents, need func(*Node) int) []bool {
	holds := make([]bool, len(p.Nodes))
	missing := make([]int32, len(p.Nodes))
	var fresh []ID
	for i := range p.Nodes {
		if missing[i] = int32(need(&p.Nodes[i])); missing[i] == 0 {
			holds[i] = true
			fresh = append(fresh, ID(i))
		}
	}
	for len(fresh) > 0 {
		id := fresh[len(fresh)-1]
		fresh = fresh[:len(fresh)-1]
		for _, up := range parents.of(id) {
			if missing[up]--; missing[up] == 0 {
				holds[up] = true
				fresh = append(fresh, up)
			}
		}
	}
	return holds
}

// parents are the nodes that refer to each node, as often as they do.
//
//	ids: | parents of node 0 | parents of node 1 | …      ends: where each of them ends
type parents struct {
	ids  []ID
	ends []int32
}

func (p *Program) parents() parents {
	all := parents{ends: make([]int32, len(p.Nodes)+1)}
	n := 0
	for i := range p.Nodes {
		for _, k := range p.Nodes[i].Kids {
			all.ends[k+1]++ // of the node before, for now: how many
			n++
		}
	}
	for i := 1; i < len(all.ends); i++ {
		all.ends[i] += all.ends[i-1]
	}
	all.ids = make([]ID, n)
	for i := range p.Nodes {
		for _, k := range p.Nodes[i].Kids {
			all.ids[all.ends[k]] = ID(i)
			all.ends[k]++ // from where its parents begin to where they end
		}
	}
	return all
}

func (p parents) of(id ID) []ID {
	from := int32(0)
	if id > 0 {
		from = p.ends[id-1]
	}
	return p.ids[from:p.ends[id]]
}
