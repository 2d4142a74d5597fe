package cfg

// Prune removes what can never match from the rules reachable from root, and reports whether root
// can match anything.
func Prune(root *Rule) bool {
	_, rules := Order(root)
	live, _ := Fixpoint(rules, productive)
	if len(live) < len(rules) || hasNever(rules) {
		for _, r := range rules {
			r.Body = Rewrite(r.Body, func(e *Expr) *Expr {
				if live[e.Rule] {
					return e
				}
				return Nothing
			})
		}
	}
	return live[root]
}

func hasNever(rules []*Rule) bool {
	for _, r := range rules {
		if r.Body.Op == OpNever {
			return true
		}
	}
	return false
}

func productive(e *Expr, live map[*Rule]bool) bool {
	switch e.Op {
	case OpNever:
		return false
	case OpCall:
		return live[e.Rule]
	case OpRepeat:
		return e.Min == 0 || productive(e.Kids[0], live)
	case OpSequence:
		for _, k := range e.Kids {
			if !productive(k, live) {
				return false
			}
		}
	case OpChoice:
		for _, k := range e.Kids {
			if productive(k, live) {
				return true
			}
		}
		return false
	}
	return true
}

// Rewrite returns e with every call replaced by the result of to, simplified.
func Rewrite(e *Expr, to func(*Expr) *Expr) *Expr {
	switch e.Op {
	case OpCall:
		return to(e)
	case OpSequence, OpChoice, OpRepeat:
		kids := make([]*Expr, len(e.Kids))
		changed := false
		for i, k := range e.Kids {
			kids[i] = Rewrite(k, to)
			changed = changed || kids[i] != k
		}
		switch {
		case !changed:
			return e
		case e.Op == OpSequence:
			return Seq(kids...)
		case e.Op == OpChoice:
			return Alt(kids...)
		}
		return Times(e.Min, e.Max, kids[0])
	}
	return e
}
