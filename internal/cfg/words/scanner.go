package words

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/work"
)

// The text up to a delimiter is any text that does not contain one: the language of the
// Aho–Corasick automaton without the states in which a delimiter is complete, minimised. Where the
// next delimiter is known, the automaton includes it: then it is exact also for delimiters that
// overlap themselves ("x````" is not a text followed by "```"), and an engine need not guess
// whether a character begins the delimiter.

// scanner is that automaton. State 0 is the initial state.
type scanner struct {
	next [][]arc // by state
	ends []bool  // the final states; nil: all, or none if closed
	// closed is set if the language includes the delimiter at the end.
	closed bool
}

// arc is a transition on one character to a state, to dead or to done. Characters without an arc
// lead to state 0. The arcs of a state are sorted by character.
type arc struct {
	char rune
	to   int
}

const (
	dead = -1
	done = -2 // the closing delimiter is complete
)

// newScanner returns the automaton for text without any of delims, followed by the delimiter last
// unless that is empty.
func newScanner(m *work.Meter, delims []string, last string) *scanner {
	t := newTrie(delims)
	s := &scanner{next: make([][]arc, len(t.nodes)), closed: last != ""}
	s.link(m, t, last)
	return s.minimal(m)
}

// link sets the transitions. Each state costs as many steps as it has of them.
func (s *scanner) link(m *work.Meter, t *trie, last string) {
	for _, q := range t.order {
		s.next[q] = t.arcs(q, last, s.next)
		m.Spend(1 + len(s.next[q]))
	}
}

// newGuarded returns the automaton for text that contains none of delims even if one of them
// follows: it does not end in a prefix that would complete a delimiter too early.
func newGuarded(m *work.Meter, delims []string) *scanner {
	t := newTrie(delims)
	s := &scanner{next: make([][]arc, len(t.nodes)), ends: make([]bool, len(t.nodes))}
	s.link(m, t, "")
	for q, text := range t.prefixes() {
		s.ends[q] = !slices.ContainsFunc(delims, func(d string) bool { return early(m, text, d, delims) })
	}
	return s.minimal(m)
}

// early reports whether a delimiter begins within text if d follows it.
func early(m *work.Meter, text, d string, delims []string) bool {
	joined := text + d
	return slices.ContainsFunc(delims, func(other string) bool {
		m.Spend(1 + len(joined)>>5)
		at := strings.Index(joined, other)
		return at >= 0 && at < len(text)
	})
}

// overlap reports whether a text without delimiters, together with a delimiter after it, may
// contain a delimiter that begins earlier.
func overlap(m *work.Meter, delims []string) bool {
	return slices.ContainsFunc(newTrie(delims).prefixes(), func(text string) bool {
		m.Spend(len(delims))
		complete := slices.ContainsFunc(delims, func(d string) bool { return strings.Contains(text, d) })
		return !complete && slices.ContainsFunc(delims, func(d string) bool { return early(m, text, d, delims) })
	})
}

// arcs returns the transitions to the children of the node at, and for all other characters those
// of its failure node, which must be in next.
func (t *trie) arcs(at int, last string, next [][]arc) []arc {
	n := &t.nodes[at]
	var out []arc
	for _, r := range n.letters() {
		out = append(out, arc{r, t.target(n.kids[r], last)})
	}
	if at == 0 {
		return out
	}
	for _, a := range next[n.fail] {
		if _, own := n.kids[a.char]; !own {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b arc) int { return cmp.Compare(a.char, b.char) })
	return out
}

// target returns the state for a node: done if it completes last, dead if it completes another
// delimiter.
func (t *trie) target(node int, last string) int {
	switch n := &t.nodes[node]; {
	case !n.end:
		return node
	case last != "" && n.text == last:
		return done
	}
	return dead
}

// minimal merges indistinguishable states and drops unreachable ones.
func (s *scanner) minimal(m *work.Meter) *scanner {
	classes, count := make([]int, len(s.next)), 1
	arcs := 0
	for _, row := range s.next {
		arcs += len(row)
	}
	for {
		m.Spend(2*len(s.next) + arcs/4)
		ids := map[string]int{}
		refined := make([]int, len(s.next))
		var key []byte
		for q := range s.next {
			key = s.signature(key[:0], q, classes)
			id, ok := ids[string(key)]
			if !ok {
				id = len(ids)
				ids[string(key)] = id
			}
			refined[q] = id
		}
		classes = refined
		if len(ids) == count {
			return s.merged(classes)
		}
		count = len(ids)
	}
}

// signature appends what distinguishes q from states of other classes.
func (s *scanner) signature(key []byte, q int, classes []int) []byte {
	key = binary.AppendVarint(key, int64(classes[q]))
	if s.ends != nil && s.ends[q] {
		key = append(key, 1)
	}
	for _, a := range s.next[q] {
		to := a.to
		if to >= 0 {
			if to = classes[to]; to == classes[0] {
				continue
			}
		}
		key = binary.AppendVarint(binary.AppendVarint(key, int64(a.char)), int64(to))
	}
	return key
}

func (s *scanner) merged(classes []int) *scanner {
	m := &scanner{closed: s.closed}
	number := map[int]int{classes[0]: 0}
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		var row []arc
		for _, a := range s.next[queue[0]] {
			if a.to >= 0 {
				n, ok := number[classes[a.to]]
				if !ok {
					n = len(number)
					number[classes[a.to]] = n
					queue = append(queue, a.to)
				}
				a.to = n
			}
			row = append(row, a)
		}
		m.next = append(m.next, row)
		if s.ends != nil {
			m.ends = append(m.ends, s.ends[queue[0]])
		}
	}
	return m
}

// rules creates one rule per state with named, called name, name-1, name-2 and so on, and returns
// the call of the first.
func (s *scanner) rules(name string, named func(string) *cfg.Rule) *cfg.Expr {
	states := []*cfg.Rule{named(name)}
	for q := range s.next[1:] {
		states = append(states, named(fmt.Sprintf("%s-%d", states[0].Name, q+1)))
	}
	for q, row := range s.next {
		states[q].Body = s.body(row, states, s.ends == nil && !s.closed || s.ends != nil && s.ends[q])
	}
	return states[0].Call()
}

// body returns what a state matches; ends is set if the text may end there.
func (s *scanner) body(row []arc, states []*cfg.Rule, ends bool) *cfg.Expr {
	var away []charset.Range // characters that do not lead to state 0
	var targets []int
	to := map[int][]charset.Range{}
	for _, a := range row {
		if a.to == 0 {
			continue
		}
		r := charset.Range{Lo: a.char, Hi: a.char}
		away = append(away, r)
		if a.to == dead {
			continue
		}
		if to[a.to] == nil {
			targets = append(targets, a.to)
		}
		to[a.to] = append(to[a.to], r)
	}
	kids := []*cfg.Expr{cfg.Seq(cfg.Class(charset.New(away...).Complement()), states[0].Call())}
	if ends {
		kids = append([]*cfg.Expr{cfg.Empty}, kids...)
	}
	for _, t := range targets {
		if t == done {
			kids = append(kids, cfg.Chars(to[t]...))
			continue
		}
		kids = append(kids, cfg.Seq(cfg.Chars(to[t]...), states[t].Call()))
	}
	return cfg.Alt(kids...)
}
