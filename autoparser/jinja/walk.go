package jinja

// children calls visit with each direct part of n, in the order in which Jinja2 visits them.
func children(n node, visit func(node)) {
	switch n := n.(type) {
	case *attributeOf:
		visit(n.of)
	case *elementOf:
		visit(n.of)
		visit(n.key)
	case *sliceOf:
		some(visit, n.of, n.start, n.stop, n.step)
	case *call:
		visit(n.of)
		n.args.visit(visit)
	case *filter:
		some(visit, n.of)
		n.args.visit(visit)
	case *test:
		visit(n.of)
		n.args.visit(visit)
	case *binary:
		visit(n.left)
		visit(n.right)
	case *comparison:
		visit(n.first)
		some(visit, n.rest...)
	case *logical:
		visit(n.left)
		visit(n.right)
	case *unary:
		visit(n.of)
	case *conditional:
		some(visit, n.test, n.then, n.otherwise)
	case *listOf:
		some(visit, n.items...)
	case *objectOf:
		for i := range n.keys {
			visit(n.keys[i])
			visit(n.values[i])
		}
	case *concatenation:
		some(visit, n.parts...)
	default:
		statementChildren(n, visit)
	}
}

// some calls visit with those of nodes that are there.
func some(visit func(node), nodes ...node) {
	for _, n := range nodes {
		if n != nil {
			visit(n)
		}
	}
}

func (a *callArguments) visit(visit func(node)) {
	some(visit, a.values...)
	some(visit, a.spread, a.more)
}

func statementChildren(n node, visit func(node)) {
	switch n := n.(type) {
	case *tupleTarget:
		some(visit, n.items...)
	case *attributeTarget:
		visit(n.of)
	case *output:
		some(visit, n.of...)
	case *ifBlock:
		for i := range n.tests {
			visit(n.tests[i])
			some(visit, n.bodies[i]...)
		}
		some(visit, n.otherwise...)
	case *forBlock:
		visit(n.target)
		visit(n.over)
		some(visit, n.body...)
		some(visit, n.otherwise...)
		some(visit, n.test)
	case *assignment:
		visit(n.target)
		visit(n.value)
	case *capture:
		visit(n.target)
		some(visit, n.filters()...)
		some(visit, n.body...)
	case *macro:
		n.visit(visit)
		some(visit, n.body...)
	case *callBlock:
		some(visit, n.calls()...)
		n.visit(visit)
		some(visit, n.body...)
	case *filterBlock:
		some(visit, n.body...)
		visit(n.filter)
	case *withBlock:
		some(visit, n.targets...)
		some(visit, n.values...)
		some(visit, n.body...)
	case *evaluation:
		visit(n.of)
	}
}

func (s *signature) visit(visit func(node)) {
	for _, p := range s.params {
		visit(p)
	}
	some(visit, s.defaults...)
}

// filters is the filter of a captured block as a list, empty where there is none.
func (c *capture) filters() []node {
	if c.filter == nil {
		return nil
	}
	return []node{c.filter}
}

func (c *callBlock) calls() []node {
	if c.call == nil {
		return nil
	}
	return []node{c.call}
}

// reads reports which of names are read in nodes before they are assigned there: Jinja2's find_undeclared.
func reads(nodes []node, names ...string) map[string]bool {
	looking, found := map[string]bool{}, map[string]bool{}
	for _, n := range names {
		looking[n] = true
	}
	var visit func(node)
	visit = func(n node) {
		switch n := n.(type) {
		case *name:
			if looking[n.id] {
				found[n.id] = true
			}
		case *nameTarget:
			delete(looking, n.id)
		default:
			children(n, visit)
		}
	}
	for _, n := range nodes {
		visit(n)
	}
	return found
}
