package grammar

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
	rules := reachable(root)
	written := make(map[*rule]string, len(rules)) // of the rules that have not changed
	for {
		to := twins(rules, written)
		if len(to) == 0 {
			return
		}
		kept := rules[:0]
		for _, r := range rules {
			if to[r] != nil {
				continue
			}
			kept = append(kept, r)
			body := rewrite(r.body, func(e *expr) *expr { return follow(e, to) })
			if body != r.body {
				r.body = body
				delete(written, r)
			}
		}
		rules = kept
	}
}

// twins says what to put in place of each rule that is another name for something, or written like a rule before it. The
// first of rules is root and stays.
func twins(rules []*rule, written map[*rule]string) map[*rule]*expr {
	first := make(map[string]*rule, len(rules))
	to := map[*rule]*expr{}
	p := printer{dot: "."}
	for _, r := range rules[1:] {
		if r.body.op == literal || r.body.op == call && r.body.rule != r {
			to[r] = r.body
			continue
		}
		if written[r] == "" {
			p.Reset()
			p.expr(r.body, looseChoice)
			written[r] = p.String()
		}
		if twin := first[written[r]]; twin != nil {
			to[r] = twin.call()
		} else {
			first[written[r]] = r
		}
	}
	return to
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

// leftRecursive returns a rule that can call itself before anything is matched, or nil.
func leftRecursive(rules []*rule) *rule {
	known := nullables(rules)
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
