package cfg

// Merge makes one of rules that are written the same, and leaves out those that are only another name, until there are
// none of either. Of rules written the same, the one that root reaches first gives its name. It returns the rules that are
// left, each behind those that it calls, and how many times it went through them.
func Merge(root *Rule) (rules []*Rule, passes int) {
	callersFirst, calledFirst := Order(root)
	m := merger{
		root:  root,
		to:    map[*Rule]*Expr{},
		first: make(map[string]*Rule, len(calledFirst)),
		place: make(map[*Rule]int, len(calledFirst)),
		texts: make(map[*Rule]string, len(calledFirst)),
	}
	names := make([]string, len(callersFirst))
	for i, r := range callersFirst {
		m.place[r], names[i] = i, r.Name
	}
	rules = calledFirst
	for before := -1; before != len(rules); passes++ {
		before = len(rules)
		rules = m.pass(rules)
	}
	for _, r := range rules {
		r.Name = names[m.place[r]]
	}
	return rules, passes
}

// merger goes through rules, those that are called before those that call them, so that what merges at the bottom merges
// all the way up in one pass.
type merger struct {
	root  *Rule
	to    map[*Rule]*Expr  // what stands in place of a rule
	first map[string]*Rule // by what is written: the rule kept
	place map[*Rule]int    // the first place that a rule or one like it has among all
	texts map[*Rule]string // what is written, as far as it is known
	text  Printer
}

// pass returns the rules that are left.
func (m *merger) pass(rules []*Rule) []*Rule {
	clear(m.first)
	m.text.Any = "."
	kept := rules[:0]
	for _, r := range rules {
		body := Rewrite(r.Body, func(e *Expr) *Expr { return follow(e, m.to) })
		if body != r.Body {
			r.Body = body
			delete(m.texts, r)
		}
		if r == m.root || !m.replace(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

// replace finds what to put in place of r: what it is another name for, or a rule before it that is written the same.
func (m *merger) replace(r *Rule) bool {
	if r.Body.Op == OpLiteral || r.Body.Op == OpCall && r.Body.Rule != r {
		m.to[r] = r.Body
		return true
	}
	written, known := m.texts[r]
	if !known {
		m.text.Reset()
		m.text.expr(r.Body, InNothing)
		written = m.text.String()
		m.texts[r] = written
	}
	twin := m.first[written]
	if twin == nil {
		m.first[written] = r
		return false
	}
	m.to[r] = twin.Call()
	m.place[twin] = min(m.place[twin], m.place[r])
	return true
}

// follow is what to put in place of the call e.
func follow(e *Expr, to map[*Rule]*Expr) *Expr {
	for range len(to) {
		other := to[e.Rule]
		if other == nil {
			return e
		}
		if e = other; e.Op != OpCall {
			return e
		}
	}
	return e
}
