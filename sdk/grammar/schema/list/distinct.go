package list

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
)

// Distinct returns a list of lo to hi of values, each at most once, in any order; hi < 0 means
// unbounded.
func Distinct(b *rules.Set, values []*cfg.Expr, lo, hi int, name string) *cfg.Expr {
	d := distinctList{b: b, values: values, lo: lo, hi: hi, name: name, rests: map[int]*cfg.Rule{}}
	return d.more(0, 0)
}

type distinctList struct {
	b      *rules.Set
	values []*cfg.Expr
	lo, hi int
	name   string
	rests  map[int]*cfg.Rule // by the set of values used
}

// more returns what may follow n values, those of the set taken.
func (d *distinctList) more(taken, n int) *cfg.Expr {
	var kids []*cfg.Expr
	if n >= d.lo {
		kids = append(kids, cfg.Empty)
	}
	for i, v := range d.values {
		if taken&(1<<i) == 0 && (d.hi < 0 || n < d.hi) {
			kids = append(kids, cfg.Seq(Comma(d.b, n > 0), v, d.rest(taken|1<<i, n+1)))
		}
	}
	return cfg.Alt(kids...)
}

// rest returns the rule for what may follow.
func (d *distinctList) rest(taken, n int) *cfg.Expr {
	r := d.rests[taken]
	if r == nil {
		r = d.b.NewRule(d.name)
		d.rests[taken] = r
		r.Body = d.more(taken, n)
	}
	return r.Call()
}
