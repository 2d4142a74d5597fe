package grammar

// reachable lists root and every rule called from it, each followed by those that it calls.
func reachable(root *rule) []*rule {
	callers, _ := orders(root)
	return callers
}

// orders lists roots and every rule called from them twice: each before those that it calls, and each behind them. Where
// rules call each other in a circle, one of them stands out of order.
func orders(roots ...*rule) (callersFirst, calledFirst []*rule) {
	seen := map[*rule]bool{}
	var visit func(r *rule)
	var walk func(e *expr)
	walk = func(e *expr) {
		if e.op == call && !seen[e.rule] {
			visit(e.rule)
		}
		for _, k := range e.kids {
			walk(k)
		}
	}
	visit = func(r *rule) {
		seen[r] = true
		callersFirst = append(callersFirst, r)
		walk(r.body)
		calledFirst = append(calledFirst, r)
	}
	for _, r := range roots {
		if !seen[r] {
			visit(r)
		}
	}
	return callersFirst, calledFirst
}

// settle finds the rules for whose bodies holds is true, given those already known, in as many passes as circles of rules
// make necessary: without any, the second finds nothing new.
func settle(calledFirst []*rule, holds func(*expr, map[*rule]bool) bool) (known map[*rule]bool, passes int) {
	known = make(map[*rule]bool, len(calledFirst))
	for changed := true; changed; passes++ {
		changed = false
		for _, r := range calledFirst {
			if !known[r] && holds(r.body, known) {
				known[r], changed = true, true
			}
		}
	}
	return known, passes
}

// prune rewrites the rules reachable from root so that what can never match is left out, and reports whether root can
// match at all.
func prune(root *rule) bool {
	_, rules := orders(root)
	live, _ := settle(rules, productive)
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
// none of either. Of rules written the same, the one that root reaches first gives its name. It returns the rules that are
// left, each behind those that it calls, and how many times it went through them.
func merge(root *rule) (rules []*rule, passes int) {
	callersFirst, calledFirst := orders(root)
	m := merger{
		root:  root,
		to:    map[*rule]*expr{},
		first: make(map[string]*rule, len(calledFirst)),
		place: make(map[*rule]int, len(calledFirst)),
		texts: make(map[*rule]string, len(calledFirst)),
	}
	names := make([]string, len(callersFirst))
	for i, r := range callersFirst {
		m.place[r], names[i] = i, r.name
	}
	rules = calledFirst
	for before := -1; before != len(rules); passes++ {
		before = len(rules)
		rules = m.pass(rules)
	}
	for _, r := range rules {
		r.name = names[m.place[r]]
	}
	return rules, passes
}

// merger goes through rules, those that are called before those that call them, so that what merges at the bottom merges
// all the way up in one pass.
type merger struct {
	root  *rule
	to    map[*rule]*expr  // what stands in place of a rule
	first map[string]*rule // by what is written: the rule kept
	place map[*rule]int    // the first place that a rule or one like it has among all
	texts map[*rule]string // what is written, as far as it is known
	text  printer
}

// pass returns the rules that are left.
func (m *merger) pass(rules []*rule) []*rule {
	clear(m.first)
	m.text.dot = "."
	kept := rules[:0]
	for _, r := range rules {
		body := rewrite(r.body, func(e *expr) *expr { return follow(e, m.to) })
		if body != r.body {
			r.body = body
			delete(m.texts, r)
		}
		if r == m.root || !m.replace(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

// replace finds what to put in place of r: what it is another name for, or a rule before it that is written the same.
func (m *merger) replace(r *rule) bool {
	if r.body.op == literal || r.body.op == call && r.body.rule != r {
		m.to[r] = r.body
		return true
	}
	written, known := m.texts[r]
	if !known {
		m.text.Reset()
		m.text.expr(r.body, looseChoice)
		written = m.text.String()
		m.texts[r] = written
	}
	twin := m.first[written]
	if twin == nil {
		m.first[written] = r
		return false
	}
	m.to[r] = twin.call()
	m.place[twin] = min(m.place[twin], m.place[r])
	return true
}

// follow is what to put in place of the call e.
func follow(e *expr, to map[*rule]*expr) *expr {
	for range len(to) {
		other := to[e.rule]
		if other == nil {
			return e
		}
		if e = other; e.op != call {
			return e
		}
	}
	return e
}

// nullable says whether e matches the empty text, where known are rules that do.
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

// leftRecursive returns the first of rules that can call itself before anything is matched, or nil. calledFirst are the same
// rules, each behind those that it calls.
func leftRecursive(rules, calledFirst []*rule) *rule {
	known, _ := settle(calledFirst, nullable)
	const active, done = 1, 2
	state := map[*rule]int{}
	var enter func(r *rule) *rule
	var first func(e *expr) *rule
	first = func(e *expr) *rule {
		if e.op == call {
			return enter(e.rule)
		}
		for _, k := range e.kids {
			if r := first(k); r != nil {
				return r
			}
			if e.op == sequence && !nullable(k, known) {
				return nil
			}
		}
		return nil
	}
	enter = func(r *rule) *rule {
		switch state[r] {
		case active:
			return r
		case done:
			return nil
		}
		state[r] = active
		defer func() { state[r] = done }()
		return first(r.body)
	}
	for _, r := range rules {
		if found := enter(r); found != nil {
			return found
		}
	}
	return nil
}
