// Package regular finds the parts of a grammar that are regular languages, and computes with them.
//
// A rule is regular if it does not call itself, or does so at its very end only, as the rules for
// the states of an automaton do; by Arden's lemma it then has an equivalent expression without
// calls (Analysis). A lexer reads what is regular in one piece, and regular languages can be
// intersected and subtracted (Product), which context-free ones cannot.
package regular

import (
	"slices"

	"github.com/dragoman-project/dragoman/internal/cfg"
)

// maxRegular bounds the weight of the expression for a regular rule.
const maxRegular = 1 << 15

// Analysis finds which rules of a grammar are regular, and their expressions without calls.
type Analysis struct {
	circle  map[*cfg.Rule]int // the number of the rule's strongly connected component
	members map[int][]*cfg.Rule
	known   map[*cfg.Rule]*cfg.Expr // expressions without calls; nil: not regular
	sizes   map[*cfg.Rule]int       // weights of expressions without calls; over maxRegular: not regular
}

// New analyses the rules reachable from root.
func New(root *cfg.Rule) *Analysis {
	r := &Analysis{circle: map[*cfg.Rule]int{}, members: map[int][]*cfg.Rule{}, known: map[*cfg.Rule]*cfg.Expr{}, sizes: map[*cfg.Rule]int{}}
	r.circles(root)
	return r
}

// circles numbers the strongly connected components (Tarjan).
func (r *Analysis) circles(root *cfg.Rule) {
	order, low := map[*cfg.Rule]int{}, map[*cfg.Rule]int{}
	var stack []*cfg.Rule
	var visit func(at *cfg.Rule)
	var walk func(at *cfg.Rule, e *cfg.Expr)
	walk = func(at *cfg.Rule, e *cfg.Expr) {
		if e.Op == cfg.OpCall {
			if _, seen := order[e.Rule]; !seen {
				visit(e.Rule)
				low[at] = min(low[at], low[e.Rule])
			} else if _, done := r.circle[e.Rule]; !done {
				low[at] = min(low[at], order[e.Rule])
			}
		}
		for _, k := range e.Kids {
			walk(at, k)
		}
	}
	visit = func(at *cfg.Rule) {
		order[at], low[at] = len(order), len(order)
		stack = append(stack, at)
		walk(at, at.Body)
		if low[at] != order[at] {
			return
		}
		n := len(r.members)
		for {
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			r.circle[last] = n
			r.members[n] = append(r.members[n], last)
			if last == at {
				slices.Reverse(r.members[n])
				return
			}
		}
	}
	visit(root)
}

// Flat returns e with all calls expanded, or nil if it is not regular.
func (r *Analysis) Flat(e *cfg.Expr) *cfg.Expr {
	ok := !has(e, cfg.OpToken)
	out := cfg.Rewrite(e, func(c *cfg.Expr) *cfg.Expr {
		body := r.FlatRule(c.Rule)
		if body == nil {
			ok = false
			return cfg.Nothing
		}
		return body
	})
	if !ok || weight(out) > maxRegular {
		return nil
	}
	return out
}

// IsRegular reports whether a rule is regular, expanding it only if necessary.
func (r *Analysis) IsRegular(of *cfg.Rule) bool { return r.size(of) <= maxRegular }

// size returns the weight of a rule once expanded; over maxRegular if it is not regular.
func (r *Analysis) size(of *cfg.Rule) int {
	if n, known := r.sizes[of]; known {
		return n
	}
	n := maxRegular + 1
	if !r.Recursive(of) {
		n = r.Written(of.Body)
	} else if e := r.FlatRule(of); e != nil {
		n = weight(e)
	}
	r.sizes[of] = n
	return n
}

// Written returns the weight of e with all calls expanded, or somewhat more than maxRegular.
func (r *Analysis) Written(e *cfg.Expr) int {
	switch e.Op {
	case cfg.OpCall:
		return r.size(e.Rule)
	case cfg.OpToken:
		return maxRegular + 1
	}
	n := 1 + len(e.Text) + 2*len(e.Set)
	for _, k := range e.Kids {
		if n > maxRegular {
			break
		}
		n += r.Written(k)
	}
	return n
}

// has reports whether e contains an expression of a kind, not looking into rules.
func has(e *cfg.Expr, kind cfg.Op) bool {
	return e.Op == kind || slices.ContainsFunc(e.Kids, func(k *cfg.Expr) bool { return has(k, kind) })
}

// FlatRule returns the body of a rule with all calls expanded, or nil if it is not regular.
func (r *Analysis) FlatRule(of *cfg.Rule) *cfg.Expr {
	if e, ok := r.known[of]; ok {
		return e
	}
	r.known[of] = nil
	if r.Recursive(of) {
		r.known[of] = r.solve(of)
	} else {
		r.known[of] = r.Flat(of.Body)
	}
	return r.known[of]
}

