package grammar

import "slices"

// A lexer reads what is regular in one piece. Rules are regular if no rule calls itself, or if it does so only at its very
// end, as the states of an automaton do: then a regular expression says the same (Arden's lemma).

// maxRegular bounds the parts of the expression that stands for a regular rule.
const maxRegular = 1 << 15

// regulars finds the rules that are regular, and says them without calls.
type regulars struct {
	circle  map[*rule]int // rules that call each other have the same number
	members map[int][]*rule
	known   map[*rule]*expr // nil: not regular
	sizes   map[*rule]int   // the weight of what a rule matches, written out; over maxRegular: not regular
}

func newRegulars(root *rule) *regulars {
	r := &regulars{circle: map[*rule]int{}, members: map[int][]*rule{}, known: map[*rule]*expr{}, sizes: map[*rule]int{}}
	r.circles(root)
	return r
}

// circles numbers the rules so that those that call each other have one number (Tarjan).
func (r *regulars) circles(root *rule) {
	order, low := map[*rule]int{}, map[*rule]int{}
	var stack []*rule
	var visit func(at *rule)
	var walk func(at *rule, e *expr)
	walk = func(at *rule, e *expr) {
		if e.op == call {
			if _, seen := order[e.rule]; !seen {
				visit(e.rule)
				low[at] = min(low[at], low[e.rule])
			} else if _, done := r.circle[e.rule]; !done {
				low[at] = min(low[at], order[e.rule])
			}
		}
		for _, k := range e.kids {
			walk(at, k)
		}
	}
	visit = func(at *rule) {
		order[at], low[at] = len(order), len(order)
		stack = append(stack, at)
		walk(at, at.body)
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

// expr is e without calls; nil if it is not regular.
func (r *regulars) expr(e *expr) *expr {
	ok := !has(e, token)
	out := rewrite(e, func(c *expr) *expr {
		body := r.rule(c.rule)
		if body == nil {
			ok = false
			return nothing
		}
		return body
	})
	if !ok || weight(out) > maxRegular {
		return nil
	}
	return out
}

// regular says whether a rule is regular, without writing it out where that is not needed.
func (r *regulars) regular(of *rule) bool { return r.size(of) <= maxRegular }

// size is the weight of a rule that is written out; over maxRegular if it is not regular.
func (r *regulars) size(of *rule) int {
	if n, known := r.sizes[of]; known {
		return n
	}
	n := maxRegular + 1
	if !r.recursive(of) {
		n = r.written(of.body)
	} else if e := r.rule(of); e != nil {
		n = weight(e)
	}
	r.sizes[of] = n
	return n
}

// written is the weight of e with what it calls, or somewhat more than maxRegular.
func (r *regulars) written(e *expr) int {
	switch e.op {
	case call:
		return r.size(e.rule)
	case token:
		return maxRegular + 1
	}
	n := 1 + len(e.text) + 2*len(e.set)
	for _, k := range e.kids {
		if n > maxRegular {
			break
		}
		n += r.written(k)
	}
	return n
}

// has says whether there is an expression of that kind in e, without looking into rules.
func has(e *expr, kind op) bool {
	return e.op == kind || slices.ContainsFunc(e.kids, func(k *expr) bool { return has(k, kind) })
}

// rule is what a rule matches, without calls; nil if it is not regular.
func (r *regulars) rule(of *rule) *expr {
	if e, ok := r.known[of]; ok {
		return e
	}
	r.known[of] = nil
	if r.recursive(of) {
		r.known[of] = r.solve(of)
	} else {
		r.known[of] = r.expr(of.body)
	}
	return r.known[of]
}

func (r *regulars) recursive(of *rule) bool {
	if _, ok := r.circle[of]; !ok {
		return false // made later on, of what is regular
	}
	return len(r.members[r.circle[of]]) > 1 || calls(of.body, of)
}

func calls(e *expr, to *rule) bool {
	return e.op == call && e.rule == to || slices.ContainsFunc(e.kids, func(k *expr) bool { return calls(k, to) })
}

// equation is a rule of a circle: what stands before a call of each other one at its end, and what is matched without any.
type equation struct {
	calls map[*rule]*expr
	alone *expr
}

// solve eliminates the other rules of a circle, the last ones first, and is what remains of rule of.
func (r *regulars) solve(of *rule) *expr {
	circle := r.members[r.circle[of]]
	equations := map[*rule]*equation{}
	for _, m := range circle {
		if equations[m] = r.linear(m.body, r.circle[of]); equations[m] == nil {
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

// linear reads an expression as an equation; nil if it calls rules of the circle elsewhere than at its end.
func (r *regulars) linear(e *expr, circle int) *equation {
	switch e.op {
	case call:
		if r.circle[e.rule] == circle {
			return &equation{map[*rule]*expr{e.rule: empty}, nothing}
		}
	case repeat:
		if e.min == 0 && e.max == 1 {
			return r.linear(alt(empty, e.kids[0]), circle)
		}
	case choice:
		out := &equation{map[*rule]*expr{}, nothing}
		for _, k := range e.kids {
			part := r.linear(k, circle)
			if part == nil {
				return nil
			}
			out.add(empty, part)
		}
		return out
	case sequence:
		last := len(e.kids) - 1
		before := r.outside(seq(e.kids[:last]...), circle)
		part := r.linear(e.kids[last], circle)
		if before == nil || part == nil {
			return nil
		}
		out := &equation{map[*rule]*expr{}, nothing}
		out.add(before, part)
		return out
	}
	alone := r.outside(e, circle)
	if alone == nil {
		return nil
	}
	return &equation{map[*rule]*expr{}, alone}
}

// outside is e without calls, of which none may be of the circle.
func (r *regulars) outside(e *expr, circle int) *expr {
	inside := false
	rewrite(e, func(c *expr) *expr {
		inside = inside || r.circle[c.rule] == circle
		return c
	})
	if inside {
		return nil
	}
	return r.expr(e)
}

// add adds what part says, behind before.
func (q *equation) add(before *expr, part *equation) {
	q.alone = alt(q.alone, seq(before, part.alone))
	for to, e := range part.calls {
		q.calls[to] = alt(q.coefficient(to), seq(before, e))
	}
}

func (q *equation) coefficient(to *rule) *expr {
	if e := q.calls[to]; e != nil {
		return e
	}
	return nothing
}

// looped says a call of the rule itself as a repetition.
func (q *equation) looped(self *rule) *equation {
	loop := q.calls[self]
	if loop == nil {
		return q
	}
	out := &equation{map[*rule]*expr{}, nothing}
	again := star(loop)
	delete(q.calls, self)
	out.add(again, q)
	return out
}

// substitute puts what another rule says in the place of its calls.
func (q *equation) substitute(other *rule, says *equation) {
	before := q.calls[other]
	if before == nil {
		return
	}
	delete(q.calls, other)
	q.add(before, says)
}

func (q *equation) weight() int {
	n := weight(q.alone)
	for _, e := range q.calls {
		n += weight(e)
	}
	return n
}

// weight is the number of parts that e has when it is written out, or somewhat more than maxRegular.
func weight(e *expr) int {
	n := 1 + len(e.text) + 2*len(e.set)
	for _, k := range e.kids {
		if n > maxRegular {
			break
		}
		n += weight(k)
	}
	return n
}
