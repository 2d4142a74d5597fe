package peg

// recursion finds rules that refer to themselves before anything is consumed, and nodes that contain themselves with no
// rule in between.
func (v *validator) recursion() {
	v.cycles("name the part that repeats as a rule", "contains itself", func(n *Node) []ID {
		if isRule(n) {
			return nil
		}
		return n.Kids
	})
	v.cycles("consume something before coming back", "left recursion", func(n *Node) []ID {
		if n.Op.Shape() != Chain {
			return n.Kids
		}
		for i, k := range n.Kids {
			if !v.nullable[k] {
				return n.Kids[:i+1]
			}
		}
		return n.Kids
	})
}

// cycles reports each node at which a walk along the edges returned by next comes back to its own path. It keeps a stack
// of its own, because a program from another process may be as deep as it is long.
func (v *validator) cycles(fix, what string, next func(*Node) []ID) {
	const (
		unseen = iota
		open
		done
	)
	type visit struct {
		node ID
		kids []ID
	}
	state := make([]uint8, len(v.Nodes))
	var path []visit
	enter := func(id ID) {
		switch state[id] {
		case open:
			v.add(id, fix, "%s", what)
		case unseen:
			state[id] = open
			path = append(path, visit{id, next(&v.Nodes[id])})
		}
	}
	for i := range v.Nodes {
		enter(ID(i))
		for len(path) > 0 {
			top := &path[len(path)-1]
			if len(top.kids) == 0 {
				state[top.node] = done
				path = path[:len(path)-1]
				continue
			}
			kid := top.kids[0]
			top.kids = top.kids[1:]
			enter(kid)
		}
	}
}
