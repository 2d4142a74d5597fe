package peg

// Nullable returns, for each node, whether it can match without consuming anything. The program's references must be
// valid.
func (p *Program) Nullable() []bool { return p.nullable(p.parents()) }

func (p *Program) nullable(parents parents) []bool {
	return p.derive(parents, func(n *Node) bool { return !n.is(n.Op.kind().consumes) })
}

// endless returns, for each node, whether it can match short of the end of the input.
func (p *Program) endless(parents parents) []bool {
	return p.derive(parents, func(n *Node) bool { return !n.is(n.Op.kind().ends) })
}

// nameless returns, for each node, whether it can match without the name of a call.
func (p *Program) nameless(parents parents) []bool {
	return p.derive(parents, func(n *Node) bool { return n.Op != Tag || n.Role != CallName })
}

// derive returns the nodes that can match in some way, for example without consuming anything. A node can if may allows it
// and enough of its kids can. The time is linear in the size of the program, in whatever order its nodes are.
func (p *Program) derive(parents parents, may func(*Node) bool) []bool {
	can := make([]bool, len(p.Nodes))
	missing := make([]int32, len(p.Nodes))
	var fresh []ID
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if !may(n) {
			missing[i] = -1
		} else if missing[i] = int32(n.needs()); missing[i] == 0 {
			can[i] = true
			fresh = append(fresh, ID(i))
		}
	}
	for len(fresh) > 0 {
		id := fresh[len(fresh)-1]
		fresh = fresh[:len(fresh)-1]
		for _, up := range parents.of(id) {
			if missing[up]--; missing[up] == 0 {
				can[up] = true
				fresh = append(fresh, up)
			}
		}
	}
	return can
}

// needs returns how many kids the node needs in order to match.
func (n *Node) needs() int {
	switch n.Op.Shape() {
	case Chain:
		return len(n.Kids)
	case Alternatives, Wrapper:
		return 1
	case Loop:
		return min(n.Min, 1)
	}
	return 0 // a leaf, or a lookahead, which consumes nothing
}

// parents holds the nodes that refer to each node, as often as they do.
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
			all.ends[k+1]++ // at first, how many parents the node before has
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
			all.ends[k]++ // moves from the beginning of its parents to their end
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
