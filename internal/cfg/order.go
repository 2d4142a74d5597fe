package cfg

// Reachable lists root and every rule called from it, each followed by those that it calls.
func Reachable(root *Rule) []*Rule {
	callers, _ := Order(root)
	return callers
}

// Order lists roots and every rule called from them twice: each before those that it calls, and each behind them. Where
// rules call each other in a circle, one of them stands out of order.
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

// Fixpoint finds the rules for whose bodies holds is true, given those already known, in as many passes as circles of rules
// make necessary: without any, the second finds nothing new.
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
