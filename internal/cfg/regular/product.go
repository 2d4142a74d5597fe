package regular

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/automaton"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/work"
)

// NewProduct returns the product of the automata of exprs and except. It returns nil if one of them
// is not regular, if the product has more than most states, or once the
// budget left is spent. What each step costs is counted by m.
func NewProduct(exprs, except []*cfg.Expr, most int, left *int, m *work.Meter) *Product {
	p := &Product{work: m, number: map[string]int{}, wanted: len(exprs)}
	var first [][]int32
	for _, e := range slices.Concat(exprs, except) {
		flat := New(&cfg.Rule{Name: "root", Body: e}).Flat(e)
		if flat == nil {
			return nil
		}
		c, start := automaton.Of(flat)
		m.Spend(c.States())
		p.codes = append(p.codes, c)
		first = append(first, start)
	}
	p.visit(first)
	for i := 0; i < len(p.states); i++ {
		if *left--; len(p.states) > most || *left < 0 {
			return nil
		}
		p.follow(i)
	}
	return p
}

// Product is a product automaton. It accepts what the first automata accept and the others do not.
type Product struct {
	codes  []*automaton.Automaton
	work   *work.Meter
	wanted int         // the number of automata that must accept
	states [][][]int32 // by state, then by automaton
	arcs   [][]productArc
	number map[string]int
}

// productArc is a transition on any character of set.
type productArc struct {
	set charset.Set
	to  int
}

// visit returns the number of a state, adding it if it is new.
func (p *Product) visit(s [][]int32) int {
	key := fmt.Sprint(s)
	n, ok := p.number[key]
	if !ok {
		n = len(p.states)
		p.number[key] = n
		p.states = append(p.states, s)
	}
	return n
}

// follow adds the transitions of state i, by characters that every automaton which must accept can
// read.
func (p *Product) follow(i int) {
	to := map[int]charset.Set{}
	var order []int
	held := len(p.codes)
	for _, s := range p.states[i] {
		held += len(s)
	}
	p.work.Spend(held)
	for _, part := range p.parts(p.states[i]) {
		p.work.Spend(held)
		next := make([][]int32, len(p.codes))
		for j, c := range p.codes {
			next[j] = c.Step(p.states[i][j], part.Lo)
		}
		n := p.visit(next)
		if to[n] == nil {
			order = append(order, n)
		}
		to[n] = to[n].Union(charset.Set{part})
	}
	var arcs []productArc
	for _, n := range order {
		arcs = append(arcs, productArc{to[n], n})
	}
	p.arcs = append(p.arcs, arcs)
}

// parts returns the ranges of characters that lead from s to one state each.
func (p *Product) parts(s [][]int32) []charset.Range {
	shared := charset.All
	var cuts []rune
	for j, c := range p.codes {
		var own charset.Set
		for _, r := range c.Partition(s[j]) {
			own = append(own, r)
			cuts = append(cuts, r.Lo, r.Hi+1)
		}
		if j < p.wanted {
			shared = shared.Intersect(charset.New(own...))
		}
	}
	slices.Sort(cuts)
	return shared.Cut(slices.Compact(cuts))
}

// accepts reports whether state i is final.
func (p *Product) accepts(i int) bool {
	for j, s := range p.states[i] {
		if p.codes[j].Accepts(s) != (j < p.wanted) {
			return false
		}
	}
	return true
}

// IsEmpty reports whether the product accepts no text.
func (p *Product) IsEmpty() bool { return !p.live()[0] }

// Rules creates a rule for each state that leads to a final one, and returns the call of the first.
func (p *Product) Rules(name string, named func(string) *cfg.Rule) *cfg.Expr {
	live := p.live()
	if !live[0] {
		return cfg.Nothing
	}
	states := make([]*cfg.Rule, len(p.states))
	for i := range states {
		if live[i] {
			states[i] = named(name)
		}
	}
	for i, arcs := range p.arcs {
		if !live[i] {
			continue
		}
		var kids []*cfg.Expr
		if p.accepts(i) {
			kids = append(kids, cfg.Empty)
		}
		for _, a := range arcs {
			if live[a.to] {
				kids = append(kids, cfg.Seq(cfg.Class(a.set), states[a.to].Call()))
			}
		}
		states[i].Body = cfg.Alt(kids...)
	}
	return states[0].Call()
}

// live returns which states lead to a final one.
func (p *Product) live() []bool {
	live := make([]bool, len(p.states))
	for changed := true; changed; {
		changed = false
		for i := len(p.arcs) - 1; i >= 0; i-- {
			now := p.accepts(i) || slices.ContainsFunc(p.arcs[i], func(a productArc) bool { return live[a.to] })
			changed = changed || now && !live[i]
			live[i] = now
		}
	}
	return live
}
