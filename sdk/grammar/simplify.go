package grammar

import "strings"

// reachable lists root and every rule called from it, each followed by those that it calls.
func reachable(root *rule) []*rule {
	var order []*rule
	seen := map[*rule]bool{}
	var visit func(r *rule)
	var walk func(e *expr)
	walk = func(e *expr) {
		if e.op == call {
			visit(e.rule)
		}
		for _, k := range e.kids {
			walk(k)
		}
	}
	visit = func(r *rule) {
		if !seen[r] {
			seen[r] = true
			order = append(order, r)
			walk(r.body)
		}
	}
	visit(root)
	return order
}

// prune rewrites the rules reachable from root so that what can never match is left out, and reports whether root can
// match at all.
func prune(root *rule) bool {
	rules := reachable(root)
	live := map[*rule]bool{}
	for changed := true; changed; {
		changed = false
		for _, r := range rules {
			if !live[r] && productive(r.body, live) {
				live[r], changed = true, true
			}
		}
	}
	if len(live) < len(rules) || hasNever(rules) {
		for _, r := range rules {
			r.body = rewrite(r.body, func(e *expr) *expr {
				if live[e.rule] {
					return e
				}
				return nothing
			})
		}
	}
	return live[root]
}

func hasNever(rules []*rule) bool {
	for _, r := range rules {
		if r.body.op == never {
			return true
		}
	}
	return false
}

func productive(e *expr, live map[*rule]bool) bool {
	switch e.op {
	case never:
		return false
	case call:
		return live[e.rule]
	case repeat:
		return e.min == 0 || productive(e.kids[0], live)
	case sequence:
		for _, k := range e.kids {
			if !productive(k, live) {
				return false
			}
		}
	case choice:
		for _, k := range e.kids {
			if productive(k, live) {
				return true
			}
		}
		return false
	}
	return true
}

// rewrite is e with every call exchanged for what to says of its rule, and simplified.
func rewrite(e *expr, to func(*expr) *expr) *expr {
	switch e.op {
	case call:
		return to(e)
	case sequence, choice, repeat:
		kids := make([]*expr, len(e.kids))
		changed := false
		for i, k := range e.kids {
			kids[i] = rewrite(k, to)
			changed = changed || kids[i] != k
		}
		switch {
		case !changed:
			return e
		case e.op == sequence:
			return seq(kids...)
		case e.op == choice:
			return alt(kids...)
		}
		return times(e.min, e.max, kids[0])
	}
	return e
}

// merge makes one of rules that are written the same, and leaves out those that are only another name, until there are
// none of either.
func merge(root *rule) {
	for {
		rules := reachable(root)
		first := map[string]*rule{}
		to := map[*rule]*expr{}
		var b strings.Builder
		for _, r := range rules[1:] {
			b.Reset()
			printExpr(&b, r.body, looseChoice)
			if same := first[b.String()]; same != nil {
				to[r] = same.call()
			} else if first[b.String()] = r; r.body.op == literal || r.body.op == call && r.body.rule != r {
				to[r] = r.body
			}
		}
		if len(to) == 0 {
			return
		}
		for _, r := range rules {
			r.body = rewrite(r.body, func(e *expr) *expr {
				for range rules {
					other := to[e.rule]
					if other == nil || other.op != call {
						return either(other, e)
					}
					e = other
				}
				return e
			})
		}
	}
}

func either(a, b *expr) *expr {
	if a != nil {
		return a
	}
	return b
}

// nullables tells which of rules match the empty text.
func nullables(rules []*rule) map[*rule]bool {
	known := map[*rule]bool{}
	for changed := true; changed; {
		changed = false
		for _, r := range rules {
			if !known[r] && nullable(r.body, known) {
				known[r], changed = true, true
			}
		}
	}
	return known
}

func nullable(e *expr, known map[*rule]bool) bool {
	switch e.op {
	case literal:
		return e.text == ""
	case call:
		return known[e.rule]
	case repeat:
		return e.min == 0 || nullable(e.kids[0], known)
	case sequence:
		for _, k := range e.kids {
			if !nullable(k, known) {
				return false
			}
		}
		return true
	case choice:
		for _, k := range e.kids {
			if nullable(k, known) {
				return true
			}
		}
	}
	return false
}
