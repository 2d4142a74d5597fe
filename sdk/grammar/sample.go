package grammar

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// unbounded is the length of what cannot end.
const unbounded = 1 << 40

// Sampler draws random texts that a grammar accepts. It is not safe for concurrent use.
type Sampler struct {
	grammar  *Grammar
	random   *rand.Rand
	shortest map[*rule]int
	budget   int
	depth    int
	out      strings.Builder
}

// Sampler returns a source of texts, drawn by random.
func (g *Grammar) Sampler(random *rand.Rand) *Sampler {
	s := &Sampler{grammar: g, random: random, shortest: map[*rule]int{}}
	for _, r := range g.rules {
		s.shortest[r] = unbounded
	}
	for changed := true; changed; {
		changed = false
		for _, r := range g.rules {
			if n := s.length(r.body); n < s.shortest[r] {
				s.shortest[r], changed = n, true
			}
		}
	}
	return s
}

// Text draws a text of about size characters; once so many are written, the rest is kept as short as the grammar allows.
// It is empty, and false, where the grammar accepts nothing.
func (s *Sampler) Text(size int) (string, bool) {
	if s.shortest[s.grammar.root] >= unbounded {
		return "", false
	}
	s.out.Reset()
	s.budget, s.depth = size, 0
	s.draw(s.grammar.root.body)
	return s.out.String(), true
}

// length is the number of characters in the shortest text of e, as far as known.
func (s *Sampler) length(e *expr) int {
	n := 0
	switch e.op {
	case never:
		return unbounded
	case literal:
		return utf8.RuneCountInString(e.text)
	case class:
		return 1
	case call:
		return s.shortest[e.rule]
	case repeat:
		if e.min > 0 {
			n = e.min * s.length(e.kids[0])
		}
	case sequence:
		for _, k := range e.kids {
			n += s.length(k)
		}
	case choice:
		n = unbounded
		for _, k := range e.kids {
			n = min(n, s.length(k))
		}
	}
	return min(n, unbounded)
}

func (s *Sampler) tight() bool { return s.budget <= 0 || s.depth > 60 }

func (s *Sampler) draw(e *expr) {
	s.depth++
	defer func() { s.depth-- }()
	switch e.op {
	case literal:
		s.out.WriteString(e.text)
		s.budget -= len(e.text)
	case class:
		s.out.WriteRune(s.char(e.set))
		s.budget--
	case call:
		s.draw(e.rule.body)
	case sequence:
		for _, k := range e.kids {
			s.draw(k)
		}
	case choice:
		s.draw(s.pick(e.kids))
	case repeat:
		for range s.count(e) {
			s.draw(e.kids[0])
		}
	}
}

func (s *Sampler) pick(kids []*expr) *expr {
	if s.tight() {
		best := kids[0]
		for _, k := range kids[1:] {
			if s.length(k) < s.length(best) {
				best = k
			}
		}
		return best
	}
	possible := make([]*expr, 0, len(kids))
	for _, k := range kids {
		if s.length(k) < unbounded {
			possible = append(possible, k)
		}
	}
	return possible[s.random.IntN(len(possible))]
}

func (s *Sampler) count(e *expr) int {
	if s.tight() || s.length(e.kids[0]) >= unbounded {
		return e.min
	}
	if e.max >= 0 {
		return e.min + s.random.IntN(min(e.max-e.min, 20)+1)
	}
	return e.min + s.random.IntN(8)
}

var printable = charset{{Lo: ' ', Hi: '~'}}

// char draws from set: mostly what can be read, now and then anything.
func (s *Sampler) char(set charset) rune {
	if common := set.intersect(printable); len(common) > 0 && s.random.IntN(10) > 0 {
		set = common
	}
	set = set.minus(charset{{Lo: 0xD800, Hi: 0xDFFF}})
	if len(set) == 0 {
		return utf8.RuneError
	}
	in := weighted(set, s.random)
	return in.Lo + s.random.Int32N(in.Hi-in.Lo+1)
}

// weighted draws a range; a large one is no more likely than a few characters.
func weighted(set charset, random *rand.Rand) peg.Range {
	total := 0
	for _, r := range set {
		total += min(int(r.Hi-r.Lo)+1, 64)
	}
	n := random.IntN(total)
	for _, r := range set {
		if n -= min(int(r.Hi-r.Lo)+1, 64); n < 0 {
			return r
		}
	}
	return set[0]
}
