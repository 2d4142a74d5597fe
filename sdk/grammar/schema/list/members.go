package list

import (
	"slices"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
)

// Members describes the members of an object: all of Required, any of Optionals in order, and any
// number of More.
type Members struct {
	Rules               *rules.Set
	Name                string
	Required, Optionals []*cfg.Expr
	More                *cfg.Expr // nil: no others
	Note                func(keyword, format string, args ...any)
}

// Between returns a list of lo to hi members; hi < 0 means unbounded. It is not ok if that number
// is impossible.
func (m Members) Between(lo, hi int) (list *cfg.Expr, ok bool) {
	lo, hi = max(lo-len(m.Required), 0), hi-len(m.Required)
	bounded := hi+len(m.Required) >= 0
	switch n := len(m.Optionals); {
	case bounded && hi < lo, m.More == nil && lo > n:
		return nil, false
	case bounded && hi == 0:
		m.Optionals, m.More, bounded = nil, nil, false
	case m.More == nil && lo == n:
		m.Required, m.Optionals, lo, bounded = append(m.Required, m.Optionals...), nil, 0, false
	case m.More == nil && n <= hi:
		bounded = false
	}
	if len(m.Optionals) == 0 && m.More != nil {
		return m.counted(lo, hi, bounded), true
	}
	if !bounded {
		hi = -1
	}
	if (lo > 1 || bounded) && len(m.Optionals)*(max(lo, hi)+1) <= maxCounted {
		counter := memberCounter{Members: m, lo: lo, hi: hi, rests: map[[2]int]*cfg.Rule{}}
		return cfg.Seq(m.joined(), counter.from(0, 0, len(m.Required) > 0)), true
	}
	if bounded {
		m.Note("maxProperties", "not enforced")
	}
	if lo > 1 {
		m.Note("minProperties", "at least %d members are enforced only up to %d", lo+len(m.Required), 1+len(m.Required))
	}
	return m.join(lo > 0), true
}

// counted returns the required members and lo to hi others.
func (m Members) counted(lo, hi int, bounded bool) *cfg.Expr {
	if !bounded {
		hi = -1
	}
	return cfg.Seq(m.joined(), More(m.Rules, m.More, len(m.Required) > 0, lo, hi))
}

// joined returns the required members.
func (m Members) joined() *cfg.Expr {
	var kids []*cfg.Expr
	for i, r := range m.Required {
		kids = append(kids, Comma(m.Rules, i > 0), r)
	}
	return cfg.Seq(kids...)
}

// join returns all members. Each optional one has a rule for what may follow it, so that the size
// is linear.
func (m Members) join(some bool) *cfg.Expr {
	first, after := m.tail()
	switch {
	case first.Op == cfg.OpNever:
		return m.joined()
	case len(m.Required) > 0 && some:
		return cfg.Seq(m.joined(), Comma(m.Rules, true), first)
	case len(m.Required) > 0:
		return cfg.Seq(m.joined(), after)
	case some:
		return first
	}
	return cfg.Optional(first)
}

// tail returns two lists of the members that are not required: first begins with a member, after
// with a comma or nothing.
func (m Members) tail() (first, after *cfg.Expr) {
	comma := Comma(m.Rules, true)
	after = cfg.Empty
	var firsts []*cfg.Expr // in reverse order
	if m.More != nil {
		after = cfg.Star(cfg.Seq(comma, m.More))
		firsts = append(firsts, cfg.Seq(m.More, after))
	}
	for _, member := range slices.Backward(m.Optionals) {
		tail := after
		if len(m.Optionals) > 1 || m.More != nil {
			tail = m.Rules.Rule(m.Name+"-rest", after)
		}
		firsts = append(firsts, cfg.Seq(member, tail))
		after = cfg.Seq(cfg.Optional(comma, member), tail)
	}
	slices.Reverse(firsts)
	return cfg.Alt(firsts...), after
}
