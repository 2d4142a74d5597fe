package grammar

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// text up to a delimiter is every text that contains no delimiter: the automaton of Aho and Corasick, without the states
// in which a delimiter is complete, and with states merged that cannot be told apart.

// scanner is that automaton. State 0 is the start; every state may be the last.
type scanner struct {
	alphabet []rune       // the characters that occur in delimiters, in order
	next     []transition // by state
}

// transition maps the index of a character of the alphabet to a state, or to dead. Every other character leads to state 0.
type transition []int

const dead = -1

func newScanner(delims []string) *scanner {
	t := newTrie(delims)
	s := &scanner{alphabet: t.alphabet}
	for q := range t.nodes {
		row := make(transition, len(s.alphabet))
		for i, r := range s.alphabet {
			row[i] = t.step(q, r)
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
	end  bool // a text ends here, or a suffix of what leads here is one
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
	t.nodes[at].end = true
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

func (t *trie) step(at int, r rune) int {
	if to := t.goTo(at, r); !t.nodes[to].end {
		return to
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
				if to != dead {
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
	m := &scanner{alphabet: s.alphabet}
	number := map[int]int{classes[0]: 0}
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		row := make(transition, len(s.alphabet))
		for i, to := range s.next[queue[0]] {
			if to == dead {
				row[i] = dead
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
		states = append(states, named(fmt.Sprintf("%s-%d", name, q+1)))
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
	for _, t := range targets {
		kids = append(kids, seq(oneOf(to[t]), states[t].call()))
	}
	return alt(kids...)
}

// until is the rule for text up to the nearest of delims.
func (b *builder) until(delims []string) *expr {
	delims = slices.Sorted(slices.Values(delims))
	switch {
	case len(delims) == 0:
		return star(oneOf(everyChar))
	case delims[0] == "":
		return empty
	}
	key := strings.Join(delims, "\x00")
	if e, ok := b.untils[key]; ok {
		return e
	}
	e := newScanner(delims).rules(b.fresh("until"), b.named)
	b.untils[key] = e
	return e
}
