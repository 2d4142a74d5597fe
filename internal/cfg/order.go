package cfg

// Reachable returns root and all rules reachable from it in preorder: callers before callees.
func Reachable(root *Rule) []*Rule {
	callers, _ := Order(root)
	return callers
}

// Order returns the rules reachable from roots in preorder (callers before callees) and in
// postorder (callees before callers). In a cycle one rule is out of order.
func Order(roots ...*Rule) (callersFirst, calledFirst []*Rule) {
	seen := map[*Rule]bool{}
	var visit func(r *Rule)
	var walk func(e *Expr)
	walk = func(e *Expr) {
		if e.Op == OpCall && !seen[e.Rule] {
			visit(e.Rule)
		}
		for _, k := range e.Kids {
			walk(k)
		}
	}
	visit = func(r *Rule) {
		seen[r] = true
		callersFirst = append(callersFirst, r)
		walk(r.Body)
		calledFirst = append(calledFirst, r)
	}
	for _, r := range roots {
		if !seen[r] {
			visit(r)
		}
	}
	return callersFirst, calledFirst
}

// Fixpoint returns the rules whose bodies satisfy holds, which is given the rules known to satisfy
// it. Without cycles the second pass finds nothing new.
func Fixpoint(calledFirst []*Rule, holds func(*Expr, map[*Rule]bool) bool) (known map[*Rule]bool, passes int) {
	known = make(map[*Rule]bool, len(calledFirst))
	for changed := true; changed; passes++ {
		changed = false
		for _, r := range calledFirst {
			if !known[r] && holds(r.Body, known) {
				known[r], changed = true, true
			}
		}
	}
	return known, passes
}
