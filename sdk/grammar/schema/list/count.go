package list

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
)

// maxCounted bounds the rules for counting members: one for each position and number of preceding
// members.
const maxCounted = 256

// memberCounter counts the members besides the required ones: lo to hi; hi < 0 means unbounded.
type memberCounter struct {
	Members
	lo, hi int
	rests  map[[2]int]*cfg.Rule // by the index of the next optional member and the number of those present
}

// from returns what may follow n members, starting with optional member i; behind is set if any
// member precedes.
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

// rest returns the rule for what may follow.
func (m *memberCounter) rest(i, n int, behind bool) *cfg.Expr {
	if m.hi < 0 {
		n = min(n, m.lo) // more than enough counts as enough
	}
	if !behind || i == len(m.Optionals) {
		return m.from(i, n, behind) // used only once
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
