package grammar

// maxCounted bounds the rules that it takes to count members: one for each place and number of those before it.
const maxCounted = 256

// memberCounter says how many members there are besides those that are required: lo to hi of them; hi < 0: without bound.
type memberCounter struct {
	members
	lo, hi int
	rests  map[[2]int]*rule // by the next of the optional members and the number of those that are there
}

// from is what may follow n members, of the optional ones those from number i on; behind says that any member stands before.
func (m *memberCounter) from(i, n int, behind bool) *expr {
	full := m.hi >= 0 && n == m.hi
	switch {
	case i < len(m.optionals) && !full:
		with := seq(m.c.behind(",", behind), m.optionals[i], m.rest(i+1, n+1, true))
		without := m.rest(i+1, n, behind)
		if without == empty {
			return optional(with)
		}
		return alt(with, without)
	case m.more != nil && !full:
		left := -1
		if m.hi >= 0 {
			left = m.hi - n
		}
		return m.c.more(m.more, m.comma(), behind, max(m.lo-n, 0), left)
	case n < m.lo:
		return nothing
	}
	return empty
}

// rest is the rule of what may follow.
func (m *memberCounter) rest(i, n int, behind bool) *expr {
	if m.hi < 0 {
		n = min(n, m.lo) // more are as good as enough
	}
	if !behind || i == len(m.optionals) {
		return m.from(i, n, behind) // there is no other place for it
	}
	key := [2]int{i, n}
	r := m.rests[key]
	if r == nil {
		r = m.c.b.named(m.name + "-rest")
		m.rests[key] = r
		r.body = m.from(i, n, behind)
	}
	return r.call()
}
