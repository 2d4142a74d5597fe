package list

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
)

// maxCounted bounds the rules that it takes to count members: one for each place and number of those before it.
const maxCounted = 256

// memberCounter says how many members there are besides those that are required: lo to hi of them; hi < 0: without bound.
type memberCounter struct {
	Members
	lo, hi int
	rests  map[[2]int]*cfg.Rule // by the next of the optional members and the number of those that are there
}

// from is what may follow n members, of the optional ones those from number i on; behind says that any member stands before.
func (m *memberCounter) from(i, n int, behind bool) *cfg.Expr {
	full := m.hi >= 0 && n == m.hi
	switch {
	case i < len(m.Optionals) && !full:
		with := cfg.Seq(Comma(m.Rules, behind), m.Optionals[i], m.rest(i+1, n+1, true))
		without := m.rest(i+1, n, behind)
		if without == cfg.Empty {
			return cfg.Optional(with)
		}
		return cfg.Alt(with, without)
	case m.More != nil && !full:
		left := -1
		if m.hi >= 0 {
			left = m.hi - n
		}
		return More(m.Rules, m.More, behind, max(m.lo-n, 0), left)
	case n < m.lo:
		return cfg.Nothing
	}
	return cfg.Empty
}

// rest is the rule of what may follow.
func (m *memberCounter) rest(i, n int, behind bool) *cfg.Expr {
	if m.hi < 0 {
		n = min(n, m.lo) // more are as good as enough
	}
	if !behind || i == len(m.Optionals) {
		return m.from(i, n, behind) // there is no other place for it
	}
	key := [2]int{i, n}
	r := m.rests[key]
	if r == nil {
		r = m.Rules.NewRule(m.Name + "-rest")
		m.rests[key] = r
		r.Body = m.from(i, n, behind)
	}
	return r.Call()
}
