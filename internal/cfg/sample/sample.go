// Package sample draws random texts from grammars, for tests that compare a grammar with another
// reader of the same texts.
package sample

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// unbounded is the length of an expression without a finite text.
const unbounded = 1 << 40

// Sampler draws random texts of a grammar. It is not safe for concurrent use.
type Sampler struct {
	root     *cfg.Rule
	random   *rand.Rand
	shortest map[*cfg.Rule]int
	budget   int
	depth    int
	out      strings.Builder
}

// New returns a sampler of the texts that root matches.
func New(root *cfg.Rule, random *rand.Rand) *Sampler {
	s := &Sampler{root: root, random: random, shortest: map[*cfg.Rule]int{}}
	_, rules := cfg.Order(root)
	for _, r := range rules {
		s.shortest[r] = unbounded
	}
	for changed := true; changed; {
		changed = false
		for _, r := range rules {
			if n := s.length(r.Body); n < s.shortest[r] {
				s.shortest[r], changed = n, true
			}
		}
	}
	return s
}

// Text draws a text of about size characters: once it has that many, it is completed in the
// shortest way. It returns false if the grammar has no text.
func (s *Sampler) Text(size int) (string, bool) {
	if s.shortest[s.root] >= unbounded {
		return "", false
	}
	s.out.Reset()
	s.budget, s.depth = size, 0
	s.draw(s.root.Body)
	return s.out.String(), true
}

// length returns the length of the shortest text of e, as far as known.
func (s *Sampler) length(e *cfg.Expr) int {
	n := 0
	switch e.Op {
	case cfg.OpNever:
		return unbounded
	case cfg.OpLiteral:
		return utf8.RuneCountInString(e.Text)
	case cfg.OpClass:
		return 1
	case cfg.OpCall:
		return s.shortest[e.Rule]
	case cfg.OpRepeat:
		if e.Min > 0 {
			n = e.Min * s.length(e.Kids[0])
		}
	case cfg.OpSequence:
		for _, k := range e.Kids {
			n += s.length(k)
		}
	case cfg.OpChoice:
		n = unbounded
		for _, k := range e.Kids {
			n = min(n, s.length(k))
		}
	}
	return min(n, unbounded)
}

func (s *Sampler) tight() bool { return s.budget <= 0 || s.depth > 60 }

func (s *Sampler) draw(e *cfg.Expr) {
	s.depth++
	defer func() { s.depth-- }()
	switch e.Op {
	case cfg.OpLiteral:
		s.out.WriteString(e.Text)
		s.budget -= len(e.Text)
	case cfg.OpClass:
		s.out.WriteRune(s.char(e.Set))
		s.budget--
	case cfg.OpCall:
		s.draw(e.Rule.Body)
	case cfg.OpSequence:
		for _, k := range e.Kids {
			s.draw(k)
		}
	case cfg.OpChoice:
		s.draw(s.pick(e.Kids))
	case cfg.OpRepeat:
		for range s.count(e) {
			s.draw(e.Kids[0])
		}
	}
}

func (s *Sampler) pick(kids []*cfg.Expr) *cfg.Expr {
	if s.tight() {
		best := kids[0]
		for _, k := range kids[1:] {
			if s.length(k) < s.length(best) {
				best = k
			}
		}
		return best
	}
	possible := make([]*cfg.Expr, 0, len(kids))
	for _, k := range kids {
		if s.length(k) < unbounded {
			possible = append(possible, k)
		}
	}
	return possible[s.random.IntN(len(possible))]
}

func (s *Sampler) count(e *cfg.Expr) int {
	if s.tight() || s.length(e.Kids[0]) >= unbounded {
		return e.Min
	}
	if e.Max >= 0 {
		return e.Min + s.random.IntN(min(e.Max-e.Min, 20)+1)
	}
	return e.Min + s.random.IntN(8)
}

var printable = charset.Set{{Lo: ' ', Hi: '~'}}

// char draws a character of set, usually a printable one.
func (s *Sampler) char(set charset.Set) rune {
	if common := set.Intersect(printable); len(common) > 0 && s.random.IntN(10) > 0 {
		set = common
	}
	set = set.Minus(charset.Set{{Lo: 0xD800, Hi: 0xDFFF}})
	if len(set) == 0 {
		return utf8.RuneError
	}
	in := weighted(set, s.random)
	return in.Lo + s.random.Int32N(in.Hi-in.Lo+1)
}

// weighted draws a range; large ranges are no more likely than ones of 64 characters.
func weighted(set charset.Set, random *rand.Rand) charset.Range {
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
