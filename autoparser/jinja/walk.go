package jinja

// children calls visit with each direct part of n, in the order in which Jinja2 visits them.
func children(n node, visit func(node)) {
	some := func(nodes ...node) {
		for _, n := range nodes {
			if n != nil {
				visit(n)
			}
		}
	}
	switch n := n.(type) {
	case *attributeOf:
		some(n.of)
	case *elementOf:
		some(n.of, n.key)
	case *sliceOf:
		some(n.of, n.start, n.stop, n.step)
	case *call:
		some(n.of)
		n.args.visit(some)
	case *filter:
		some(n.of)
		n.args.visit(some)
	case *test:
		some(n.of)
		n.args.visit(some)
	case *binary:
		some(n.left, n.right)
	case *comparison:
		some(n.first)
		some(n.rest...)
	case *logical:
		some(n.left, n.right)
	case *unary:
		some(n.of)
	case *conditional:
		some(n.test, n.then, n.otherwise)
	case *listOf:
		some(n.items...)
	case *objectOf:
		for i := range n.keys {
			some(n.keys[i], n.values[i])
		}
	case *concatenation:
		some(n.parts...)
	default:
		statementChildren(n, some)
	}
}

func (a *callArguments) visit(some func(...node)) {
	some(a.values...)
	some(a.spread, a.more)
}

func statementChildren(n node, some func(...node)) {
	switch n := n.(type) {
	case *tupleTarget:
		some(n.items...)
	case *attributeTarget:
		some(n.of)
	case *output:
		some(n.of...)
	case *ifBlock:
		for i := range n.tests {
			some(n.tests[i])
			some(n.bodies[i]...)
		}
		some(n.otherwise...)
	case *forBlock:
		some(n.target, n.over)
		some(n.body...)
		some(n.otherwise...)
		some(n.test)
	case *assignment:
		some(n.target, n.value)
	case *capture:
		some(n.target)
		some(n.filters()...)
		some(n.body...)
	case *macro:
		n.visit(some)
		some(n.body...)
	case *callBlock:
		some(n.calls()...)
		n.visit(some)
		some(n.body...)
	case *filterBlock:
		some(n.body...)
		some(n.filter)
	case *withBlock:
		some(n.targets...)
		some(n.values...)
		some(n.body...)
	case *evaluation:
		some(n.of)
	}
}

func (s *signature) visit(some func(...node)) {
	for _, p := range s.params {
		some(p)
	}
	some(s.defaults...)
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
