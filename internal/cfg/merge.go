package cfg

import "github.com/dragoman-project/dragoman/internal/work"

// Merge unifies rules with equal bodies and inlines those that are a literal or a mere alias, until
// a fixpoint is reached. Of equal rules, the one that root reaches first lends its name. Merge
// returns the remaining rules, callees before callers, and the number of passes that it took. It ends
// with the context of the meter.
func Merge(work *work.Meter, root *Rule) (rules []*Rule, passes int) {
	callersFirst, calledFirst := Order(root)
	m := merger{
		work:  work,
		root:  root,
		to:    map[*Rule]*Expr{},
		first: make(map[string]*Rule, len(calledFirst)),
		place: make(map[*Rule]int, len(calledFirst)),
		texts: make(map[*Rule]string, len(calledFirst)),
	}
	m.text.Work = work
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

// merger goes through rules, callees before callers, so that rules which become equal because their
// callees were merged are merged in the same pass.
type merger struct {
	work  *work.Meter
	root  *Rule
	to    map[*Rule]*Expr  // what replaces a rule
	first map[string]*Rule // the rule to keep, by its printed body
	place map[*Rule]int    // the first position of a rule, or of one merged into it, in the original order
	texts map[*Rule]string // printed bodies, as far as known
	text  Printer
}

// pass merges rules once and returns the remaining ones.
func (m *merger) pass(rules []*Rule) []*Rule {
	clear(m.first)
	m.text.Any = "."
	kept := rules[:0]
	for _, r := range rules {
		m.work.Check()
		m.work.Spend(1 + len(r.Body.Kids))
		body := Rewrite(r.Body, func(e *Expr) *Expr {
			m.work.Spend(1)
			return follow(e, m.to)
		})
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

// replace records what replaces r, if anything does: the expression it is an alias for, or an
// earlier rule with an equal body.
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

// follow returns what replaces the call e.
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
