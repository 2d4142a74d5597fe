package cfg

// mayBeEmpty reports whether e matches the empty text; calls are taken not to.
func mayBeEmpty(e *Expr) bool { return Nullable(e, nil) }

// NonEmpty returns e, which is nullable, without the empty text. Repeated without bound both match
// the same, but llama.cpp rejects repetitions of nullable expressions as left recursion.
func NonEmpty(e *Expr) *Expr { return NonEmptyGiven(e, nil, nil) }

// NonEmptyGiven is like NonEmpty where the rules in known are nullable; rules returns the
// replacement for a call of one.
func NonEmptyGiven(e *Expr, known map[*Rule]bool, rules func(*Rule) *Expr) *Expr {
	if !Nullable(e, known) {
		return e
	}
	var kids []*Expr
	switch e.Op {
	case OpCall:
		return rules(e.Rule)
	case OpRepeat:
		return Times(1, e.Max, NonEmptyGiven(e.Kids[0], known, rules))
	case OpChoice:
		for _, k := range e.Kids {
			kids = append(kids, NonEmptyGiven(k, known, rules))
		}
	case OpSequence:
		for i, k := range e.Kids {
			kids = append(kids, Seq(append([]*Expr{NonEmptyGiven(k, known, rules)}, e.Kids[i+1:]...)...))
			if !Nullable(k, known) {
				break
			}
		}
	}
	return Alt(kids...)
}

// Nullable reports whether e matches the empty text, given the nullable rules.
func Nullable(e *Expr, known map[*Rule]bool) bool {
	switch e.Op {
	case OpLiteral:
		return e.Text == ""
	case OpCall:
		return known[e.Rule]
	case OpRepeat:
		return e.Min == 0 || Nullable(e.Kids[0], known)
	case OpSequence:
		for _, k := range e.Kids {
			if !Nullable(k, known) {
				return false
			}
		}
		return true
	case OpChoice:
		for _, k := range e.Kids {
			if Nullable(k, known) {
				return true
			}
		}
	}
	return false
}

// LeftRecursive returns the first of rules that can call itself before consuming anything, or nil.
// The slice calledFirst holds the same rules, callees before callers.
func LeftRecursive(rules, calledFirst []*Rule) *Rule {
	known, _ := Fixpoint(calledFirst, Nullable)
	const active, done = 1, 2
	state := map[*Rule]int{}
	var enter func(r *Rule) *Rule
	var first func(e *Expr) *Rule
	first = func(e *Expr) *Rule {
		if e.Op == OpCall {
			return enter(e.Rule)
		}
		for _, k := range e.Kids {
			if r := first(k); r != nil {
				return r
			}
			if e.Op == OpSequence && !Nullable(k, known) {
				return nil
			}
		}
		return nil
	}
	enter = func(r *Rule) *Rule {
		switch state[r] {
		case active:
			return r
		case done:
			return nil
		}
		state[r] = active
		defer func() { state[r] = done }()
		return first(r.Body)
	}
	for _, r := range rules {
		if found := enter(r); found != nil {
			return found
		}
	}
	return nil
}