// Recursive reports whether a rule calls itself, directly or through others.
func (r *Analysis) Recursive(of *cfg.Rule) bool {
	if _, ok := r.circle[of]; !ok {
		return false // added later, from regular parts
	}
	return len(r.members[r.circle[of]]) > 1 || calls(of.Body, of)
}

func calls(e *cfg.Expr, to *cfg.Rule) bool {
	return e.Op == cfg.OpCall && e.Rule == to || slices.ContainsFunc(e.Kids, func(k *cfg.Expr) bool { return calls(k, to) })
}

// equation is a right-linear rule: for each rule of the component that it calls at its end, what
// precedes the call, and what it matches without any such call.
type equation struct {
	calls map[*cfg.Rule]*cfg.Expr
	alone *cfg.Expr
}

// solve eliminates the other rules of a component by Arden's lemma, the last ones first, and
// returns what remains for one of them.
func (r *Analysis) solve(of *cfg.Rule) *cfg.Expr {
	circle := r.members[r.circle[of]]
	equations := map[*cfg.Rule]*equation{}
	for _, m := range circle {
		if equations[m] = r.linear(m.Body, r.circle[of]); equations[m] == nil {
			return nil
		}
	}
	for _, gone := range slices.Backward(circle) {
		if gone == of {
			continue
		}
		q := equations[gone].looped(gone)
		delete(equations, gone)
		for _, e := range equations {
			if e.substitute(gone, q); e.weight() > maxRegular {
				return nil
			}
		}
	}
	return equations[of].looped(of).alone
}

// linear returns e as an equation, or nil if it calls rules of the component anywhere but at its
// end.
func (r *Analysis) linear(e *cfg.Expr, circle int) *equation {
	switch e.Op {
	case cfg.OpCall:
		if r.circle[e.Rule] == circle {
			return &equation{map[*cfg.Rule]*cfg.Expr{e.Rule: cfg.Empty}, cfg.Nothing}
		}
	case cfg.OpRepeat:
		if e.Min == 0 && e.Max == 1 {
			return r.linear(cfg.Alt(cfg.Empty, e.Kids[0]), circle)
		}
	case cfg.OpChoice:
		out := &equation{map[*cfg.Rule]*cfg.Expr{}, cfg.Nothing}
		for _, k := range e.Kids {
			part := r.linear(k, circle)
			if part == nil {
				return nil
			}
			out.add(cfg.Empty, part)
		}
		return out
	case cfg.OpSequence:
		last := len(e.Kids) - 1
		before := r.outside(cfg.Seq(e.Kids[:last]...), circle)
		part := r.linear(e.Kids[last], circle)
		if before == nil || part == nil {
			return nil
		}
		out := &equation{map[*cfg.Rule]*cfg.Expr{}, cfg.Nothing}
		out.add(before, part)
		return out
	}
	alone := r.outside(e, circle)
	if alone == nil {
		return nil
	}
	return &equation{map[*cfg.Rule]*cfg.Expr{}, alone}
}

// outside returns e with all calls expanded, or nil if it calls rules of the component.
func (r *Analysis) outside(e *cfg.Expr, circle int) *cfg.Expr {
	inside := false
	cfg.Rewrite(e, func(c *cfg.Expr) *cfg.Expr {
		inside = inside || r.circle[c.Rule] == circle
		return c
	})
	if inside {
		return nil
	}
	return r.Flat(e)
}

// add adds the alternatives of part, each preceded by before.
func (q *equation) add(before *cfg.Expr, part *equation) {
	q.alone = cfg.Alt(q.alone, cfg.Seq(before, part.alone))
	for to, e := range part.calls {
		q.calls[to] = cfg.Alt(q.coefficient(to), cfg.Seq(before, e))
	}
}

func (q *equation) coefficient(to *cfg.Rule) *cfg.Expr {
	if e := q.calls[to]; e != nil {
		return e
	}
	return cfg.Nothing
}

// looped replaces calls of the rule itself by a repetition.
func (q *equation) looped(self *cfg.Rule) *equation {
	loop := q.calls[self]
	if loop == nil {
		return q
	}
	out := &equation{map[*cfg.Rule]*cfg.Expr{}, cfg.Nothing}
	again := cfg.Star(loop)
	delete(q.calls, self)
	out.add(again, q)
	return out
}

// substitute replaces the calls of a rule by its equation.
func (q *equation) substitute(other *cfg.Rule, by *equation) {
	before := q.calls[other]
	if before == nil {
		return
	}
	delete(q.calls, other)
	q.add(before, by)
}

func (q *equation) weight() int {
	n := weight(q.alone)
	for _, e := range q.calls {
		n += weight(e)
	}
	return n
}

// weight returns the number of parts of e, or somewhat more than maxRegular.
func weight(e *cfg.Expr) int {
	n := 1 + len(e.Text) + 2*len(e.Set)
	for _, k := range e.Kids {
		if n > maxRegular {
			break
		}
		n += weight(k)
	}
	return n
}
