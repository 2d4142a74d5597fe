package grammar

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Text up to a delimiter is every text that contains no delimiter: the automaton of Aho and Corasick, without the states
// in which a delimiter is complete, and with states merged that cannot be told apart. Where it is known which delimiter
// follows, the automaton takes that in as well: then it is exact also for delimiters that overlap with themselves ("x````"
// is no text and "```"), and an engine need not guess whether a character begins the delimiter.

// scanner is that automaton. State 0 is the start.
type scanner struct {
	alphabet []rune       // the characters that occur in delimiters, in order
	next     []transition // by state
	closed   bool         // it ends with a delimiter; otherwise in any state
}

// transition maps the index of a character of the alphabet to a state, to dead or to done. Every other character leads to
// state 0.
type transition []int

const (
	dead = -1
	done = -2 // the closing delimiter is complete
)

// newScanner makes the automaton for text that contains none of delims, followed by the one of them that is last, if any.
func newScanner(delims []string, last string) *scanner {
	t := newTrie(delims)
	s := &scanner{alphabet: t.alphabet, closed: last != ""}
	for q := range t.nodes {
		row := make(transition, len(s.alphabet))
		for i, r := range s.alphabet {
			row[i] = t.step(q, r, last)
		}
		s.next = append(s.next, row)
	}
	return s.minimal()
}

// trie holds texts, character by character, with the failure links of the automaton.
type trie struct {
	alphabet []rune
	nodes    []trieNode
}

type trieNode struct {
	kids map[rune]int
	fail int
	text string // the text that ends here, if one does
	end  bool   // a text ends here, or a suffix of what leads here is one
}

func newTrie(texts []string) *trie {
	t := &trie{nodes: []trieNode{{kids: map[rune]int{}}}}
	letters := map[rune]bool{}
	for _, text := range texts {
		t.add(text)
		for _, r := range text {
			letters[r] = true
		}
	}
	t.alphabet = slices.Sorted(maps.Keys(letters))
	t.link()
	return t
}

func (t *trie) add(text string) {
	at := 0
	for _, r := range text {
		kid, ok := t.nodes[at].kids[r]
		if !ok {
			kid = len(t.nodes)
			t.nodes = append(t.nodes, trieNode{kids: map[rune]int{}})
			t.nodes[at].kids[r] = kid
		}
		at = kid
	}
	t.nodes[at].text, t.nodes[at].end = text, true
}

// link sets the failure links, breadth first: a node's is the longest proper suffix of its text that is in the trie.
func (t *trie) link() {
	queue := []int{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, r := range slices.Sorted(maps.Keys(t.nodes[at].kids)) {
			kid := t.nodes[at].kids[r]
			queue = append(queue, kid)
			if at == 0 {
				continue
			}
			fail := t.goTo(t.nodes[at].fail, r)
			t.nodes[kid].fail = fail
			t.nodes[kid].end = t.nodes[kid].end || t.nodes[fail].end
		}
	}
}

func (t *trie) goTo(at int, r rune) int {
	for {
		if kid, ok := t.nodes[at].kids[r]; ok {
			return kid
		}
		if at == 0 {
			return 0
		}
		at = t.nodes[at].fail
	}
}

// step is the transition from at by r. It is done where last is complete and no longer text is.
func (t *trie) step(at int, r rune, last string) int {
	to := t.goTo(at, r)
	switch n := &t.nodes[to]; {
	case !n.end:
		return to
	case last != "" && n.text == last:
		return done
	}
	return dead
}

// minimal merges the states that cannot be told apart, and drops those that cannot be reached.
func (s *scanner) minimal() *scanner {
	classes, count := make([]int, len(s.next)), 1
	for {
		ids := map[string]int{}
		refined := make([]int, len(s.next))
		var key []byte
		for q, row := range s.next {
			key = binary.AppendVarint(key[:0], int64(classes[q]))
			for _, to := range row {
				if to >= 0 {
					to = classes[to]
				}
				key = binary.AppendVarint(key, int64(to))
			}
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

func (s *scanner) merged(classes []int) *scanner {
	m := &scanner{alphabet: s.alphabet, closed: s.closed}
	number := map[int]int{classes[0]: 0}
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		row := make(transition, len(s.alphabet))
		for i, to := range s.next[queue[0]] {
			if to < 0 {
				row[i] = to
				continue
			}
			if _, ok := number[classes[to]]; !ok {
				number[classes[to]] = len(number)
				queue = append(queue, to)
			}
			row[i] = number[classes[to]]
		}
		m.next = append(m.next, row)
	}
	return m
}

// rules makes one rule for each state, named name, name-1, name-2 and so on by named, and returns the call of the first.
func (s *scanner) rules(name string, named func(string) *rule) *expr {
	states := []*rule{named(name)}
	for q := range s.next[1:] {
		states = append(states, named(fmt.Sprintf("%s-%d", states[0].name, q+1)))
	}
	for q, row := range s.next {
		states[q].body = s.body(row, states)
	}
	return states[0].call()
}

func (s *scanner) body(row transition, states []*rule) *expr {
	var away charset // the characters that do not lead to state 0
	var targets []int
	to := map[int]charset{}
	for i, t := range row {
		if t == 0 {
			continue
		}
		r := charset{peg.Range{Lo: s.alphabet[i], Hi: s.alphabet[i]}}
		away = away.union(r)
		if t == dead {
			continue
		}
		if _, ok := to[t]; !ok {
			targets = append(targets, t)
		}
		to[t] = to[t].union(r)
	}
	kids := []*expr{empty, seq(oneOf(away.complement()), states[0].call())}
	if s.closed {
		kids = kids[1:]
	}
	for _, t := range targets {
		if t == done {
			kids = append(kids, oneOf(to[t]))
			continue
		}
		kids = append(kids, seq(oneOf(to[t]), states[t].call()))
	}
	return alt(kids...)
}

// untils are the rules for text up to delimiters, each made once.
type untils struct {
	rules  map[string]*expr
	delims map[*rule][]string
}

// until is the rule for text up to the nearest of delims.
func (b *builder) until(delims []string) *expr {
	delims = slices.Compact(slices.Sorted(slices.Values(delims)))
	switch {
	case len(delims) == 0:
		return star(oneOf(everyChar))
	case delims[0] == "":
		return empty
	}
	return b.scan("until", delims, "")
}

// through is text up to the nearest of delims, and that delimiter, which must be last.
func (b *builder) through(delims []string, last string) *expr { return b.scan("through", delims, last) }

func (b *builder) scan(name string, delims []string, last string) *expr {
	key := strings.Join(delims, "\x00") + "\x00\x00" + last
	if e, ok := b.untils.rules[key]; ok {
		return e
	}
	e := newScanner(delims, last).rules(name, b.named)
	b.untils.rules[key] = e
	b.untils.delims[e.rule] = delims
	return e
}

// closed joins text with the delimiter behind it, where kids have one after the other.
func (b *builder) closed(kids []*expr) []*expr {
	var out []*expr
	for _, k := range kids {
		if n := len(out); n > 0 && k.op == literal && out[n-1].op == call {
			delims := b.untils.delims[out[n-1].rule]
			if i := slices.IndexFunc(delims, func(d string) bool { return strings.HasPrefix(k.text, d) }); i >= 0 {
				out[n-1] = b.through(delims, delims[i])
				k = text(k.text[len(delims[i]):])
			}
		}
		out = append(out, k)
	}
	return out
}
