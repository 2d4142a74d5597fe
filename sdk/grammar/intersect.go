package grammar

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// maxProducts bounds the states of all products of one program.
const maxProducts = 1 << 14

// maxProduct bounds the states of what must match several expressions at once, each of which becomes a rule.
const maxProduct = 128

// product is text that each of exprs matches and none of except; nil where it would take too many rules to say, or where one
// of them is not regular. Nothing matches where no text does.
func (b *builder) product(name string, exprs, except []*expr) *expr {
	p := b.sideBySide(exprs, except, maxProduct)
	if p == nil {
		return nil
	}
	return p.rules(name, b.named)
}

// maxSearched bounds the states in which is searched for a text of one expression that is none of another.
const maxSearched = 1024

// within says for certain that every text of one expression is one of the other, too.
func (b *builder) within(of, in *expr) bool {
	p := b.sideBySide([]*expr{of}, []*expr{in}, maxSearched)
	return p != nil && !p.live()[0]
}

// sideBySide runs the automata of exprs and except side by side; nil where one is not regular, or there are more than most
// states.
func (b *builder) sideBySide(exprs, except []*expr, most int) *product {
	p := &product{number: map[string]int{}, wanted: len(exprs)}
	var first [][]int32
	for _, e := range slices.Concat(exprs, except) {
		root := &rule{name: "root", body: e}
		flat := newRegulars(root).expr(e)
		if flat == nil {
			return nil
		}
		c := &code{states: []state{{kind: stateEnd}}}
		start := c.compile(flat, 0)
		p.codes = append(p.codes, c)
		first = append(first, c.closure([]int32{start}))
	}
	p.visit(first)
	for i := 0; i < len(p.states); i++ {
		if b.states--; len(p.states) > most || b.states < 0 {
			return nil
		}
		p.follow(i)
	}
	return p
}

// product runs several automata side by side.
type product struct {
	codes  []*code
	wanted int         // how many of them, the first ones, must match; the others must not
	states [][][]int32 // by state, and within it by automaton
	arcs   [][]productArc
	number map[string]int
}

// productArc leads by one of set to a state.
type productArc struct {
	set charset
	to  int
}

// visit is the number of a state.
func (p *product) visit(s [][]int32) int {
	key := fmt.Sprint(s)
	n, ok := p.number[key]
	if !ok {
		n = len(p.states)
		p.number[key] = n
		p.states = append(p.states, s)
	}
	return n
}

// follow finds where state i leads: by characters that every automaton reads which must match.
func (p *product) follow(i int) {
	to := map[int]charset{}
	var order []int
	for _, part := range p.parts(p.states[i]) {
		next := make([][]int32, len(p.codes))
		for j, c := range p.codes {
			next[j] = c.closure(c.read(p.states[i][j], part.Lo))
		}
		n := p.visit(next)
		if to[n] == nil {
			order = append(order, n)
		}
		to[n] = to[n].union(charset{part})
	}
	var arcs []productArc
	for _, n := range order {
		arcs = append(arcs, productArc{to[n], n})
	}
	p.arcs = append(p.arcs, arcs)
}

// parts are ranges of characters that every automaton reads which must match, cut so that those of one lead to one state.
func (p *product) parts(s [][]int32) []peg.Range {
	shared := everyChar
	var cuts []rune
	for j, c := range p.codes {
		var own charset
		for _, r := range c.partition(s[j]) {
			own = append(own, r)
			cuts = append(cuts, r.Lo, r.Hi+1)
		}
		if j < p.wanted {
			shared = shared.intersect(newCharset(own...))
		}
	}
	slices.Sort(cuts)
	return shared.cut(slices.Compact(cuts))
}

// cut is s in ranges that end before each of cuts.
func (s charset) cut(cuts []rune) []peg.Range {
	var out []peg.Range
	for _, r := range s {
		lo := r.Lo
		for _, cut := range cuts {
			if cut > lo && cut <= r.Hi {
				out = append(out, peg.Range{Lo: lo, Hi: cut - 1})
				lo = cut
			}
		}
		out = append(out, peg.Range{Lo: lo, Hi: r.Hi})
	}
	return out
}

// accepts says whether the text may end in state i.
func (p *product) accepts(i int) bool {
	for j, s := range p.states[i] {
		if slices.Contains(s, 0) != (j < p.wanted) {
			return false
		}
	}
	return true
}

// rules makes a rule of each state from which the text can end, and is the call of the first.
func (p *product) rules(name string, named func(string) *rule) *expr {
	live := p.live()
	if !live[0] {
		return nothing
	}
	states := make([]*rule, len(p.states))
	for i := range states {
		if live[i] {
			states[i] = named(name)
		}
	}
	for i, arcs := range p.arcs {
		if !live[i] {
			continue
		}
		var kids []*expr
		if p.accepts(i) {
			kids = append(kids, empty)
		}
		for _, a := range arcs {
			if live[a.to] {
				kids = append(kids, seq(oneOf(a.set), states[a.to].call()))
			}
		}
		states[i].body = alt(kids...)
	}
	return states[0].call()
}

// live are the states from which the text can end.
func (p *product) live() []bool {
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
